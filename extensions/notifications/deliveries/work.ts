import { backOff, type Counter, type Finished, type Log, type Work } from '../../../kernel/contract/index.js';
import type { Note } from '../channels/channel.js';
import type { Directory } from '../channels/directory.js';
import type { About, Notification } from '../contract.js';
import { noSubject } from '../kinds.js';
import type { Preferences } from '../preferences/preferences.js';
import { type Deliveries, type Job, jobTable } from '../store/deliveries-sql.js';
import type { Items } from '../store/items-sql.js';
import type { MemberRows } from '../store/members.js';
import { attempt, type Outcome, type Refusal } from './attempt.js';

export interface DeliveryParts {
  rows: MemberRows;
  items: Items;
  deliveries: Deliveries;
  directory: Directory;
  preferences: Preferences;
  log: Log;
  /** Public address of the platform, without a slash at its end; undefined if it isn't configured. */
  base_url: string | undefined;
  /** Number of attempts by outcome. */
  attempts: Counter;
  /** From 0 to 1. */
  random: () => number;
}

/** Undefined if the job ended before the outcome was known. */
type DeliveryOutcome = Outcome | undefined;

/** Waits before the retries; half an hour in total. */
const max_retries = 8;
const first_ms = 7_000;
const max_retry_after_ms = 30 * 60_000;

/** Delivers notifications to outside channels at least once: a delivery is final only after a channel has accepted it. */
export function deliveryWork(parts: DeliveryParts): Work<Job, Job, DeliveryOutcome> {
  return {
    name: 'deliveries',
    table: jobTable,
    lapsed: 'retry',
    max_running: 20,
    // Longer than any attempt.
    lease_ms: 90_000,
    fairness: { columns: ['member_id', 'channel'], of: ({ member_id, channel }) => [member_id, channel], max_each: 4 },
    load: (rows) => rows.map((row) => ({ ...row, id: Number(row.id), notification_id: Number(row.notification_id) })),
    async perform(job, { signal }) {
      const outcome = await deliver(job, parts, signal);
      if (outcome) parts.attempts.add(outcome.accepted ? 'accepted' : outcome.retry ? 'postponed' : 'refused');
      return outcome;
    },
    settle: (finished) => settle(finished, parts),
  };
}

async function deliver(
  { notification_id, member_id, channel: name }: Job,
  parts: DeliveryParts,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const { rows, items, directory, preferences, log, base_url } = parts;
  const [notification, stored] = await Promise.all([items.find(notification_id, member_id), rows.preferencesOf(member_id)]);
  const preference = stored.get(name);
  const channel = directory.find(name);
  if (!notification) return undefined;
  if (!preference?.enabled) return failedForGood(`The channel '${name}' was disabled`);
  if (!channel) return { ...failedForGood(`The channel '${name}' is not available: its extension is not active`), retry: true };
  const settings = preferences.settingsOf(preference);
  if (!settings) return failedForGood('The secrets of this channel can no longer be decrypted: enter them again');
  try {
    return await attempt(channel, { settings, note: noteOf(notification, base_url), signal }, { log });
  } catch (fault) {
    if (signal.aborted) return undefined;
    throw fault;
  }
}

async function settle(
  finished: readonly Finished<Job, DeliveryOutcome>[],
  { rows, items, deliveries, random }: DeliveryParts,
): Promise<void> {
  await rows.lockAll(finished.map(({ job }) => job.member_id));
  for (const { job, outcome } of finished.toSorted((one, other) => one.job.id - other.job.id)) {
    if (!outcome) {
      await deliveries.release(job);
      continue;
    }
    if (outcome.accepted) {
      await deliveries.accept(job);
      await items.markAccepted(job.notification_id, job.channel);
    } else await deliveries.fail(job, outcome.error, retryAfter(job.attempts, { random: random(), ...outcome }));
    await items.setError(job.notification_id, await deliveries.errorOf(job.notification_id));
  }
}

/**
 * Returns the wait in ms before the retry after the `attempts`th failure: never shorter than the other side asked for,
 * within half an hour; undefined if there is no further retry.
 */
export function retryAfter(
  attempts: number,
  { random, retry = true, retry_after_ms = 0 }: { random: number; retry?: boolean; retry_after_ms?: number | undefined },
): number | undefined {
  if (!retry || attempts > max_retries) return undefined;
  return Math.max(backOff(attempts, { first_ms, jitter: 0.1, random }), Math.min(retry_after_ms, max_retry_after_ms));
}

function failedForGood(error: string): Refusal {
  return { accepted: false, error, retry: false };
}

/** Returns a link that leads to the platform from outside. A path needs the public address; without it there is none. */
function absolute(link: string | null, base_url: string | undefined): string | null {
  if (link === null || /^https?:/i.test(link)) return link;
  return base_url === undefined ? null : `${base_url}${link}`;
}

/** Builds a channel's message from a notification. */
function noteOf(notification: Notification, base_url: string | undefined): Note {
  const { id, source, kind, title, summary, link, created_at } = notification;
  const url = absolute(link, base_url);
  return { id, source, kind, title, summary, created_at: `${created_at}Z`, url, link, about: aboutOf(notification) };
}

function aboutOf(notification: Notification): About {
  const ids = Object.keys(noSubject) as (keyof About)[];
  return Object.fromEntries(ids.map((id) => [id, notification[id]])) as unknown as About;
}
