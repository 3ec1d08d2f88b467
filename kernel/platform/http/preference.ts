import type { Handling } from '../../contract/extension.js';
import type { Incoming, Outgoing } from './incoming.js';

/** Patterns for the header `Prefer` (RFC 7240). Unknown preferences are ignored. */
const respondsAsync = /(?:^|,)\s*respond-async\s*(?:[,;]|$)/i;
const handling = /(?:^|,)\s*handling\s*=\s*"?([a-z]+)"?/i;

/** Returns whether the client wants a response before the work is done. */
export function prefersAsync({ headers }: Incoming): boolean {
  return headers.prefer !== undefined && respondsAsync.test(String(headers.prefer));
}

/** Returns how to handle unknown fields of the body. The response confirms strict handling. */
export function handlingOf({ headers }: Incoming, res: Outgoing): Handling {
  if (headers.prefer === undefined || handling.exec(String(headers.prefer))?.[1]?.toLowerCase() !== 'strict') return 'lenient';
  res.setHeader('Preference-Applied', 'handling=strict');
  return 'strict';
}

const max_names = 20;
const max_bytes = 1_024;
const max_name_length = 80;

/** Lists the dropped fields of the body in the header `X-Ignored-Fields`: percent-encoded, as many as fit. */
export function nameIgnoredFields(res: Outgoing, names: readonly string[]): void {
  let list = '';
  for (const name of names.slice(0, max_names)) {
    const text = encodeURIComponent(name.length > max_name_length ? `${name.slice(0, max_name_length).toWellFormed()}…` : name);
    const longer = list === '' ? text : `${list}, ${text}`;
    if (longer.length > max_bytes) break;
    list = longer;
  }
  if (list !== '') res.setHeader('X-Ignored-Fields', list);
}
