import { type Clock, fail as coreFail, type Log } from '../../../kernel/contract/index.js';
import type { Directory } from '../channels/directory.js';
import { fail } from '../codes.js';
import type { ChannelTest } from '../contract.js';
import { noSubject } from '../kinds.js';
import { web } from '../preferences/preference.js';
import type { Preferences } from '../preferences/preferences.js';
import type { MemberRows } from '../store/members.js';
import { attempt, type Outcome } from './attempt.js';

interface Parts {
  rows: MemberRows;
  directory: Directory;
  preferences: Preferences;
  clock: Clock;
  log: Log;
  /** Whether the member has a connected device. */
  isOnline: (member_id: number) => Promise<boolean>;
}

/** Limit per member, across all instances. */
const test_limit = { max: 5, window_ms: 60_000 };

/** Sends a test notification immediately so that a member sees whether a channel works. */
export class ChannelTester {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Makes one attempt and stores nothing. Fails with `channel_not_found`, with `channel_not_set_up` if a setting is
   * missing, and with `rate_limited` after five in a minute.
   */
  async run(member_id: number, name: string, signal: AbortSignal): Promise<ChannelTest> {
    const { clock } = this.#parts;
    const send = await this.#prepare(member_id, name);
    await this.#countUse(member_id);
    const started = clock.now();
    const outcome = await send(signal);
    return {
      channel: name,
      accepted: outcome.accepted,
      error: outcome.accepted ? null : outcome.error,
      duration_ms: Math.max(0, clock.now() - started),
    };
  }

  async #prepare(member_id: number, name: string): Promise<(signal: AbortSignal) => Promise<Outcome>> {
    const { rows, directory, preferences, clock, log } = this.#parts;
    if (name === web) return () => this.#showInDashboard(member_id);
    const channel = directory.find(name);
    if (!channel) throw fail('channel_not_found', `There is no channel '${name}'`);
    const preference = (await rows.preferencesOf(member_id)).get(name);
    const settings = preference && preferences.settingsOf(preference);
    const missing = preference && preferences.missing(channel, preference);
    if (!settings || missing) {
      const missingFields = missing ? `: it lacks ${missing.label}` : '';
      throw fail('channel_not_set_up', `The channel '${name}' is not set up${missingFields}. Save its settings first`);
    }
    const summary = 'This is a test. If you can read it, notifications reach you here.';
    // A unique number: receivers ignore what they have received already.
    const text = { source: 'system', kind: 'notice', title: 'Test notification', summary } as const;
    const note = { id: clock.now(), ...text, created_at: clock.iso(), url: null, link: null, about: noSubject };
    return (signal) => attempt(channel, { settings, note, signal }, { log });
  }

  async #showInDashboard(member_id: number): Promise<Outcome> {
    if (await this.#parts.isOnline(member_id)) return { accepted: true };
    return { accepted: false, error: 'None of your devices is connected at the moment', retry: true };
  }

  async #countUse(member_id: number): Promise<void> {
    const { rows, clock } = this.#parts;
    const wait_ms = await rows.lock(member_id, () => rows.countTest(member_id, clock.now(), test_limit));
    if (wait_ms === undefined) return;
    const retry_after = Math.max(1, Math.ceil(wait_ms / 1_000));
    throw coreFail('rate_limited', `At most ${test_limit.max} channel tests per minute are allowed; try again in ${retry_after} seconds`, {
      retry_after,
    });
  }
}
