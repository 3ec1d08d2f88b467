import { fail } from '../../contract/failure.js';

/** Percent-encodings of characters that don't need one in a path segment (RFC 3986, pchar), in upper case. */
const needless = /%(?:2[146-9A-E]|3[\dABD]|4[\dA-F]|5[\dAF]|6[1-9A-F]|7[\dAE])/g;

/**
 * Normalises the path of a request target (`/a/b?c`) as hapi does, so that front and cell always agree on the
 * route: hapi does it inside a server, but the server is chosen by the path. Fails with `malformed_request` for encodings that aren't UTF-8.
 */
export function normalPath(target: string): string {
  const end = target.search(/[?#]/);
  const path = end === -1 ? target : target.slice(0, end);
  if (target.includes('%')) assertEncoding(target);
  const decoded = path.includes('%') ? decodeNeedless(path) : path;
  return decoded.includes('/.') ? withoutDots(decoded) : decoded;
}

/**
 * Converts a request target to path and query: removes the origin from `http://host/path`, as clients of a proxy send it.
 */
export function originForm(target: string): string {
  if (target[0] === '/') return target;
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) throw fail('malformed_request', 'The address of the request is not valid');
  const url = new URL(target);
  return url.pathname + url.search;
}

/** Rejects NUL, which databases don't accept, and encodings that aren't UTF-8, which would be misread. */
function assertEncoding(target: string): void {
  if (target.includes('%00')) throw fail('malformed_request', 'The address of the request contains a NUL character');
  try {
    decodeURIComponent(target);
  } catch {
    throw fail('malformed_request', 'The address of the request is not percent-encoded UTF-8');
  }
}

function decodeNeedless(path: string): string {
  const upper = path.replace(/%[0-9a-fA-F]{2}/g, (code) => code.toUpperCase());
  return upper.replace(needless, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

function withoutDots(path: string): string {
  const kept: string[] = [];
  const segments = path.split('/');
  for (const segment of segments) {
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
  }
  const last = segments.at(-1);
  if (last === '.' || last === '..') kept.push('');
  const joined = kept.join('/');
  return joined[0] === '/' ? joined : `/${joined}`;
}
