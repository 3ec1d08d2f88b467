import type { Secrets } from '../../kernel/contract/index.js';
import { fail } from './codes.js';

/** Placeholder for a stored secret in answers; sent back, it leaves the secret unchanged. */
const redacted_text = '[redacted]';
/** Placeholder for a secret encrypted with another key: it must be entered again. */
const unreadable_text = '[unreadable]';

/** Headers hold secrets under any name; for other names only the ending counts. */
const secret = /^headers$|(?:password|passphrase|secret|token|authorization|cookie|api_?key)$/i;
/** In an address's query, names that contain `key` are secret. */
const secretInQuery = /(?:password|passphrase|secret|token|authorization|key|signature|^sig)$/i;

type LeafVisitor = (value: unknown, stored: unknown, isSecret: boolean) => unknown;

/** Prefix of stored encrypted values. */
const sealed_prefix = 'sealed:';

/** Keeps secrets in the params of actions encrypted, in the database and so in backups. */
export class Vault {
  readonly #secrets: Secrets;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** Encrypts params for storage. */
  seal(params: object): object {
    const leaf: LeafVisitor = (value, _stored, isSecret) => {
      // A plain value that starts with the prefix is encrypted too, so decrypting returns it unchanged.
      if (maskedValue(value, undefined, isSecret) === value && !isSealed(value)) return value;
      return sealed_prefix + this.#secrets.seal(Buffer.from(JSON.stringify(value)));
    };
    return walk(params, undefined, { isSecret: false, leaf }) as object;
  }

  /** Decrypts stored params. Fails with `params_unreadable` if they were encrypted with another key. */
  open(params: object): object {
    return this.#decrypt(params, (cause) => {
      throw fail('params_unreadable', 'Secrets in the params were encrypted with another key: enter them again', { cause });
    });
  }

  /** Decrypts stored params, with a placeholder for what can't be decrypted. */
  readable(params: object): object {
    return this.#decrypt(params, () => unreadable_text);
  }

  #decrypt(params: object, otherwise: (cause: unknown) => unknown): object {
    const leaf: LeafVisitor = (value) => {
      if (!isSealed(value)) return value;
      try {
        return JSON.parse(this.#secrets.open(value.slice(sealed_prefix.length)).toString()) as unknown;
      } catch (cause) {
        return otherwise(cause);
      }
    };
    return walk(params, undefined, { isSecret: false, leaf }) as object;
  }
}

/** Returns an action's params for display, with hidden secrets. */
export function maskSecrets(params: object): object {
  return walk(params, undefined, { isSecret: false, leaf: maskedValue }) as object;
}

/**
 * Replaces placeholders with the stored secrets, unless the address now has another origin: a secret must not be sent to an origin for which
 * it was not entered.
 */
export function restoreSecrets(params: object, stored: object): object {
  if (!sameOrigins(params, stored)) return params;
  const leaf: LeafVisitor = (value, storedValue, isSecret) =>
    storedValue !== undefined && maskedValue(storedValue, undefined, isSecret) === value ? storedValue : value;
  return walk(params, stored, { isSecret: false, leaf }) as object;
}

/** Returns whether a placeholder is left in place of a secret, as in params that were copied from an answer. */
export function hasMaskedSecret(params: object): boolean {
  let found = false;
  const leaf: LeafVisitor = (value, _stored, isSecret) => {
    found ||=
      value === unreadable_text ||
      (isSecret ? value === redacted_text : typeof value === 'string' && isAddress(value) && value.includes(redacted_text));
    return value;
  };
  walk(params, undefined, { isSecret: false, leaf });
  return found;
}

function maskedValue(value: unknown, _stored: unknown, isSecret: boolean): unknown {
  if (value === unreadable_text) return value;
  if (isSecret && value !== '' && value !== null) return redacted_text;
  return typeof value === 'string' ? maskedAddress(value) : value;
}

/** Hides an address's password and the secrets in its query. */
function maskedAddress(text: string): string {
  if (!isAddress(text)) return text;
  return text
    .replace(/^([a-z]+:\/\/[^/?#@:\s]*:)[^/?#@\s]+@/i, `$1${redacted_text}@`)
    .replace(/([?&]([^=&#?]*)=)[^&#]+/g, (found, name: string, key: string) =>
      secretInQuery.test(key) ? `${name}${redacted_text}` : found,
    );
}

/** Whether each address in the params has the origin of the stored one in its place. */
function sameOrigins(params: object, stored: object): boolean {
  let same = true;
  const leaf: LeafVisitor = (value, storedValue, isSecret) => {
    const origin = isSecret ? undefined : originOf(value);
    same &&= origin === undefined || origin === originOf(storedValue);
    return value;
  };
  walk(params, stored, { isSecret: false, leaf });
  return same;
}

/** Returns the origin; undefined if it isn't an address with one. */
function originOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const { origin } = new URL(value);
  return origin === 'null' ? undefined : origin;
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

function isSealed(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(sealed_prefix);
}

function walk(value: unknown, stored: unknown, { isSecret, leaf }: { isSecret: boolean; leaf: LeafVisitor }): unknown {
  if (Array.isArray(value)) return value.map((item, at) => walk(item, childOf(stored, at), { isSecret, leaf }));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => {
      return [key, walk(item, childOf(stored, key), { isSecret: isSecret || secret.test(key), leaf })] as const;
    });
    return Object.fromEntries(entries);
  }
  return leaf(value, stored, isSecret);
}

function childOf(stored: unknown, key: string | number): unknown {
  return typeof stored === 'object' && stored !== null && Object.hasOwn(stored, key) ? (stored as Record<string, unknown>)[key] : undefined;
}
