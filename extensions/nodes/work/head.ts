import type { Frame } from './frames.js';

/** Why a command was not begun: no walls, no home, no such folder. */
export type Refusal = 'unfenced' | 'homeless' | 'astray';

const refusals: readonly string[] = ['unfenced', 'homeless', 'astray'];
/** What is longer without its end, in bytes, is something else. */
const longest = 64;

/** Takes the first line from what a command writes, as the script `enter` writes it. */
export class Head {
  /** The process id of the command's leader. */
  leader: string | undefined;
  refusal: Refusal | undefined;
  /** Whether `timeout` sees to its end. */
  backstop = false;
  #line = Buffer.alloc(0);
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
    return this.#line.subarray(0, 1_024).toString();
  }

  /** What of the frame comes after the line. */
  take({ stream, bytes }: Frame): Frame | undefined {
    if (!this.pending) return { stream, bytes };
    if (stream === 'stderr' || this.#line.length > longest) return undefined;
    this.#line = Buffer.concat([this.#line, bytes]);
    const end = this.#line.indexOf('\n');
    if (end === -1) return undefined;
    const word = this.#line.subarray(0, end).toString();
    const [, leader, backstop] = /^(\d{1,10}) (yes|no)$/.exec(word) ?? [];
    if (leader !== undefined) {
      this.leader = leader;
      this.backstop = backstop === 'yes';
    } else if (refusals.includes(word)) {
      this.refusal = word as Refusal;
    } else return undefined;
    const rest = this.#line.subarray(end + 1);
    return rest.length > 0 ? { stream, bytes: rest } : undefined;
  }
}
