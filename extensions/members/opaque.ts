import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits as 43 characters that are safe in a URL. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** A random name of 22 characters for something that is no secret by itself. */
export function newId(): string {
  return randomBytes(16).toString('base64url');
}

/** How a secret of {@link newSecret} is stored: it is long and random, so that a plain SHA-256 is enough. */
export function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** A secret with a mark behind it that only the holder of `key` can make. */
export function newMarked(key: string): string {
  const secret = newSecret();
  return `${secret}.${mark(key, secret)}`;
}

/** Whether a text came from {@link newMarked} with that key, ever. */
export function isMarked(key: string, text: string): boolean {
  const [secret = '', given = '', ...rest] = text.split('.');
  // As text: to the decoder several texts are the same bytes.
  const wanted = Buffer.from(mark(key, secret));
  const found = Buffer.from(given);
  return rest.length === 0 && found.length === wanted.length && timingSafeEqual(found, wanted);
}

function mark(key: string, secret: string): string {
  return createHmac('sha256', key).update(secret).digest('base64url');
}

const letters = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A password of 80 random bits and more that can be read aloud: `k3vq-9w2m-…`, without letters that look alike. */
export function newPassword(): string {
  const fair = [...randomBytes(64)].filter((byte) => byte < letters.length * 8).slice(0, 20);
  const text = fair.map((byte) => letters[byte % letters.length]).join('');
  return text.match(/.{4}/g)?.join('-') ?? newPassword();
}
