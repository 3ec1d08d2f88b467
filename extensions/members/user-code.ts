import { randomInt } from 'node:crypto';

/** Consonants without those that look alike, so that codes are easy to type and spell no words (RFC 8628, section 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const length = 8;

/** Generates a code such as `WDJB-MJHT`: 34 random bits. */
export function newUserCode(): string {
  const text = Array.from({ length }, () => letters[randomInt(letters.length)]).join('');
  return `${text.slice(0, length / 2)}-${text.slice(length / 2)}`;
}

/** Returns a code as it was shown, however it was typed: in any case, with or without its dash. */
export function normalUserCode(typed: string): string {
  const text = typed.toUpperCase().replace(/[^A-Z]/g, '');
  return `${text.slice(0, length / 2)}-${text.slice(length / 2)}`;
}
