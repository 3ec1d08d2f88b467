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
  /** Whether only versions signed by a trusted key may be approved and installed. */
  required: boolean;
  /** Names a new key in the audit trail, because the operation's path doesn't. */
  about: (id: number) => void;
}

/** Fields of a version that its signature covers. */
export interface SignedVersion {
  id: string;
  version: string;
  content_hash: string;
  /** Null if unsigned. */
  signature: BundleSignature | null;
}

const max_keys = 200;

/** Manages the trusted keys and verifies signatures. */
export class Trust {
  readonly #parts: TrustParts;

  constructor(parts: TrustParts) {
    this.#parts = parts;
  }

  /** Verifies a version's signature, if it has one. Fails with `signature_invalid`. */
  assertValidSignature({ signature, ...bundle }: SignedVersion): void {
    if (signature === null || this.#parts.extensions.isSigned(bundle, signature)) return;
    throw fail(
      'signature_invalid',
      `The signature does not match ${bundle.id} ${bundle.version} with ${bundle.content_hash} and the key ${quoted(signature.public_key)}`,
    );
  }

  /**
   * Verifies a version like {@link assertValidSignature}, and fails with `signature_untrusted` if a trusted key is required to
   * approve or install it.
   */
  async assertTrusted(version: SignedVersion): Promise<void> {
    this.assertValidSignature(version);
    if (!this.#parts.required) return;
    const { id, version: number, signature } = version;
    if (signature === null) {
      throw fail(
        'signature_untrusted',
        `${id} ${number} is not signed, and this platform requires a signature by a trusted key: ask its publisher to sign it`,
      );
    }
    if (await this.#parts.keys.has(signature.public_key)) return;
    throw fail(
      'signature_untrusted',
      `${id} ${number} is signed by the key ${signature.public_key}, which is not trusted here: an administrator who knows its owner ` +
        'can add it to the trusted keys',
    );
  }

  /** Returns the signature announced by a source if it is valid; null otherwise. */
  validSignatureOf({
    id,
    version,
    content_hash,
    signature,
  }: Omit<SignedVersion, 'signature'> & { signature?: BundleSignature | undefined }) {
    if (signature === undefined) return null;
    return this.#parts.extensions.isSigned({ id, version, content_hash }, signature) ? signature : null;
  }

  /** Returns the name under which the key of a verified signature is trusted; null if it isn't. */
  async nameOf(signature: BundleSignature | null): Promise<string | null> {
    return signature === null ? null : ((await this.#parts.keys.find(signature.public_key))?.name ?? null);
  }

  async list(): Promise<TrustedKeyPage> {
    const items = await this.#parts.keys.all();
    return { items, total: items.length };
  }

  /** Adds a key. Fails with `key_invalid`, `key_trusted` and `too_many_keys`. */
  async add({ name, public_key }: NewTrustedKey, { member_id, username }: Caller): Promise<TrustedKey> {
    const { db, keys, extensions, clock, about } = this.#parts;
    if (!extensions.isSigningKey(public_key)) {
      throw fail(
        'key_invalid',
        `${quoted(public_key)} is not the base64 of an Ed25519 key's 32 bytes, or is a weak key that anyone can sign for`,
      );
    }
    const added = db.transaction(async () => {
      if ((await keys.count()) >= max_keys) throw fail('too_many_keys', `At most ${max_keys} keys can be trusted: remove one first`);
      const inserted = await keys.insert({ name, public_key, added_by: { member_id, username }, created_at: clock.iso() });
      about(inserted.id);
      return inserted;
    });
    return added.catch(async (fault: unknown) => {
      if (!isUniqueViolation(fault)) throw fault;
      throw fail('key_trusted', `The key ${public_key} is already trusted as '${(await keys.find(public_key))?.name ?? ''}'`);
    });
  }

  /** Removes a key; installed extensions stay. Fails with `key_not_found`. */
  async remove(id: number): Promise<undefined> {
    if (!(await this.#parts.keys.delete(id))) throw fail('key_not_found', `There is no trusted key ${id}`);
    return undefined;
  }
}

/** Quotes unvalidated input. */
function quoted(text: string): string {
  return `'${text.replace(/[^A-Za-z0-9+/=]/g, '?').slice(0, 60)}'`;
}
