import { createHash, timingSafeEqual } from 'node:crypto';
import { fail } from '../../contract/failure.js';

/**
 * The key of the local socket, sent as `Authorization: Local <key>`. The socket's mode alone is not
 * trusted: plugins may run as the same user.
 */
export class LocalKey {
  readonly #digest: Buffer;

  constructor(key: string) {
    this.#digest = digest(key);
  }

  /** Fails unless the header carries the key; takes the same time for every wrong one. */
  check(authorization: string | undefined): void {
    const given = /^Local (\S+)$/i.exec(authorization ?? '')?.[1];
    if (given === undefined) throw fail('unauthenticated', 'The local socket wants "Authorization: Local <key>"');
    if (!timingSafeEqual(digest(given), this.#digest)) throw fail('invalid_token', 'The key is not that of this server');
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
