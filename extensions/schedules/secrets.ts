import type { Secrets } from '../../kernel/contract/index.js';
import { fail } from './codes.js';

/** What stands in an answer where a secret is stored; whoever sends it back leaves the secret as it is. */
const hidden = '[redacted]';
/** And where one is stored that was sealed with another key: there it has to be written again. */
const unreadable = '[unreadable]';

/** Headers carry secrets under any name; of the others only a name's end counts. */
const secret = /^headers$|(?:password|passphrase|secret|token|authorization|cookie|api_?key)$/i;
/** In the query of an address what is called a key is one. */
const secretInQuery = /(?:password|passphrase|secret|token|authorization|key|signature|^sig)$/i;

type Leaf = (value: unknown, stored: unknown, isSecret: boolean) => unknown;

/** What a sealed value begins with where it is stored. */
const seal = 'sealed:';

/** Keeps what is secret in the params of actions sealed, in the database and so in backups. */
export class Vault {
  readonly #secrets: Secrets;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** As they are stored. */
  seal(params: object): object {
    const leaf: Leaf = (value, _stored, isSecret) => {
      // What only looks sealed is sealed too, so that it is opened as it was.
      if (shown(value, undefined, isSecret) === value && !isSealed(value)) return value;
      return seal + this.#secrets.seal(Buffer.from(JSON.stringify(value)));
    };
    return walk(params, undefined, { isSecret: false, leaf }) as object;
  }

  /** As they are meant. Fails with `params_unreadable` where they were sealed with another key. */
  open(params: object): object {
    return this.#opened(params, (cause) => {
      throw fail('params_unreadable', 'Secrets in the params were sealed with another key: they have to be written again', { cause });
    });
  }

  /** The same, with a word in place of what can't be opened. */
  readable(params: object): object {
    return this.#opened(params, () => unreadable);
  }

  #opened(params: object, otherwise: (cause: unknown) => unknown): object {
    const leaf: Leaf = (value) => {
      if (!isSealed(value)) return value;
      try {
        return JSON.parse(this.#secrets.open(value.slice(seal.length)).toString()) as unknown;
      } catch (cause) {
        return otherwise(cause);
      }
    };
    return walk(params, undefined, { isSecret: false, leaf }) as object;
  }
}

/** The params of an action as they are shown: what is secret in them is hidden. */
export function masked(params: object): object {
  return walk(params, undefined, { isSecret: false, leaf: shown }) as object;
}

/**
 * The params as they are meant: what is hidden in them is what is stored. Beside an address of another origin it stays hidden, since a
 * secret goes nowhere but where it was written for.
 */
export function unmasked(params: object, stored: object): object {
  if (!sameOrigins(params, stored)) return params;
  const leaf: Leaf = (value, kept, isSecret) => (kept !== undefined && shown(kept, undefined, isSecret) === value ? kept : value);
  return walk(params, stored, { isSecret: false, leaf }) as object;
}

/** Whether a word for what is hidden or can't be read stands where a secret belongs: whoever copied it from an answer did not get the secret with it. */
export function lacksSecret(params: object): boolean {
  let lacks = false;
  const leaf: Leaf = (value, _stored, isSecret) => {
    lacks ||=
      value === unreadable || (isSecret ? value === hidden : typeof value === 'string' && isAddress(value) && value.includes(hidden));
    return value;
  };
  walk(params, undefined, { isSecret: false, leaf });
  return lacks;
}

function shown(value: unknown, _stored: unknown, isSecret: boolean): unknown {
  if (value === unreadable) return value;
  if (isSecret && value !== '' && value !== null) return hidden;
  return typeof value === 'string' ? maskedAddress(value) : value;
}

/** Of an address on the web its password, and of its query what is named as a secret. */
function maskedAddress(text: string): string {
  if (!isAddress(text)) return text;
  return text
    .replace(/^([a-z]+:\/\/[^/?#@:\s]*:)[^/?#@\s]+@/i, `$1${hidden}@`)
    .replace(/([?&]([^=&#?]*)=)[^&#]+/g, (found, name: string, key: string) => (secretInQuery.test(key) ? `${name}${hidden}` : found));
}

/** Whether each address in the params is of the origin of what is stored in its place. */
function sameOrigins(params: object, stored: object): boolean {
  let same = true;
  const leaf: Leaf = (value, kept, isSecret) => {
    const origin = isSecret ? undefined : originOf(value);
    same &&= origin === undefined || origin === originOf(kept);
    return value;
  };
  walk(params, stored, { isSecret: false, leaf });
  return same;
}

/** Undefined where it is no address that has one. */
function originOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const { origin } = new URL(value);
  return origin === 'null' ? undefined : origin;
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

function isSealed(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(seal);
}

function walk(value: unknown, stored: unknown, { isSecret, leaf }: { isSecret: boolean; leaf: Leaf }): unknown {
  if (Array.isArray(value)) return value.map((item, at) => walk(item, within(stored, at), { isSecret, leaf }));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => {
      return [key, walk(item, within(stored, key), { isSecret: isSecret || secret.test(key), leaf })] as const;
    });
    return Object.fromEntries(entries);
  }
  return leaf(value, stored, isSecret);
}

function within(stored: unknown, key: string | number): unknown {
  return typeof stored === 'object' && stored !== null && Object.hasOwn(stored, key) ? (stored as Record<string, unknown>)[key] : undefined;
}
