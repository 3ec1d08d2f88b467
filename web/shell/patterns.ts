/** Values of a pattern's names. */
export type Params = Readonly<Record<string, string>>;

/** Returns the values of the names in a pattern such as `/chat/:session_id`; undefined if the path doesn't match. A last `*` takes the rest. */
export function matchPattern(pattern: string, path: string): Params | undefined {
  const wanted = segments(pattern);
  const given = segments(path);
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    if (segment === '*') return { ...params, '*': given.slice(index).join('/') };
    const value = given[index];
    if (value === undefined) return undefined;
    if (segment.startsWith(':')) params[segment.slice(1)] = decoded(value);
    else if (segment !== value) return undefined;
  }
  return wanted.length === given.length ? params : undefined;
}

/** Returns the most specific pattern that matches: fixed segments go before names, and names before a rest. */
export function bestMatch<T>(patterns: Readonly<Record<string, T>>, path: string): { value: T; params: Params } | undefined {
  const found = Object.entries(patterns)
    .map(([pattern, value]) => ({ pattern, value, params: matchPattern(pattern, path) }))
    .filter(({ params }) => params !== undefined)
    .sort((one, other) => (rank(one.pattern) < rank(other.pattern) ? -1 : 1))[0];
  return found && { value: found.value, params: found.params as Params };
}

/** Returns whether the path is the other one or below it. The root has nothing below it. */
export function isBelow(path: string, top: string): boolean {
  return path === top || (top !== '/' && path.startsWith(`${top}/`));
}

function rank(pattern: string): string {
  return segments(pattern)
    .map((segment) => (segment === '*' ? 'c' : segment.startsWith(':') ? 'b' : 'a'))
    .join('');
}

function segments(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
