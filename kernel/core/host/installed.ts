import type { Bundle } from './loader.js';

/** An extension known to the host, running or not. */
export interface Installed {
  readonly bundle: Bundle;
  /** Folder of its bundle; undefined for the kernel and for a bundle that can't be read. */
  readonly folder: string | undefined;
  readonly builtin: boolean;
  readonly enabled: boolean;
  /** Reason why it doesn't run, as a sentence. */
  readonly error: string | undefined;
  readonly restarts: number;
  /** Whether its process is lost and a restart is planned. */
  readonly restarting?: boolean;
}
