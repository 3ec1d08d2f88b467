import { invalidInput } from './codes.js';

const timestamp = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2})?(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?$/i;

/** Parses the time of a page. Fails with `invalid_input`. */
export function parseBefore(text: string, path: 'before' | 'after' = 'before'): string {
  return parseTime(path, text, 'an ISO 8601 time or the id of a message');
}

/**
 * Parses a time sent by a client into the stored format. Without a zone it is UTC. Digits below a millisecond round up, so that "strictly
 * before" includes the truncated millisecond, and are dropped for `after`. `path`: its key in the input. Fails with `invalid_input`.
 */
export function parseTime(path: string, text: string, expected = 'an ISO 8601 time'): string {
  const [matched, day, minute = '00:00', second = ':00', fraction = '', zone = 'Z'] = timestamp.exec(text.trim()) ?? [];
  const digits = fraction.padEnd(3, '0');
  const milliseconds = Date.parse(`${day}T${minute}${second}.${digits.slice(0, 3)}${zone.toUpperCase()}`);
  if (matched === undefined || Number.isNaN(milliseconds)) {
    throw invalidInput(path, `'${path}' must be ${expected} but is '${text.slice(0, 64)}'`);
  }
  const rest = path !== 'after' && /[1-9]/.test(digits.slice(3)) ? 1 : 0;
  return new Date(milliseconds + rest).toISOString();
}
