import type { Clock, Database } from '../../kernel/contract/index.js';
import type { MembersService } from '../members/contract.js';
import type { AnnouncedNotification } from './announcer.js';
import type { About, Kind, Notice } from './contract.js';
import { delivers, externalChannelsFor, type Preference, web } from './preferences/preference.js';
import type { Deliveries } from './store/deliveries-sql.js';
import type { Items, NewItem } from './store/items-sql.js';
import type { MemberRows } from './store/members.js';
import { bounded, digestOf } from './text.js';

interface Parts {
  db: Database;
  clock: Clock;
  members: MembersService;
  rows: MemberRows;
  items: Items;
  deliveries: Deliveries;
  /** Announces to the members' devices; called after the commit. */
  announce: (announced: readonly AnnouncedNotification[]) => void;
  /** Starts these deliveries; called after the commit. */
  deliver: (ids: readonly number[]) => void;
}

/** Repetitions within this time are counted instead of notified again. */
const repeat_window_ms = 10 * 60_000;
/** Number of members served by one statement. */
const batch_size = 200;

/** Creates notifications. */
export class Notifier {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Joins the current transaction. Returns the ids, including those whose count was raised, in the members' order. */
  async notify({
    to,
    source,
    kind = 'notice',
    about = {},
    title,
    summary,
    link,
    key,
    until_read = false,
    replaces,
    filter,
  }: Notice): Promise<number[]> {
    const { db, clock } = this.#parts;
    const fingerprint = key === undefined ? digestOf('text', source, title, summary) : digestOf('key', key);
    const text = { title: bounded(title, 200), summary: bounded(summary, 4_000), link: link ?? null };
    return db.transaction(async () => {
      const members = await this.#people(to);
      const ids: number[] = [];
      for (let start = 0; start < members.length; start += batch_size) {
        const item = { source, kind, about: withoutNulls(about), ...text, sameness: fingerprint, created_at: clock.iso() };
        ids.push(...(await this.#add(members.slice(start, start + batch_size), item, { until_read, replaces, filter })));
      }
      return ids;
    });
  }

  /** AI employees get no notifications. */
  async #people(to: Notice['to']): Promise<number[]> {
    const { members } = this.#parts;
    const found = to === 'admins' ? await members.admins() : await members.byIds(to);
    return found.filter(({ is_virtual }) => !is_virtual).map(({ id }) => id);
  }

  async #add(
    receivers: readonly number[],
    item: NewItem,
    { until_read, replaces, filter }: Pick<Notice, 'until_read' | 'replaces' | 'filter'>,
  ): Promise<number[]> {
    const { db, clock, rows, items, deliveries, announce, deliver } = this.#parts;
    const preferences = await rows.lockAll(receivers);
    const preferencesOf = (member_id: number): Preference => preferences.get(member_id) ?? new Map();
    const members = filter ? await filter(receivers) : receivers;
    if (members.length === 0) return [];
    const since = until_read ? '' : new Date(clock.now() - repeat_window_ms).toISOString();
    const replaced = replaces ? await items.replace(members, item, replaces) : [];
    const counted = await items.countUp(members, item.sameness, since);
    const countedMembers = new Set(counted.map(({ member_id }) => member_id));
    const fresh = members.filter((id) => !countedMembers.has(id));
    const added = fresh.length === 0 ? [] : await items.insert(fresh, item);
    const jobs = added.flatMap(({ member_id, notification: { id } }) =>
      externalChannelsFor(preferencesOf(member_id), item).map((channel) => ({ notification_id: id, member_id, channel })),
    );
    const more = replaced.flatMap(({ member_id, id: notification_id }) =>
      externalChannelsFor(preferencesOf(member_id), item)
        .filter((channel) => !delivers(preferencesOf(member_id), channel, { source: item.source, kind: replaces as Kind }))
        .map((channel) => ({ notification_id, member_id, channel })),
    );
    const ids = await deliveries.insert([...jobs, ...more]);
    const all = [...counted, ...added].sort((one, other) => one.member_id - other.member_id);
    db.afterCommit(() => {
      announce(all.filter(({ member_id }) => delivers(preferencesOf(member_id), web, item)));
      if (ids.length > 0) deliver(ids);
    });
    return all.map(({ notification }) => notification.id);
  }
}

/** Removes null ids. */
function withoutNulls(about: Partial<About>): Partial<About> {
  return Object.fromEntries(Object.entries(about).filter(([, id]) => id !== null && id !== undefined));
}
