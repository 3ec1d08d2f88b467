import type { ProcessOutput } from '../kernel/contract/manifest.js';
import type { StreamEvent } from '../kernel/contract/operation.js';
import { exitCodes } from './exit.js';
import { harmless, type Terminal } from './terminal.js';

interface ProcessData {
  stream?: unknown;
  delta?: unknown;
  base64?: unknown;
  exit_code?: unknown;
  timed_out?: unknown;
  truncated?: unknown;
}

/** Relays a remote process: its output to the same stream here, as sanitised text if that is a terminal, and its exit code. */
export class ProcessView {
  readonly #hint: ProcessOutput;
  readonly #terminal: Terminal;
  /** Whether the last line on a terminal is unfinished. */
  #isLineOpen = false;

  constructor(hint: ProcessOutput, terminal: Terminal) {
    this.#hint = hint;
    this.#terminal = terminal;
  }

  take({ type, data }: StreamEvent): void {
    if (type === this.#hint.output) this.#write(data);
    if (type === this.#hint.exit) this.#report(data);
  }

  /** Writes a message of the platform. */
  line(text: string): void {
    this.#terminal.stderr.write(`${this.#isLineOpen ? '\n' : ''}${text}\n`);
    this.#isLineOpen = false;
  }

  /** Ends an unfinished line, so that a failure's message starts on a line of its own. */
  end(): void {
    if (this.#isLineOpen) this.#terminal.stdout.write('\n');
    this.#isLineOpen = false;
  }

  #write({ stream, delta, base64 }: ProcessData): void {
    const output = stream === 'stderr' ? this.#terminal.stderr : this.#terminal.stdout;
    const text = String(delta ?? '');
    if (output.isTTY !== true) return void output.write(typeof base64 === 'string' ? Buffer.from(base64, 'base64') : text);
    output.write(harmless(text));
    this.#isLineOpen = !text.endsWith('\n');
  }

  #report({ exit_code, timed_out, truncated }: ProcessData): void {
    if (truncated === true) this.line('platform: the output of the command exceeds the limit and is truncated here');
    if (timed_out === true) this.line('platform: the command exceeded its time limit and was killed; raise it with --timeout-s');
    else if (typeof exit_code !== 'number') this.line('platform: the exit code of the command is unknown');
    else if (exit_code !== 0 && this.#terminal.stderr.isTTY) this.line(`The command ended with exit code ${exit_code}`);
  }
}

/** Returns our exit code for the remote process; undefined before its end. */
export function processExit({ exit }: ProcessOutput, { type, data }: StreamEvent): number | undefined {
  if (type !== exit) return undefined;
  const { exit_code, timed_out } = data as ProcessData;
  if (timed_out === true) return exitCodes.timed_out;
  return typeof exit_code === 'number' ? exit_code & 0xff : exitCodes.not_run;
}
