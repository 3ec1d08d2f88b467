import type { Clock } from '../../../kernel/contract/index.js';
import type { MembersService } from '../../members/contract.js';
import type { UsageQuery, UsageSummary } from '../contract.js';
import type { PriceOf } from './prices.js';
import { type DayRange, rangeOf } from './range.js';
import type { SummedUsage, UsageFilter, UsageStore } from './store.js';
import { groupedBy, mostUsedFirst, sumOf } from './sums-of-rows.js';

interface Parts {
  store: Pick<UsageStore, 'daysOf' | 'sums'>;
  members: Pick<MembersService, 'byIds'>;
  /** Returns the prices of now. */
  prices: () => Promise<PriceOf>;
  /** Returns the titles of those sessions that are open rooms. Members alone know the titles of private ones. */
  titles: (session_ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  clock: Clock;
}

/** Limit of the entries of each list. */
const max_entries = 200;

/** Sums the usage of all AI employees by day, employee, model, member and room. */
export class UsageSummaries {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async summary({ from, to, session_id, ...filter }: UsageQuery): Promise<UsageSummary> {
    const { store, prices, clock } = this.#parts;
    const range = rangeOf({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }, clock.now());
    const where = { ...filter, ...(session_id === undefined ? {} : { room_id: session_id }) };
    const priceOf = await prices();
    const [rows, byMember, byRoom] = await Promise.all([
      this.#days(range, where),
      store.sums('requested_by', range, where),
      store.sums('room_id', range, where),
    ]);
    return {
      ...range,
      ...sumOf(rows, priceOf),
      days: groupedBy(rows, 'day', priceOf),
      employees: await this.#named(mostUsed(groupedBy(rows, 'member_id', priceOf)), 'member_id'),
      models: mostUsed(groupedBy(rows, 'model', priceOf)),
      members: await this.#named(mostUsed(groupedBy(byMember, 'requested_by', priceOf)), 'requested_by'),
      rooms: await this.#titled(mostUsed(groupedBy(byRoom, 'room_id', priceOf))),
    };
  }

  /** Only the usage of replies says for whom and where; the sums by day reach further back. */
  #days(range: DayRange, where: UsageFilter): Promise<SummedUsage<'day'>[]> {
    const { store } = this.#parts;
    const isOfReplies = where.requested_by !== undefined || where.room_id !== undefined;
    return isOfReplies ? store.sums('day', range, where) : store.daysOf(range, where);
  }

  async #named<Key extends string, Item extends Record<Key, number | null>>(
    items: readonly Item[],
    key: Key,
  ): Promise<(Item & { name: string | null })[]> {
    const ids = items.flatMap((item) => item[key] ?? []);
    const names = new Map((await this.#parts.members.byIds(ids)).map(({ id, nickname }) => [id, nickname]));
    return items.map((item) => ({ ...item, name: names.get(item[key] ?? 0) ?? null }));
  }

  async #titled<Item extends { room_id: string | null }>(items: readonly Item[]) {
    const titles = await this.#parts.titles(items.flatMap(({ room_id }) => room_id ?? []));
    return items.map(({ room_id, ...used }) => ({ session_id: room_id, title: titles.get(room_id ?? '') ?? null, ...used }));
  }
}

const mostUsed: typeof mostUsedFirst = (items) => mostUsedFirst(items).slice(0, max_entries);
