import type { Clock } from '../../../kernel/contract/index.js';

/** Longest wait that a service may ask for. A notification that is delivered later is stale. */
const max_ms = 30 * 60_000;

/** Reads the header `Retry-After` as a wait in ms, 0 to 30 minutes; undefined if it is missing or malformed. Names of headers are in lower case. */
export function retryAfter(headers: Readonly<Record<string, string>>, clock: Clock): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  // RFC 9110, section 10.2.3: whole seconds, or a date, which ends with GMT. `Date.parse` alone would accept more.
  if (/^\d{1,10}$/.test(text)) return afterSeconds(Number(text));
  return text.endsWith(' GMT') ? bounded(Date.parse(text) - clock.now()) : undefined;
}

/** Converts the seconds that a service asks for to a wait in ms, 0 to 30 minutes; undefined unless they are a number. */
export function afterSeconds(seconds: unknown): number | undefined {
  return typeof seconds === 'number' ? bounded(seconds * 1_000) : undefined;
}

function bounded(ms: number): number | undefined {
  return Number.isFinite(ms) ? Math.min(Math.max(Math.ceil(ms), 0), max_ms) : undefined;
}
