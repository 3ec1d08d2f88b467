import { type Fields, isRecord } from '../json.js';

/** A reference within one document (JSON Schema, 8.2.3.1). */
const local = /^#(?:\/(.*))?$/;

/**
 * Finds what a `$ref` names in its document; undefined if it is elsewhere or nowhere. Names are looked up as they stand, so that no
 * document reaches what its objects inherit.
 */
export function referred(document: unknown, reference: unknown): unknown {
  const [found, path = ''] = (typeof reference === 'string' && local.exec(reference)) || [];
  if (found === undefined) return undefined;
  const steps = path === '' ? [] : path.split('/').map(unescaped);
  return steps.reduce<unknown>((at, step) => (isRecord(at) || Array.isArray(at) ? own(at as Fields, step) : undefined), document);
}

function own(value: Fields, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** JSON Pointer in a URI fragment (RFC 6901, 6). */
function unescaped(step: string): string {
  let decoded = step;
  try {
    decoded = decodeURIComponent(step);
  } catch {
    // It stands as it is.
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
}
