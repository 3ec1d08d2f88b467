import { isFailure } from '../contract/failure.js';
import type { Data } from '../data/hub.js';
import { failMaintenance } from './codes.js';

/** Whoever has the lock has it for long: others need not wait. */
const wait_ms = 100;

/** Runs work that runs once at a time in the whole installation. Fails with `maintenance_running` at once where it runs already. */
export async function exclusive<T>(data: Pick<Data, 'lock'>, name: string, work: () => Promise<T>): Promise<T> {
  let begun = false;
  const begin = () => {
    begun = true;
    return work();
  };
  try {
    return await data.lock(`maintenance.${name}`, begin, { timeout_ms: wait_ms });
  } catch (fault) {
    if (begun || !isFailure(fault) || fault.code !== 'database_busy') throw fault;
    throw failMaintenance('maintenance_running', `A ${name} is under way already; wait until it has ended`, { cause: fault });
  }
}
