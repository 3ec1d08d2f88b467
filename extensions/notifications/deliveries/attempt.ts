import { type Log, untilAborted, withoutSecrets } from '../../../kernel/contract/index.js';
import { type Channel, type Delivery, isUndelivered } from '../channels/channel.js';
import { bounded } from '../text.js';

/** Result of an attempt. */
export type Outcome = { accepted: true } | Refusal;

export interface Refusal {
  accepted: false;
  /** A sentence for the member. */
  error: string;
  /** Whether a retry makes sense. */
  retry: boolean;
  retry_after_ms?: number | undefined;
}

/** Longer than any channel's own timeout; a mail server has 30 s. */
const default_limit_ms = 40_000;

/** Makes one attempt of at most 40 s. Throws only if `signal` aborts, with its reason. */
export async function attempt(
  channel: Channel,
  { settings, note, signal }: Delivery,
  { log, limit_ms = default_limit_ms }: { log: Log; limit_ms?: number },
): Promise<Outcome> {
  const timedOut = new AbortController();
  const timer = setTimeout(() => timedOut.abort(), limit_ms);
  const combined = AbortSignal.any([signal, timedOut.signal]);
  try {
    await untilAborted(channel.send({ settings, note, signal: combined }), combined);
    return { accepted: true };
  } catch (fault) {
    signal.throwIfAborted();
    if (timedOut.signal.aborted) return refusal(`${channel.title} did not answer within ${limit_ms / 1_000} s`);
    return refusalOf(fault, { channel, settings, log });
  } finally {
    clearTimeout(timer);
  }
}

function refusalOf(fault: unknown, { channel, settings, log }: Pick<Delivery, 'settings'> & { channel: Channel; log: Log }): Refusal {
  if (isUndelivered(fault)) {
    const { message, retry, retry_after_ms } = fault;
    return { ...refusal(bounded(masked(message, channel, settings), 500)), retry, retry_after_ms };
  }
  // Logs only the fault's name: its message may contain the channel's settings.
  log.error('A notification channel failed', { channel: channel.name, fault: fault instanceof Error ? fault.name : typeof fault });
  return refusal(`${channel.title} failed unexpectedly; see the server log`);
}

function refusal(error: string): Refusal {
  return { accepted: false, error, retry: true };
}

/** Masks secrets in case a channel's message contains one. */
function masked(message: string, { fields }: Channel, settings: Delivery['settings']): string {
  const secrets = fields.filter(({ secret }) => secret).map(({ name }) => settings[name] ?? '');
  return withoutSecrets(message, secrets);
}
