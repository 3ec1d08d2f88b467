const shape = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?(Z|[+-]\d{2}:?\d{2})?$/i;

/** An ISO 8601 time as `YYYY-MM-DDTHH:mm:ss.sssZ`; without a zone it means UTC. Undefined for anything else. */
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
