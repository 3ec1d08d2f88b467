import type { Clock } from '../../kernel/contract/index.js';
import type { MembersService } from '../members/contract.js';
import type { MemberRows } from './store/members.js';
import type { Retention } from './store/retention.js';
import type { Watermarks } from './store/watermarks.js';

interface Parts {
  rows: MemberRows;
  watermarks: Watermarks;
  retention: Retention;
  members: MembersService;
  clock: Clock;
  /** Stops between two batches. */
  signal: AbortSignal;
}

const day_ms = 24 * 3_600_000;
/** Retention: since read, and since created if never read. */
const read_days = 90;
const unread_days = 365;
/** Limit per member. */
const max = 100_000;

/** Keeps the tables small. */
export class Housekeeping {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Writes read marks of everything at once into the rows, batch by batch. */
  async fold(): Promise<void> {
    const { rows, watermarks, signal } = this.#parts;
    for (;;) {
      const member_id = signal.aborted ? undefined : await watermarks.nextMember();
      if (member_id === undefined) return;
      await rows.lock(member_id, () => watermarks.fold(member_id));
    }
  }

  /**
   * Deletes read notifications after 90 days, unread ones after 365, a member's oldest beyond 100,000, and everything
   * of deleted members. Returns the number of notifications deleted.
   */
  async clean(): Promise<number> {
    await this.fold();
    const { retention, clock } = this.#parts;
    const daysAgo = (days: number) => new Date(clock.now() - days * day_ms).toISOString();
    let removed = await this.#repeat(() => retention.deleteReadBefore(daysAgo(read_days)));
    removed += await this.#repeat(() => retention.deleteUnreadBefore(daysAgo(unread_days)));
    for (const { member_id, surplus } of await retention.surplus(max)) {
      let left = surplus;
      removed += await this.#repeat(async () => {
        const deleted = left > 0 ? await retention.countSurplus({ member_id, surplus: left }) : 0;
        left -= deleted;
        return deleted;
      });
    }
    await this.#forgetDeletedMembers();
    return removed;
  }

  async #repeat(remove: () => Promise<number>): Promise<number> {
    let removed = 0;
    while (!this.#parts.signal.aborted) {
      const count = await remove();
      if (count === 0) break;
      removed += count;
    }
    return removed;
  }

  /**
   * A notification may have been created at the moment of the deletion, or the member may have been deleted while this
   * extension was inactive.
   */
  async #forgetDeletedMembers(): Promise<void> {
    const { rows, members, signal } = this.#parts;
    for (let ids = await rows.idsAfter(0); ids.length > 0 && !signal.aborted; ids = await rows.idsAfter(ids.at(-1) as number)) {
      const existing = new Set((await members.byIds(ids)).map(({ id }) => id));
      for (const id of ids) if (!existing.has(id)) await rows.forget(id);
    }
  }
}
