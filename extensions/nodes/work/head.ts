import type { Frame } from './frames.js';

/** Why a command was not begun: no walls, no home, no such folder. */
export type Refusal = 'unfenced' | 'homeless' | 'astray';

const refusals: readonly string[] = ['unfenced', 'homeless', 'astray'];
/** What is longer without its end, in bytes, is something else. */
const longest = 64;

/** Of what comes before it, in bytes: a shell that never writes it must not fill the memory. */
const max_early = 1024 * 1024;

/** Takes the first line from what a command writes, as the script `enter` writes it. */
export class Head {
  /** The process id of the command's leader. */
  leader: string | undefined;
  refusal: Refusal | undefined;
  /** Whether `timeout` sees to its end. */
  backstop = false;
  #line = Buffer.alloc(0);
  /** What came before the line. */
  readonly #early: Frame[] = [];
  #early_left = max_early;
  readonly #absent: boolean;

  /** @param absent where there is none, since the command runs without the script */
  constructor(absent = false) {
    this.#absent = absent;
  }

  /** Whether nothing of the command itself can come yet. */
  get pending(): boolean {
    return !this.#absent && this.leader === undefined && this.refusal === undefined;
  }

  /** What no head ever was: the engine's own words. */
  get strange(): string {
    const early = this.#early.slice(0, 8).map(({ bytes }) => bytes);
    return Buffer.concat([this.#line, ...early])
      .subarray(0, 1_024)
      .toString();
  }

  /**
   * What of the command itself there is by now. The line goes before all else, but the two outputs are two pipes: what
   * was written to the other one may arrive first.
   */
  take(frame: Frame): Frame[] {
    if (!this.pending) return [frame];
    if (frame.stream === 'stderr') {
      this.#early_left -= frame.bytes.length;
      if (this.#early_left >= 0) this.#early.push(frame);
      return [];
    }
    const rest = this.#read(frame.bytes);
    if (this.leader === undefined) return [];
    const early = this.#early.splice(0);
    return rest.length > 0 ? [...early, { stream: frame.stream, bytes: rest }] : early;
  }

  /** Gives what comes after the line. */
  #read(bytes: Buffer): Buffer {
    const nothing = Buffer.alloc(0);
    if (this.#line.length > longest) return nothing;
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
