import { fail } from '../../kernel/contract/index.js';

const min = 8;
const max = 256;

/**
 * Normalises a password before it is hashed or compared, so that it is the same however a keyboard composes its
 * characters: any space becomes a blank, and the text NFKC. OpaqueString of RFC 8265 with NFKC instead of NFC, so that
 * full-width letters equal normal ones.
 */
export function normalPassword(password: string): string {
  return password.replace(/\p{Zs}/gu, ' ').normalize('NFKC');
}

/** Validates a new password. Fails with `invalid_input` at `path` if it is too short or too long, in characters after normalisation. */
export function assertPassword(password: string, path: string): void {
  const { length } = Array.from(normalPassword(password));
  if (length >= min && length <= max) return;
  const message = `A password has ${min} to ${max} characters, but this has ${length}`;
  throw fail('invalid_input', message, { details: [{ path, message }] });
}
