import { fail } from '../../contract/failure.js';

/** Percent-encodings of characters that need none in a path segment (RFC 3986, pchar), in upper case. */
const needless = /%(?:2[146-9A-E]|3[\dABD]|4[\dA-F]|5[\dAF]|6[1-9A-F]|7[\dAE])/g;

/**
 * The path of a request target (`/a/b?c`) in the form in which hapi routes it, so that front and cell
 * never disagree about whose request it is: hapi does this inside a server, which is known only by the path. Fails with `malformed_request` for encodings that aren't UTF-8.
 */
export function normalPath(target: string): string {
  const end = target.search(/[?#]/);
  const path = end === -1 ? target : target.slice(0, end);
  if (target.includes('%')) assertEncoding(target);
  const decoded = path.includes('%') ? decodeNeedless(path) : path;
  return decoded.includes('/.') ? withoutDots(decoded) : decoded;
}

/**
 * The target of a request line as a path and query: `http://host/path`, as clients of a proxy send it, loses its origin.
 */
export function originForm(target: string): string {
  if (target[0] === '/') return target;
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) throw fail('malformed_request', 'The address of the request is not valid');
  const url = new URL(target);
  return url.pathname + url.search;
}

/** A NUL is text for no database, and an encoding that isn't UTF-8 would be read as other text than was meant. */
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
