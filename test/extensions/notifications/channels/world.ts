import type { Test } from 'tap';
import { builtinChannels, type ChannelOptions } from '../../../../extensions/notifications/channels/builtin.js';
import type { Note, Undelivered } from '../../../../extensions/notifications/channels/channel.js';
import { noSubject } from '../../../../extensions/notifications/kinds.js';
import type { Clock } from '../../../../kernel/contract/index.js';
import type { GuardOptions } from '../../../../kernel/platform/net/guard.js';
import { createFetch } from '../../../../kernel/platform/net/guarded-fetch.js';

export type Settings = Readonly<Record<string, string>>;

export interface World {
  /** Sends by the channel of that name. */
  readonly send: (channel: string, settings: Settings, note?: Partial<Note>, signal?: AbortSignal) => Promise<void>;
  /** Sends, and gives why it failed; a delivery that succeeds fails the test. */
  readonly refused: (channel: string, settings: Settings, note?: Partial<Note>, signal?: AbortSignal) => Promise<Undelivered>;
}

export interface WorldOptions extends Partial<Omit<ChannelOptions, 'fetch'>> {
  /** Option of the guarded fetch; by default 127.0.0.1 is allowed as well. */
  guard?: Partial<GuardOptions>;
}

export const clock: Clock = { now: () => Date.now(), iso: () => new Date().toISOString() };

export const note: Note = {
  id: 12,
  source: 'schedule',
  kind: 'run_failed',
  title: 'The nightly report failed',
  summary: 'Step 2 of 3 ended with 1.\nNobody was called.',
  created_at: '2026-03-04T05:06:07.890Z',
  url: 'https://work.example/notifications/12',
  link: 'https://work.example/notifications/12',
  about: { ...noSubject, schedule_id: 7, run_id: 70 },
};

/** The built-in channels over the real guarded fetch. */
export function openChannels(t: Test, { guard = {}, smtp, ...options }: WorldOptions = {}): World {
  const fetch = createFetch({ allow: ['127.0.0.1'], ...guard });
  t.teardown(() => fetch.close());
  const channels = new Map(builtinChannels({ fetch, smtp, clock, ...options }).map((channel) => [channel.name, channel]));
  const send: World['send'] = async (name, settings, change = {}, signal = new AbortController().signal) => {
    await channels.get(name)?.send({ settings, note: { ...note, ...change }, signal });
  };
  const refused: World['refused'] = async (...given) => {
    try {
      await send(...given);
    } catch (thrown) {
      return thrown as Undelivered;
    }
    throw new Error(`The delivery by ${given[0]} succeeded`);
  };
  return { send, refused };
}
