/** Link that somebody without a login opens. */
export interface VisitorLink {
  readonly kind: 'invitation' | 'reset-password';
  readonly token: string;
}

/** Returns the link in a path below the platform's own prefix; undefined if it is a page's address. */
export function linkIn(path: string, prefix: string): VisitorLink | undefined {
  if (!path.startsWith(`${prefix}/`)) return undefined;
  const [, kind, token] = /^\/(invitation|reset-password)\/([\w-]{1,100})\/?$/.exec(path.slice(prefix.length)) ?? [];
  return kind === undefined || token === undefined ? undefined : { kind: kind as VisitorLink['kind'], token };
}
