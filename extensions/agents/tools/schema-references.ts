import { type Fields, isRecord } from '../json.js';

/** Matches a reference within the document (JSON Schema, 8.2.3.1). */
const local = /^#(?:\/(.*))?$/;

/**
 * Resolves a `$ref` in its document; undefined if it is elsewhere or missing. Only own keys are followed, so that no
 * document reaches inherited properties.
 */
export function resolveReference(document: unknown, reference: unknown): unknown {
  const [found, path = ''] = (typeof reference === 'string' && local.exec(reference)) || [];
  if (found === undefined) return undefined;
  const steps = path === '' ? [] : path.split('/').map(unescaped);
  return steps.reduce<unknown>((at, step) => (isRecord(at) || Array.isArray(at) ? ownValue(at as Fields, step) : undefined), document);
}

function ownValue(value: Fields, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Decodes a JSON Pointer in a URI fragment (RFC 6901, 6). */
function unescaped(step: string): string {
  let decoded = step;
  try {
    decoded = decodeURIComponent(step);
  } catch {
    // Keep it unchanged.
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
}
