import type { Remarks } from './remarks.js';
import type { Export } from './types.js';

/** Input of a reader besides the file. */
export interface Opening {
  remarks: Remarks;
  now_ms: number;
  signal: AbortSignal;
}

/** An export that stays open until its messages are read. */
export interface Opened {
  found: Export;
  close(): Promise<void>;
}
