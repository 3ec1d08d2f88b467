import type { Clock, Disposable } from '../../kernel/contract/index.js';
import { fail } from './codes.js';
import type { Frames } from './frames.js';
import type { Sessions } from './store/sessions-sql.js';

interface TypingParts {
  frames: Frames;
  sessions: Sessions;
  clock: Clock;
}

export interface Typist {
  session_id: string;
  member_id: number;
}

interface Typed extends Typist {
  readers: readonly number[];
  told_at: number;
  timer: NodeJS.Timeout;
}

/** Time without a frame after which a member counts as no longer typing. */
const stale_ms = 10_000;
/** Interval for repeating that a member is still typing. */
const repeat_ms = 4_000;
const max = 10_000;

/** Tracks who is typing: people by frames from their sockets, AI employees while they write. */
export class Typing implements Disposable {
  readonly #parts: TypingParts;
  readonly #typed = new Map<string, Typed>();

  constructor(parts: TypingParts) {
    this.#parts = parts;
  }

  /** Handles a person's frame. Fails with `session_not_found`. */
  async said(typist: Typist, state: 'start' | 'stop'): Promise<void> {
    if (state === 'stop') return this.stop(typist);
    const { sessions } = this.#parts;
    const known = this.#typed.get(keyOf(typist))?.readers;
    const readers =
      known ?? ((await sessions.get(typist.session_id, typist.member_id)) && (await sessions.participants(typist.session_id)));
    if (!readers) throw fail('session_not_found', `There is no session ${typist.session_id} that you take part in`);
    this.start(
      typist,
      readers.filter((id) => id !== typist.member_id),
    );
  }

  /** Notifies the readers, throttled while it is called repeatedly. */
  start(typist: Typist, readers: readonly number[]): void {
    const key = keyOf(typist);
    const now = this.#parts.clock.now();
    let typed = this.#typed.get(key);
    if (!typed && (readers.length === 0 || this.#typed.size >= max)) return;
    typed ??= { ...typist, readers, told_at: 0, timer: setTimeout(() => this.stop(typist), stale_ms).unref() };
    typed.timer.refresh();
    this.#typed.set(key, typed);
    if (now - typed.told_at < repeat_ms) return;
    typed.told_at = now;
    this.#tell(typed, 'start');
  }

  stop(typist: Typist): void {
    const typed = this.#typed.get(keyOf(typist));
    if (!typed) return;
    clearTimeout(typed.timer);
    this.#typed.delete(keyOf(typist));
    this.#tell(typed, 'stop');
  }

  dispose(): void {
    for (const { timer } of this.#typed.values()) clearTimeout(timer);
    this.#typed.clear();
  }

  #tell({ session_id, member_id, readers }: Typed, state: 'start' | 'stop'): void {
    this.#parts.frames.typing(readers, { session_id, member_id, state });
  }
}

function keyOf({ session_id, member_id }: Typist): string {
  return `${session_id}:${member_id}`;
}
