import { fail } from '../../contract/failure.js';

const shape = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** A time that a client sent, under its key, as it is stored; without a zone it is UTC. Fails with `invalid_input`. */
export function moment<Key extends string>(key: Key, text: string | undefined): { [K in Key]?: string } {
  if (text === undefined) return {};
  const found = shape.exec(text);
  const time = new Date(found && found[2] === undefined && text.length > 10 ? `${text}Z` : text);
  if (found && isDay(found[1] as string) && !Number.isNaN(time.getTime())) return { [key]: time.toISOString() } as { [K in Key]?: string };
  const message = found
    ? `'${key}': there is no date and time '${text}'`
    : `'${key}' must be an ISO 8601 time, as 2026-11-22T20:30:00Z or 2026-11-22`;
  throw fail('invalid_input', message, { details: [{ path: key, message }] });
}

/** Which `Date` would not say: it takes the 30th of February for a day in March. */
function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
