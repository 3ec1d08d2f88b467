import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Generates 256 random bits as 43 characters that are safe in a URL. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Generates a random name of 22 characters for something that is not secret by itself. */
export function newId(): string {
  return randomBytes(16).toString('base64url');
}

/** Hashes a secret of {@link newSecret} for storage: it is long and random, so a plain SHA-256 is enough. */
export function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Generates a secret followed by a mark that only the holder of `key` can create. */
export function newMarkedSecret(key: string): string {
  const secret = newSecret();
  return `${secret}.${mark(key, secret)}`;
}

/** Returns whether {@link newMarkedSecret} created the text with that key. */
export function hasMark(key: string, text: string): boolean {
  const [secret = '', given = '', ...rest] = text.split('.');
  // Compare as text: several texts decode to the same bytes.
  const expected = Buffer.from(mark(key, secret));
  const found = Buffer.from(given);
  return rest.length === 0 && found.length === expected.length && timingSafeEqual(found, expected);
}

function mark(key: string, secret: string): string {
  return createHmac('sha256', key).update(secret).digest('base64url');
}

const letters = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Generates a password of at least 80 random bits that can be read aloud: `k3vq-9w2m-…`, without letters that look alike. */
export function newPassword(): string {
  const unbiased = [...randomBytes(64)].filter((byte) => byte < letters.length * 8).slice(0, 20);
  const text = unbiased.map((byte) => letters[byte % letters.length]).join('');
  return text.match(/.{4}/g)?.join('-') ?? newPassword();
}
