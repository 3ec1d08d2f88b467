import { createHash } from 'node:crypto';

/** Key that an SSH host must present: the whole key or its fingerprint. */
export interface PinnedKey {
  /** Type of the key; undefined if only the fingerprint is known. */
  type: string | undefined;
  /** `SHA256:` and base64 without padding, as `ssh-keygen -l` prints it. */
  fingerprint: string;
}

const keyFormats =
  'must be the host\'s key as "ssh-ed25519 AAAA…" or its fingerprint "SHA256:…", as ssh-keyscan and ssh-keygen -l print them';

/** Returns the error in a pinned key; undefined if it is valid. */
export function hostKeyFault(text: string): string | undefined {
  return pinnedKey(text) ? undefined : keyFormats;
}

/** Parses a line of a `known_hosts` file without its host, or a fingerprint. */
export function pinnedKey(text: string): PinnedKey | undefined {
  const [first = '', second = ''] = text.trim().split(/\s+/);
  if (/^SHA256:[A-Za-z0-9+/]{43}=?$/.test(first)) return { type: undefined, fingerprint: first.replace(/=$/, '') };
  const key = Buffer.from(second, 'base64');
  return first !== '' && typeOf(key) === first ? { type: first, fingerprint: fingerprintOf(key) } : undefined;
}

/** Returns a key's type: a key begins with its name (RFC 4253, 6.6). */
export function typeOf(key: Buffer): string | undefined {
  const length = key.length < 4 ? 0 : key.readUInt32BE(0);
  return length > 0 && length <= 64 && key.length > 4 + length ? key.toString('latin1', 4, 4 + length) : undefined;
}

export function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}
