import { isFailure } from '../../contract/failure.js';
import type { Data } from '../data/hub.js';
import { failMaintenance } from './codes.js';

/** Default wait for the lock. It is short, because the work that holds the lock may take long. */
const default_wait_ms = 100;

export interface Exclusive {
  name: string;
  /** How long to wait if the work is already running. Default 100. */
  wait_ms?: number | undefined;
}

/** Runs work that may run only once at a time in the whole installation. Fails with `maintenance_running` if it is already running. */
export async function exclusive<T>(
  data: Pick<Data, 'lock'>,
  { name, wait_ms = default_wait_ms }: Exclusive,
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
