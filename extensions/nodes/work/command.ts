import type { Frame } from './frames.js';

/** A command to run in a node's container. */
export interface Command {
  /** A program and its arguments. */
  argv: readonly string[];
  /** A name or number in the container; left out: the image's own. */
  user?: string | undefined;
  /** Whose it is: made where it isn't there, and told as `HOME`. */
  home?: string | undefined;
  /** Where it runs: an absolute path. */
  folder: string;
  env?: Readonly<Record<string, string>>;
  /** Then all its processes are killed. */
  timeout_ms: number;
  stdin?: Buffer;
  /** What is given of its output; the rest is read and dropped. Default 1 MiB. */
  max_bytes?: number;
}

export interface Ended {
  /** Null where it was killed. */
  exit_code: number | null;
  how: 'exit' | 'timeout' | 'abort';
  /** Whether output was dropped. */
  truncated: boolean;
}

export interface Watch {
  /** Kills it. */
  signal: AbortSignal;
  /** The command waits for what it returns. */
  output: (frame: Frame) => void | Promise<void>;
  /** It runs: all that could keep it from that has been found. */
  begun?: () => void;
}
