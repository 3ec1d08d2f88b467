const day_ms = 86_400_000;

/** Returns the day (UTC) of a time, `YYYY-MM-DD`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Returns the start of the following day. */
export function endOf(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) + day_ms).toISOString();
}

/** Returns the day `count` days earlier. */
export function daysBefore(day: string, count: number): string {
  return dayOf(Date.parse(`${day}T00:00:00.000Z`) - count * day_ms);
}

/** Returns the number of days between two days. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / day_ms);
}

const shape = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Parses an ISO 8601 date or time to milliseconds; UTC if it has no zone. Undefined for anything else. */
export function readTime(text: string): number | undefined {
  const found = shape.exec(text);
  if (!found) return undefined;
  const time = Date.parse(text.length > 10 && found[1] === undefined ? `${text.replace(' ', 'T')}Z` : text);
  return Number.isNaN(time) ? undefined : time;
}
