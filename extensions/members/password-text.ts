import { fail } from '../../kernel/contract/index.js';

const min = 8;
const max = 256;

/**
 * A password as it is hashed and compared, so that it is the same however a keyboard composes its characters: any space is a blank, and
 * the text is in NFKC. That is OpaqueString of RFC 8265 with NFKC for NFC, so that full-width letters are letters as well.
 */
export function normalPassword(password: string): string {
  return password.replace(/\p{Zs}/gu, ' ').normalize('NFKC');
}

/** Fails with `invalid_input` at `path` if a new password is too short or too long, in characters after normalisation. */
export function assertPassword(password: string, path: string): void {
  const { length } = Array.from(normalPassword(password));
  if (length >= min && length <= max) return;
  const message = `A password has ${min} to ${max} characters, but this has ${length}`;
  throw fail('invalid_input', message, { details: [{ path, message }] });
}
