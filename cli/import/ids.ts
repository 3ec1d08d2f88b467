import { createHash } from 'node:crypto';

const max_length = 180;

/** Returns an id of fixed length for a record that has none of its own. It is the same for equal parts. */
export function idOf(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 32);
}

/** Returns an id of an export, shortened if it is longer than ids of imports may be. */
export function boundedId(id: string): string {
  return id !== '' && id.length <= max_length ? id : idOf(id);
}
