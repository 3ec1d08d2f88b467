import type { Clock } from '../../../kernel/contract/index.js';

/** Maximum wait: a notification is stale by then. */
const max_ms = 30 * 60_000;

/** Returns the requested wait in ms, at most 30 minutes; undefined if none was given. */
export function retryAfter(headers: Readonly<Record<string, string>>, clock: Clock): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  // RFC 9110, section 10.2.3: whole seconds, or a date.
  if (/^\d{1,10}$/.test(text)) return afterSeconds(Number(text));
  return text.endsWith(' GMT') ? bounded(Date.parse(text) - clock.now()) : undefined;
}

/** Converts an untrusted number of seconds. */
export function afterSeconds(seconds: unknown): number | undefined {
  return typeof seconds === 'number' ? bounded(seconds * 1_000) : undefined;
}

function bounded(ms: number): number | undefined {
  return Number.isFinite(ms) ? Math.min(Math.max(Math.ceil(ms), 0), max_ms) : undefined;
}
