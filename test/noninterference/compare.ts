import { masks } from './masks.js';
import type { Played } from './play.js';
import type { Received } from './readers.js';

/** First difference in what a reader received. */
export interface Difference {
  door: string;
  step: number;
  /** Empty where one run has less. */
  one: string;
  other: string;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** An id that the end of a preview cuts: the quote after it is not the one that ends it. */
const cutUuid = /((?:\w+_)?id(\\+)":\2")[0-9a-f][0-9a-f-]*(?!\2"|[0-9a-f-])/g;
/** Notifications have numbers of their own. */
const notificationId = /(\{\\*"id\\*":)(\d+)(,\\*"source\\*")/g;
/** Schedules and their runs too. */
const scheduleId = /(\\*"id\\*":)(\d+)(,\\*"params\\*")/g;
const runId = /(\\*"id\\*":)(\d+)(,\\*"schedule_id\\*")/g;
const scheduleIds = /(\\*"(schedule|run)_id\\*":)(\d+)/g;
/** Numbers that are ids of members, also in JSON within a text. */
const numberedId = /(\\*"(?:\w+_)?(?:id|by)\\*":\\*"?)(\d+)/g;
const idLists = /(\\*"\w+_ids\\*":)\[([\d,]+)\]/g;
const notificationIds = /(\\*"ids\\*":)\[([\d,]+)\]/g;
const textId = /\b(member|notification|schedule) (\d+)/gi;

/** Compares two runs door by door, up to the step at which something was released. Returns the first difference of each door. */
export function compare(one: Played, other: Played): Difference[] {
  const until = Math.min(one.released_at, other.released_at);
  const [first, second] = [one, other].map((played) => maskedDoors(played, until)) as [Doors, Doors];
  const found: Difference[] = [];
  for (const door of new Set([...first.keys(), ...second.keys()])) {
    const [left, right] = [first.get(door) ?? [], second.get(door) ?? []];
    const at = left.findIndex(({ text }, index) => text !== right[index]?.text);
    const index = at >= 0 ? at : left.length;
    if (at < 0 && left.length >= right.length) continue;
    found.push({ door, step: (left[index] ?? right[index])?.step ?? 0, one: left[index]?.text ?? '', other: right[index]?.text ?? '' });
  }
  return found;
}

type Doors = Map<string, Received[]>;

function maskedDoors(played: Played, until: number): Doors {
  const doors: Doors = new Map();
  for (const [door, records] of played.records.doors) {
    if (door.startsWith('ann ')) continue;
    const rename = new Renaming(played);
    const before = records.filter(({ step }) => step < until);
    const shown = door.endsWith(' frames unread') ? lastOfSteps(before) : before;
    doors.set(
      door,
      shown.map(({ step, text }) => ({ step, text: rename.in(text) })),
    );
  }
  // The log has no steps.
  if (until !== Number.POSITIVE_INFINITY) doors.delete('log lines');
  return doors;
}

/**
 * Keeps the last count of each session and step. A reader marks several messages as read at once if they come fast, so how many counts lie
 * between depends on time.
 */
function lastOfSteps(records: readonly Received[]): Received[] {
  const last = new Map<string, Received>();
  for (const record of records) {
    const { session_id } = JSON.parse(record.text) as { session_id: string };
    const key = `${record.step} ${session_id}`;
    last.delete(key);
    last.set(key, record);
  }
  return [...last.values()];
}

/** Replaces ids by names: those that steps have kept by theirs, others by their order at this door. */
class Renaming {
  readonly #played: Played;
  readonly #seen = new Map<string, string>();

  constructor(played: Played) {
    this.#played = played;
  }

  in(text: string): string {
    const { tag, names } = this.#played;
    const masked = masks.reduce((left, { pattern, by }) => left.replaceAll(pattern, by), text.replaceAll(tag, '<run>'));
    return masked
      .replaceAll(uuid, (id) => names.get(id) ?? this.#nameOf(`uuid ${id}`))
      .replaceAll(cutUuid, (_, key: string) => `${key}<cut>`)
      .replaceAll(notificationId, (_, key: string, id: string, rest: string) => `${key}${this.#nameOf(`notification ${id}`)}${rest}`)
      .replaceAll(scheduleId, (_, key: string, id: string, rest: string) => `${key}${this.#nameOf(`schedule ${id}`)}${rest}`)
      .replaceAll(runId, (_, key: string, id: string, rest: string) => `${key}${this.#nameOf(`run ${id}`)}${rest}`)
      .replaceAll(scheduleIds, (_, key: string, kind: string, id: string) => `${key}${this.#nameOf(`${kind} ${id}`)}`)
      .replaceAll(numberedId, (_, key: string, id: string) => `${key}${this.#number(id)}`)
      .replaceAll(idLists, (_, key: string, ids: string) => `${key}[${this.#each(ids, (id) => this.#number(id))}]`)
      .replaceAll(
        notificationIds,
        (_, key: string, ids: string) => `${key}[${this.#each(ids, (id) => this.#nameOf(`notification ${id}`))}]`,
      )
      .replaceAll(textId, (_, kind: string, id: string) => `${kind} ${this.#numberOf(kind.toLowerCase(), id)}`);
  }

  #each(ids: string, name: (id: string) => string): string {
    return ids.split(',').map(name).join(',');
  }

  #number(id: string): string {
    return this.#played.members.get(Number(id)) ?? this.#nameOf(`number ${id}`);
  }

  #numberOf(kind: string, id: string): string {
    return kind === 'member' ? this.#number(id) : this.#nameOf(`${kind} ${id}`);
  }

  #nameOf(id: string): string {
    const name = this.#seen.get(id) ?? `<${id.split(' ')[0]}#${this.#seen.size + 1}>`;
    this.#seen.set(id, name);
    return name;
  }
}
