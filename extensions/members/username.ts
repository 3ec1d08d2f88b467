const shape = /^[A-Za-z0-9._-]{2,64}$/;
/** Leaves room for a number behind it. */
const longest = 56;

export function isUsername(text: string): boolean {
  return shape.test(text);
}

/** In paths and on the command line `me` stands for oneself. */
export function isReserved(username: string): boolean {
  return username.toLowerCase() === 'me';
}

/** What a person's or AI employee's name becomes as a user name, or undefined where too little of it is left: `Ada Müller` → `ada-muller`. */
export function usernameFrom(name: string): string | undefined {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .slice(0, longest)
    .replace(/^[._-]+|[._-]+$/g, '');
  return isUsername(slug) && !isReserved(slug) ? slug : undefined;
}

/** The first free one of `ada`, `ada-2`, `ada-3`, …; without a base of `employee-1`, `employee-2`, …. `taken` is in lower case. */
export function freeUsername(base: string | undefined, taken: ReadonlySet<string>): string {
  const candidate = (n: number) => (base === undefined ? `employee-${n}` : n === 1 ? base : `${base}-${n}`);
  let n = 1;
  while (taken.has(candidate(n))) n += 1;
  return candidate(n);
}
