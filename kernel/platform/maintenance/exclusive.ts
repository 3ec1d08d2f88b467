import { isFailure } from '../../contract/failure.js';
import type { Data } from '../data/hub.js';
import { failMaintenance } from './codes.js';

/** Whoever has the lock may have it for long: others need not wait. */
const usual_wait_ms = 100;

export interface Exclusive {
  name: string;
  /** How long it is waited for where it runs already. Default 100. */
  wait_ms?: number | undefined;
}

/** Runs work that runs once at a time in the whole installation. Fails with `maintenance_running` where it runs already. */
export async function exclusive<T>(
  data: Pick<Data, 'lock'>,
  { name, wait_ms = usual_wait_ms }: Exclusive,
  work: () => Promise<T>,
): Promise<T> {
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
