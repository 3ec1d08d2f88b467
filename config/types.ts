import { isIP } from 'node:net';

/** The type of a setting: its description for people, and the parser for values from files and variables. */
export interface SettingType<Value> {
  readonly expected: string;
  /** Parses a value; returns undefined if it is invalid. Variables and flags always arrive as text. */
  read(found: unknown): Value | undefined;
  /** Returns the faults of an invalid value, part by part; never a part that may be secret. */
  explain?(found: unknown): readonly string[];
  /** Masks a secret value for display. Default: masked completely. */
  masked?(value: Value): unknown;
}

export function text(expected: string, pattern = /^/): SettingType<string> {
  return { expected, read: (found) => (typeof found === 'string' && pattern.test(found) ? found : undefined) };
}

/** Allows an empty string too: not set. */
export function optional<Value>(type: SettingType<Value>): SettingType<Value | ''> {
  return { ...type, read: (found) => (found === '' ? found : type.read(found)) };
}

export function integer(min: number, max: number): SettingType<number> {
  return {
    expected: `an integer from ${min} to ${max}`,
    read(found) {
      const value = typeof found === 'string' && /^-?\d+$/.test(found.trim()) ? Number(found) : found;
      return Number.isInteger(value) && (value as number) >= min && (value as number) <= max ? (value as number) : undefined;
    },
  };
}

export function choice<const Value extends string>(...values: readonly Value[]): SettingType<Value> {
  return { expected: `one of ${values.join(', ')}`, read: (found) => values.find((value) => value === found) };
}

/** A boolean. In variables and flags it is `true` or `false`. */
export const flag: SettingType<boolean> = {
  expected: 'true or false',
  read: (found) => (typeof found === 'boolean' ? found : ({ true: true, false: false } as Record<string, boolean>)[String(found)]),
};

const registries = 'https://host of a platform, https://host/index.json of a mirror, or /folder';

/** A source of bundles: an address, or the absolute path of a folder on this machine. */
export const registry: SettingType<string> = {
  expected: registries,
  read: (found) => (typeof found === 'string' && isRegistry(found) ? found : undefined),
  // Without the found value: it may contain a password.
  explain: () => [`expected ${registries}, without a user name, a password or a query`],
};

function isRegistry(found: string): boolean {
  if (/\p{Cc}/u.test(found)) return false;
  if (found.startsWith('/')) return true;
  if (!URL.canParse(found)) return false;
  const { protocol, host, username, password, search, hash } = new URL(found);
  const isPlain = username === '' && password === '' && search === '' && hash === '';
  return isPlain && (protocol === 'file:' ? host === '' : ['http:', 'https:'].includes(protocol));
}

/** An address with one of these schemes. `sqlite:` and `memory:` need nothing after them. */
export function address(...schemes: readonly string[]): SettingType<string> {
  return {
    expected: `an address that starts with ${schemes.join(' or ')}`,
    read: (found) => (typeof found === 'string' && isAddress(found, schemes) ? found : undefined),
  };
}

function isAddress(found: string, schemes: readonly string[]): boolean {
  const scheme = schemes.find((one) => found.startsWith(one));
  if (scheme === undefined) return false;
  return scheme.endsWith('//') && scheme !== 'unix://' ? URL.canParse(found) : true;
}

/** A list; in text form, its items are separated by commas. */
export function list(item: string, accepts: (item: string) => boolean): SettingType<readonly string[]> {
  return {
    expected: `a list of ${item}, separated by commas`,
    read(found) {
      const items = typeof found === 'string' ? split(found) : found;
      return Array.isArray(items) && items.every((one) => typeof one === 'string' && accepts(one)) ? [...items] : undefined;
    },
  };
}

function split(found: string): string[] {
  return found
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Returns whether a text is an address range (`10.0.0.0/8`) or a single address. */
export function isRange(found: string): boolean {
  const [network = '', bits, ...rest] = found.split('/');
  const family = isIP(network);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Returns whether a text is an origin: `https://host[:port]` without a path, as browsers send it. */
export function isOrigin(found: string): boolean {
  return /^https?:\/\//.test(found) && URL.canParse(found) && new URL(found).origin === found.toLowerCase();
}

/** Returns whether a text is a host name without a port, or an address range. */
export function isHostOrRange(found: string): boolean {
  return isRange(found) || /^[a-z0-9_]([a-z0-9_.-]{0,252})$/i.test(found);
}
