import { hasScope } from '../../contract/authority.js';
import { type Failure, fail } from '../../contract/failure.js';
import type { Caller, Door, Operation, Scope } from '../../contract/operation.js';

/** Fails unless the caller may ask for the operation: first who, then which role, then the token's scope. */
export function authorise(operation: Operation, caller: Caller): void {
  if (operation.who === 'public') return;
  if (caller.member_id === 0) throw needsToken();
  if (operation.who === 'admin' && caller.role !== 'admin') throw fail('forbidden', 'Only administrators may do this');
  assertScope(scopeOf(operation), caller);
}

/** Fails with `scope_missing` where a personal token is limited to others. */
export function assertScope(needed: Scope, caller: Caller): void {
  const { scopes } = caller;
  if (scopes === 'all' || hasScope(scopes, needed)) return;
  throw fail('scope_missing', `This token has the scopes ${scopes.join(', ') || 'none'}, but '${needed}' is needed`);
}

/** By these a model asks: what it asks for was shown to a person, or is known to be harmless. */
const models: readonly Door[] = ['tool', 'mcp'];

/** Whether a model wrote the input of this call. */
export function isModel({ door }: Caller): boolean {
  return models.includes(door);
}

/**
 * Fails where an extension calls something dangerous in the course of a tool call: what a person saw, if
 * anything, was that call and not this one.
 */
export function assertMeant({ id, operation }: { id: string; operation: Operation }, caller: Caller, origin: Door): void {
  if (caller.door !== 'plugin' || !models.includes(origin) || !isDangerous(operation)) return;
  throw fail('tool_needs_person', `${id} is dangerous: inside a tool call no extension may call it, since no person was asked for it`);
}

/** By these a file comes with the request, and the kernel has written it down. */
const bringers: readonly Door[] = ['http', 'local', 'direct'];

/**
 * Fails where an upload is asked for in another way: the path of its file would be the caller's word, and a plugin or whoever
 * makes a schedule could name any file that the platform can read.
 */
export function assertFileComes({ id, operation }: { id: string; operation: Operation }, { door }: Caller): void {
  if (operation.kind !== 'upload' || bringers.includes(door)) return;
  throw fail('forbidden', `${id} takes a file, which only a client can send: it can't be asked for through the door '${door}'`);
}

/** Changes by administrators and deletions are dangerous even if they don't say so. */
export function isDangerous({ dangerous, method, who }: Pick<Operation, 'dangerous' | 'method' | 'who'>): boolean {
  return dangerous === true || method === 'DELETE' || (who === 'admin' && method !== 'GET');
}

/** The same sentence at every door. */
export function needsToken(): Failure {
  return fail('unauthenticated', 'This needs a token: send it as "Authorization: Bearer <token>"');
}

/** Whether {@link authorise} would let the caller pass. */
export function mayCall(operation: Operation, caller: Caller): boolean {
  if (operation.who === 'public') return true;
  if (caller.member_id === 0 || (operation.who === 'admin' && caller.role !== 'admin')) return false;
  return hasScope(caller.scopes, scopeOf(operation));
}

/** Returns the scope that a personal token needs for it. */
export function scopeOf(operation: Pick<Operation, 'scope' | 'who' | 'method'>): Scope {
  if (operation.scope) return operation.scope;
  if (operation.who === 'admin') return 'admin';
  return operation.method === 'GET' ? 'read' : 'chat';
}
