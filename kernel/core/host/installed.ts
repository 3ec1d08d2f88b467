import type { Bundle } from './loader.js';

/** An extension that the host knows, whether it runs or not. */
export interface Installed {
  readonly bundle: Bundle;
  /** Where its bundle was read from; undefined for the kernel. */
  readonly folder: string | undefined;
  readonly builtin: boolean;
  readonly enabled: boolean;
  /** Why it doesn't run, as a sentence. */
  readonly error: string | undefined;
  readonly restarts: number;
  /** Its process is gone, and another is about to be started. */
  readonly restarting?: boolean;
}
