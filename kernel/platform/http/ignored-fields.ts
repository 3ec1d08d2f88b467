import type { Outgoing } from './incoming.js';

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
