import { type Log, withoutSecrets } from '../../../kernel/contract/index.js';
import { type Channel, type Delivery, isUndelivered } from '../channels/channel.js';
import { bounded } from '../text.js';

/** How an attempt ended. */
export type Outcome = { accepted: true } | Refusal;

export interface Refusal {
  accepted: false;
  /** A sentence for the member. */
  error: string;
  /** Whether it makes sense to try again. */
  retry: boolean;
  retry_after_ms?: number | undefined;
}

/** Longer than a channel takes by itself; a mail server has 30 s. */
const usual_limit_ms = 40_000;

/** Sends a note once, within 40 s. Never throws but for the reason of `signal`, when that aborts. */
export async function attempt(
  channel: Channel,
  { settings, note, signal }: Delivery,
  { log, limit_ms = usual_limit_ms }: { log: Log; limit_ms?: number },
): Promise<Outcome> {
  const ending = new AbortController();
  const stop = () => ending.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const timer = setTimeout(() => ending.abort(), limit_ms);
  try {
    await untilAborted(channel.send({ settings, note, signal: ending.signal }), ending.signal);
    return { accepted: true };
  } catch (fault) {
    signal.throwIfAborted();
    if (ending.signal.aborted) return refusal(`${channel.title} did not answer within ${limit_ms / 1_000} s`);
    return refusalOf(fault, { channel, settings, log });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function refusalOf(fault: unknown, { channel, settings, log }: Pick<Delivery, 'settings'> & { channel: Channel; log: Log }): Refusal {
  if (isUndelivered(fault)) {
    const { message, retry, retry_after_ms } = fault;
    return { ...refusal(bounded(masked(message, channel, settings), 500)), retry, retry_after_ms };
  }
  // Only what it is: its text may hold what the channel was given.
  log.error('A notification channel failed', { channel: channel.name, fault: fault instanceof Error ? fault.name : typeof fault });
  return refusal(`${channel.title} failed for a reason of its own`);
}

function refusal(error: string): Refusal {
  return { accepted: false, error, retry: true };
}

/** Should a channel tell a secret after all. */
function masked(message: string, { fields }: Channel, settings: Delivery['settings']): string {
  const secrets = fields.filter(({ secret }) => secret).map(({ name }) => settings[name] ?? '');
  return withoutSecrets(message, secrets);
}

/** A channel that doesn't listen to its signal is left behind. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });
  work.catch(() => undefined);
  aborted.catch(() => undefined);
  await Promise.race([work, aborted]);
}
