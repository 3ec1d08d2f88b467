const shape = /^[A-Za-z0-9._-]{2,64}$/;
/** Maximum length without a number after it. */
const max_base_length = 56;

export function isUsername(text: string): boolean {
  return shape.test(text);
}

/** Returns whether a name is reserved: `me` means the caller in paths and on the command line, `@room` everybody in a room. */
export function isReserved(username: string): boolean {
  return ['me', 'room'].includes(username.toLowerCase());
}

/** Derives a user name from a person's or AI employee's name; undefined if too little of it is left: `Ada Müller` → `ada-muller`. */
export function usernameFrom(name: string): string | undefined {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .slice(0, max_base_length)
    .replace(/^[._-]+|[._-]+$/g, '');
  return isUsername(slug) && !isReserved(slug) ? slug : undefined;
}

/** Returns a user name that is allowed, for one of another product: as it is if possible, shortened if it is too long to get a number. */
export function allowedUsername(name: string): string {
  const isAllowed = isUsername(name) && !isReserved(name) && name.length <= max_base_length;
  return isAllowed ? name : (usernameFrom(name) ?? 'member');
}

/**
 * Returns the first unused name of `ada`, `ada-2`, `ada-3`, …; without a base of `employee-1`, `employee-2`, …. `taken`
 * is in lower case.
 */
export function freeUsername(base: string | undefined, taken: ReadonlySet<string>): string {
  const candidate = (n: number) => (base === undefined ? `employee-${n}` : n === 1 ? base : `${base}-${n}`);
  let n = 1;
  while (taken.has(candidate(n).toLowerCase())) n += 1;
  return candidate(n);
}
