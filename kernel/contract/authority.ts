import type { Caller, Scope } from './operation.js';

/**
 * Whether a caller acts with an administrator's rights: its role is `admin`, and its token is not limited to less. The one place where
 * role and scopes are looked at together; whoever compares a caller's role alone forgets the scopes.
 */
export function mayAdminister({ role, scopes }: Pick<Caller, 'role' | 'scopes'>): boolean {
  return role === 'admin' && hasScope(scopes, 'admin');
}

/** Whether a token's scopes include one; `admin` includes all. */
export function hasScope(scopes: Caller['scopes'], scope: Scope): boolean {
  return scopes === 'all' || scopes.includes('admin') || scopes.includes(scope);
}
