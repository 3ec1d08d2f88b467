import { LRUCache } from 'lru-cache';
import type { Clock, Disposable, Log } from '../../kernel/contract/index.js';
import type { Frames } from './frames.js';
import { notThere } from './replies/readers.js';
import type { Membership } from './rooms/membership.js';
import type { Sessions } from './store/sessions-sql.js';

interface TypingParts {
  frames: Frames;
  sessions: Sessions;
  membership: Membership;
  clock: Clock;
  log: Log;
}

export interface Typist {
  session_id: string;
  member_id: number;
}

/** Readers of a conversation of two, or `room`: its members are read for each frame, because they change. */
type TypingReaders = readonly number[] | 'room';

interface Typed extends Typist {
  readers: TypingReaders;
  notified_at: number;
  timer: NodeJS.Timeout;
  /** Settles when the frames so far are sent; whether a `start` was among them. */
  sent: Promise<boolean>;
}

/** Time without a frame after which a member counts as no longer typing. */
const stale_ms = 10_000;
/** Interval for repeating that a member is still typing. */
const repeat_ms = 4_000;
/** Members who are tracked at once. */
const max_typists = 10_000;
/** Members of a room in which everybody who types is shown. In larger ones it is one member in {@link repeat_ms}. */
const max_each = 50;
/** Members of a room beyond which nobody is shown. */
const max_shown = 500;
/** Rooms whose last frame is known. */
const max_rooms = 5_000;

/** Tracks who is typing: people by frames from their sockets, AI employees while they write. */
export class Typing implements Disposable {
  readonly #parts: TypingParts;
  readonly #typed = new Map<string, Typed>();
  /** Time of the last `start` in each large room. */
  readonly #started = new LRUCache<string, number>({ max: max_rooms });

  constructor(parts: TypingParts) {
    this.#parts = parts;
  }

  /** Handles a person's frame. Fails with `session_not_found`. */
  async said(typist: Typist, state: 'start' | 'stop'): Promise<void> {
    if (state === 'stop') return this.stop(typist);
    const { sessions } = this.#parts;
    const known = this.#typed.get(keyOf(typist))?.readers;
    if (known && known !== 'room') return this.start(typist, known);
    const session = await sessions.get(typist.session_id, typist.member_id);
    if (!session) throw notThere(typist.session_id);
    if (session.target_type === 'room') return this.start(typist, 'room');
    this.start(
      typist,
      (await sessions.participants(typist.session_id)).filter((id) => id !== typist.member_id),
    );
  }

  /** Notifies the readers, throttled while it is called repeatedly. */
  start(typist: Typist, readers: TypingReaders): void {
    const key = keyOf(typist);
    const now = this.#parts.clock.now();
    let typed = this.#typed.get(key);
    if (!typed && (readers.length === 0 || this.#typed.size >= max_typists)) return;
    typed ??= {
      ...typist,
      readers,
      notified_at: 0,
      timer: setTimeout(() => this.stop(typist), stale_ms).unref(),
      sent: Promise.resolve(false),
    };
    typed.timer.refresh();
    this.#typed.set(key, typed);
    if (now - typed.notified_at < repeat_ms) return;
    typed.notified_at = now;
    this.#notify(typed, 'start');
  }

  stop(typist: Typist): void {
    const typed = this.#typed.get(keyOf(typist));
    if (!typed) return;
    clearTimeout(typed.timer);
    this.#typed.delete(keyOf(typist));
    this.#notify(typed, 'stop');
  }

  dispose(): void {
    for (const { timer } of this.#typed.values()) clearTimeout(timer);
    this.#typed.clear();
  }

  #notify(typed: Typed, state: 'start' | 'stop'): void {
    const { session_id, member_id, readers } = typed;
    if (readers !== 'room') {
      this.#parts.frames.typing(readers, { session_id, member_id, state });
      return;
    }
    typed.sent = typed.sent
      .then((started) => this.#notifyRoom(typed, { state, started }))
      .catch((err: unknown) => {
        this.#parts.log.warn('Could not show who is typing in a room', { session_id, err });
        return false;
      });
  }

  /** Sends a frame to the present members of a room; a `stop` only after a `start`. Returns whether a `start` was sent. */
  async #notifyRoom(
    { session_id, member_id }: Typist,
    { state, started }: { state: 'start' | 'stop'; started: boolean },
  ): Promise<boolean> {
    if (state === 'stop' && !started) return false;
    const { ids } = await this.#parts.membership.of(session_id);
    if (state === 'start' && !this.#mayStart(session_id, ids)) return started;
    const others = ids.filter((id) => id !== member_id);
    if (others.length > 0) this.#parts.frames.typing(others, { session_id, member_id, state });
    return true;
  }

  /** Returns whether a `start` may be sent now in a room of these members. */
  #mayStart(session_id: string, { length }: readonly number[]): boolean {
    if (length <= max_each) return true;
    const now = this.#parts.clock.now();
    if (length > max_shown || now - (this.#started.get(session_id) ?? Number.NEGATIVE_INFINITY) < repeat_ms) return false;
    this.#started.set(session_id, now);
    return true;
  }
}

function keyOf({ session_id, member_id }: Typist): string {
  return `${session_id}:${member_id}`;
}
