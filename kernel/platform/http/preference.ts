import type { Handling } from '../../contract/extension.js';
import type { Incoming, Outgoing } from './incoming.js';

/** The header `Prefer` (RFC 7240). Preferences that nobody knows are ignored. */
const respondsAsync = /(?:^|,)\s*respond-async\s*(?:[,;]|$)/i;
const handling = /(?:^|,)\s*handling\s*=\s*"?([a-z]+)"?/i;

/** Whether the client asks for an answer before the work is done. */
export function prefersAsync({ headers }: Incoming): boolean {
  return headers.prefer !== undefined && respondsAsync.test(String(headers.prefer));
}

/** How the client wants unknown fields of its body to be handled. The answer says so, if it is strictly. */
export function handlingOf({ headers }: Incoming, res: Outgoing): Handling {
  if (headers.prefer === undefined || handling.exec(String(headers.prefer))?.[1]?.toLowerCase() !== 'strict') return 'lenient';
  res.setHeader('Preference-Applied', 'handling=strict');
  return 'strict';
}

const max_names = 20;
const max_bytes = 1_024;
const max_name_length = 80;

/** Names the fields of the body that were dropped, in the header `X-Ignored-Fields`: percent-encoded, as many as fit. */
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
