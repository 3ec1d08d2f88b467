import type { Frame } from './frames.js';

/** Command to run in a node's container. */
export interface Command {
  /** Program and arguments. */
  argv: readonly string[];
  /** Name or number in the container; the image's own if omitted. */
  user?: string | undefined;
  /** Home folder: created if missing, and set as `HOME`. */
  home?: string | undefined;
  /** Working folder, an absolute path. */
  folder: string;
  env?: Readonly<Record<string, string>>;
  /** Time limit after which all its processes are killed. */
  timeout_ms: number;
  stdin?: Buffer;
  /** Limit of its output in bytes; the rest is read and dropped. Default 1 MiB. */
  max_bytes?: number;
}

export interface CommandResult {
  /** Null if it was killed. */
  exit_code: number | null;
  how: 'exit' | 'timeout' | 'abort';
  /** Whether output was dropped. */
  truncated: boolean;
}

export interface CommandObserver {
  /** Kills it. */
  signal: AbortSignal;
  /** Receives output; the command waits for a returned promise. */
  output: (frame: Frame) => void | Promise<void>;
  /** Runs when it has started: everything that could prevent it has been checked. */
  begun?: () => void;
}
