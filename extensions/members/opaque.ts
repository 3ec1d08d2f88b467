import { createHash, randomBytes } from 'node:crypto';

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

const letters = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A password of 80 random bits and more that can be read aloud: `k3vq-9w2m-…`, without letters that look alike. */
export function newPassword(): string {
  const fair = [...randomBytes(64)].filter((byte) => byte < letters.length * 8).slice(0, 20);
  const text = fair.map((byte) => letters[byte % letters.length]).join('');
  return text.match(/.{4}/g)?.join('-') ?? newPassword();
}
