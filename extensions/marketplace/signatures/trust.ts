import {
  type BundleSignature,
  type Caller,
  type Clock,
  type Database,
  type Extensions,
  isUniqueViolation,
} from '../../../kernel/contract/index.js';
import type { TrustedKeyStore } from '../store/trusted-keys.js';
import { fail } from './codes.js';
import type { NewTrustedKey, TrustedKey, TrustedKeyPage } from './contract.js';

export interface TrustParts {
  db: Database;
  keys: TrustedKeyStore;
  extensions: Pick<Extensions, 'isSigned' | 'isSigningKey'>;
  clock: Clock;
  /** Whether only what a trusted key has signed may be approved and installed. */
  required: boolean;
}

/** A version as far as its signature is concerned. */
export interface SignedVersion {
  id: string;
  version: string;
  content_hash: string;
  /** Null where it isn't signed. */
  signature: BundleSignature | null;
}

const max_keys = 200;

/** Whose signatures count here. */
export class Trust {
  readonly #parts: TrustParts;

  constructor(parts: TrustParts) {
    this.#parts = parts;
  }

  /** Fails with `signature_invalid` where a version has a signature that isn't one of it. */
  assertProven({ signature, ...bundle }: SignedVersion): void {
    if (signature === null || this.#parts.extensions.isSigned(bundle, signature)) return;
    throw fail(
      'signature_invalid',
      `The signature is not one of ${bundle.id} ${bundle.version} with ${bundle.content_hash} by the key ${quoted(signature.public_key)}`,
    );
  }

  /** Fails as {@link assertProven} does, and with `signature_untrusted` where it takes a trusted key to approve or install it. */
  async assertTrusted(version: SignedVersion): Promise<void> {
    this.assertProven(version);
    if (!this.#parts.required) return;
    const { id, version: number, signature } = version;
    if (signature === null) {
      throw fail(
        'signature_untrusted',
        `${id} ${number} is not signed, and here only what a trusted key has signed is approved and installed: let its publisher sign it`,
      );
    }
    if (await this.#parts.keys.has(signature.public_key)) return;
    throw fail(
      'signature_untrusted',
      `${id} ${number} is signed by the key ${signature.public_key}, which is not trusted here: an administrator who knows whose it is ` +
        'can add it to the trusted keys',
    );
  }

  /** The signature of what a source announces, as far as it is one of that; null where there is none. */
  provenOf({ id, version, content_hash, signature }: Omit<SignedVersion, 'signature'> & { signature?: BundleSignature | undefined }) {
    if (signature === undefined) return null;
    return this.#parts.extensions.isSigned({ id, version, content_hash }, signature) ? signature : null;
  }

  /** The name under which the key of a signature, a proven one, is trusted; null where it isn't. */
  async nameOf(signature: BundleSignature | null): Promise<string | null> {
    return signature === null ? null : ((await this.#parts.keys.find(signature.public_key))?.name ?? null);
  }

  async list(): Promise<TrustedKeyPage> {
    const items = await this.#parts.keys.all();
    return { items, total: items.length };
  }

  /** Fails with `key_invalid`, `key_trusted` and `too_many_keys`. */
  async add({ name, public_key }: NewTrustedKey, { member_id, username }: Caller): Promise<TrustedKey> {
    const { db, keys, extensions, clock } = this.#parts;
    if (!extensions.isSigningKey(public_key)) {
      throw fail(
        'key_invalid',
        `${quoted(public_key)} is not the base64 of an Ed25519 key's 32 bytes, or a key for which everybody can sign`,
      );
    }
    const added = db.transaction(async () => {
      if ((await keys.count()) >= max_keys) throw fail('too_many_keys', `At most ${max_keys} keys can be trusted: remove one first`);
      return keys.insert({ name, public_key, added_by: { member_id, username }, created_at: clock.iso() });
    });
    return added.catch(async (fault: unknown) => {
      if (!isUniqueViolation(fault)) throw fault;
      throw fail('key_trusted', `The key ${public_key} is trusted already, as '${(await keys.find(public_key))?.name ?? ''}'`);
    });
  }

  /** What was installed before stays. Fails with `key_not_found`. */
  async remove(id: number): Promise<undefined> {
    if (!(await this.#parts.keys.delete(id))) throw fail('key_not_found', `There is no trusted key ${id}`);
    return undefined;
  }
}

/** Not looked at before: whatever a caller has sent. */
function quoted(text: string): string {
  return `'${text.replace(/[^A-Za-z0-9+/=]/g, '?').slice(0, 60)}'`;
}
