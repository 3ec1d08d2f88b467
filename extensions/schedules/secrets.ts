/** What stands in an answer where a secret is stored; whoever sends it back leaves the secret as it is. */
const hidden = '[redacted]';

/** Headers carry secrets under any name; of the others only a name's end counts. */
const secret = /^headers$|(?:password|passphrase|secret|token|authorization|cookie|api_?key)$/i;

type Leaf = (value: unknown, stored: unknown) => unknown;

/** The params of an action as they are shown: what is secret in them is hidden. */
export function masked(params: object): object {
  return walk(params, undefined, { isSecret: false, leaf: () => hidden }) as object;
}

/** The params as they are meant: what is hidden in them is what is stored. */
export function unmasked(params: object, stored: object): object {
  const leaf: Leaf = (value, kept) => (value === hidden && kept !== undefined ? kept : value);
  return walk(params, stored, { isSecret: false, leaf }) as object;
}

function walk(value: unknown, stored: unknown, { isSecret, leaf }: { isSecret: boolean; leaf: Leaf }): unknown {
  if (Array.isArray(value)) return value.map((item, at) => walk(item, within(stored, at), { isSecret, leaf }));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => {
      return [key, walk(item, within(stored, key), { isSecret: isSecret || secret.test(key), leaf })] as const;
    });
    return Object.fromEntries(entries);
  }
  return isSecret && value !== '' && value !== null ? leaf(value, stored) : value;
}

function within(stored: unknown, key: string | number): unknown {
  return typeof stored === 'object' && stored !== null && Object.hasOwn(stored, key) ? (stored as Record<string, unknown>)[key] : undefined;
}
