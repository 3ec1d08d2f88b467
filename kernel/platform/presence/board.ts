import type { PresenceStatus } from '../../contract/socket.js';

export type Present = Exclude<PresenceStatus, 'offline'>;

/** Displayed state of a member; `left_at` is when its last socket closed. */
interface Shown {
  status: Present;
  left_at: number | undefined;
}

/** A change of a member's presence; `left_at` is set if it is offline. */
export interface Change {
  member_id: number;
  status: PresenceStatus;
  left_at: number | undefined;
}

/** Grace period after the last socket closes, in which a member keeps its status. */
const grace_ms = 30_000;

const order: readonly Present[] = ['dnd', 'online', 'away'];

/** Returns the strongest status of several devices: `dnd`, then `online`, then `away`. */
export function strongest(statuses: Iterable<Present>): Present | undefined {
  const found = new Set(statuses);
  return order.find((status) => found.has(status));
}

/** Merges presence from several sources: this instance, others, and the providers for AI employees. */
export class Board {
  readonly #sources = new Map<string, Map<number, Present>>();
  readonly #shown = new Map<number, Shown>();
  readonly #leaving = new Set<number>();

  get(member_id: number): Present | undefined {
    return this.#shown.get(member_id)?.status;
  }

  get size(): number {
    return this.#shown.size;
  }

  *present(): Iterable<readonly [number, Present]> {
    for (const [member_id, { status }] of this.#shown) yield [member_id, status];
  }

  /** Sets a member's status from one source; returns the resulting changes. */
  set(source: string, member_id: number, told: { status: Present | undefined; at: number }): Change[] {
    const members = this.#sources.get(source) ?? new Map<number, Present>();
    if (told.status) members.set(member_id, told.status);
    else members.delete(member_id);
    this.#sources.set(source, members);
    return this.#look(member_id, told.at);
  }

  /** Replaces all statuses of a source; removes an empty source. Missing members left at `at`. */
  replace(source: string, members: ReadonlyMap<number, Present>, at: number): Change[] {
    const before = this.#sources.get(source) ?? new Map<number, Present>();
    if (members.size > 0) this.#sources.set(source, new Map(members));
    else this.#sources.delete(source);
    const touched = [...members, ...before].filter(([id]) => before.get(id) !== members.get(id));
    return [...new Set(touched.map(([id]) => id))].flatMap((id) => this.#look(id, at));
  }

  /** Marks members as offline after their grace period; returns the changes. */
  settle(now: number): Change[] {
    return [...this.#leaving].flatMap((member_id) => {
      const left_at = this.#shown.get(member_id)?.left_at ?? now;
      if (now - left_at < grace_ms) return [];
      this.#leaving.delete(member_id);
      this.#shown.delete(member_id);
      return [{ member_id, status: 'offline' as const, left_at }];
    });
  }

  #look(member_id: number, at: number): Change[] {
    const shown = this.#shown.get(member_id);
    const status = strongest(this.#told(member_id));
    if (status) {
      this.#shown.set(member_id, { status, left_at: undefined });
      this.#leaving.delete(member_id);
      return shown?.status === status ? [] : [{ member_id, status, left_at: undefined }];
    }
    if (!shown) return [];
    this.#shown.set(member_id, { ...shown, left_at: at });
    this.#leaving.add(member_id);
    return [];
  }

  *#told(member_id: number): Iterable<Present> {
    for (const members of this.#sources.values()) {
      const status = members.get(member_id);
      if (status) yield status;
    }
  }
}
