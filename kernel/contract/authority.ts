import type { Caller, Scope } from './operation.js';

/**
 * Returns whether a caller has an administrator's rights: its role is `admin` and its token's scopes include `admin`. Use it instead of
 * comparing the role, which ignores the scopes.
 */
export function mayAdminister({ role, scopes }: Pick<Caller, 'role' | 'scopes'>): boolean {
  return role === 'admin' && hasScope(scopes, 'admin');
}

/** Returns whether a token's scopes include a scope. `admin` includes all. */
export function hasScope(scopes: Caller['scopes'], scope: Scope): boolean {
  return scopes === 'all' || scopes.includes('admin') || scopes.includes(scope);
}
