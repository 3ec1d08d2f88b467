const shape = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?(Z|[+-]\d{2}:?\d{2})?$/i;

/** Parses an ISO 8601 time to `YYYY-MM-DDTHH:mm:ss.sssZ`; UTC if it has no zone. Undefined for anything else. */
export function readTimestamp(text: string): string | undefined {
  const found = shape.exec(text.trim());
  if (!found) return undefined;
  const zoned = found[1] === undefined && text.trim().length > 10 ? `${text.trim()}Z` : text.trim();
  const time = new Date(zoned.replace(' ', 'T'));
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

export function isoAfter(now: number, ms: number): string {
  return new Date(now + ms).toISOString();
}
