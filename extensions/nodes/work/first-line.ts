import type { Frame } from './frames.js';

/** Reason why a command was not started: no walls, no home, no such folder. */
export type Refusal = 'unfenced' | 'homeless' | 'astray';

const refusals: readonly string[] = ['unfenced', 'homeless', 'astray'];
/** Maximum length of the first line in bytes; anything longer is something else. */
const max_length = 64;

/** Limit of output before the first line in bytes: a shell that never prints it must not exhaust memory. */
const max_early = 1024 * 1024;

/** Parses the first line that the script `enter` prints before a command's output. */
export class FirstLine {
  /** Process id of the command's leader. */
  leader: string | undefined;
  refusal: Refusal | undefined;
  /** Whether `timeout` limits it. */
  backstop = false;
  #line = Buffer.alloc(0);
  /** Output received before the line. */
  readonly #earlier: Frame[] = [];
  #early_left = max_early;
  readonly #absent: boolean;

  /** @param absent if there is no line, because the command runs without the script */
  constructor(absent = false) {
    this.#absent = absent;
  }

  /** Whether the command's own output can't have started. */
  get pending(): boolean {
    return !this.#absent && this.leader === undefined && this.refusal === undefined;
  }

  /** Returns output that isn't a valid first line: the engine's message. */
  get unexpected(): string {
    const earlier = this.#earlier.slice(0, 8).map(({ bytes }) => bytes);
    return Buffer.concat([this.#line, ...earlier])
      .subarray(0, 1_024)
      .toString();
  }

  /**
   * Returns the command's own output so far. The line is written first, but the two streams are separate pipes: output
   * of the other one may arrive earlier.
   */
  parse(frame: Frame): Frame[] {
    if (!this.pending) return [frame];
    if (frame.stream === 'stderr') {
      this.#early_left -= frame.bytes.length;
      if (this.#early_left >= 0) this.#earlier.push(frame);
      return [];
    }
    const rest = this.#read(frame.bytes);
    if (this.leader === undefined) return [];
    const early = this.#earlier.splice(0);
    return rest.length > 0 ? [...early, { stream: frame.stream, bytes: rest }] : early;
  }

  /** Parses the line; returns the bytes after it. */
  #read(bytes: Buffer): Buffer {
    const nothing = Buffer.alloc(0);
    if (this.#line.length > max_length) return nothing;
    this.#line = Buffer.concat([this.#line, bytes]);
    const end = this.#line.indexOf('\n');
    if (end === -1) return nothing;
    const word = this.#line.subarray(0, end).toString();
    const [, leader, backstop] = /^(\d{1,10}) (yes|no)$/.exec(word) ?? [];
    this.leader = leader;
    this.backstop = backstop === 'yes';
    if (refusals.includes(word)) this.refusal = word as Refusal;
    return this.#line.subarray(end + 1);
  }
}
