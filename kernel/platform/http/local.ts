import { createHash, timingSafeEqual } from 'node:crypto';
import { fail } from '../../contract/failure.js';

/**
 * Checks the key of the local socket, sent as `Authorization: Local <key>`. The socket's mode alone is not
 * enough: plugins may run as the same user.
 */
export class LocalKey {
  readonly #digest: Buffer;

  constructor(key: string) {
    this.#digest = digest(key);
  }

  /** Fails unless the header contains the key. Compares in constant time. */
  check(authorization: string | undefined): void {
    const key = /^Local (\S+)$/i.exec(authorization ?? '')?.[1];
    if (key === undefined) throw fail('unauthenticated', 'The local socket requires "Authorization: Local <key>"');
    if (!timingSafeEqual(digest(key), this.#digest)) throw fail('invalid_token', 'The key does not belong to this server');
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
