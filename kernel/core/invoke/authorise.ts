import { hasScope } from '../../contract/authority.js';
import { type Failure, fail } from '../../contract/failure.js';
import type { Caller, Door, Operation, OperationAudience, Scope } from '../../contract/operation.js';

/** Fails unless the caller may call the operation. Checks authentication, then the role, then the token's scope. */
export function authorise(operation: Operation, caller: Caller): void {
  if (operation.who === 'public') return;
  if (caller.member_id === 0) throw needsToken();
  if (operation.who === 'admin' && caller.role !== 'admin') throw fail('forbidden', 'Only administrators may do this');
  assertScope(scopeOf(operation), caller);
}

/** Fails with `scope_missing` if a personal token lacks the scope. */
export function assertScope(needed: Scope, caller: Caller): void {
  const { scopes } = caller;
  if (scopes === 'all' || hasScope(scopes, needed)) return;
  throw fail('scope_missing', `This token has the scopes ${scopes.join(', ') || 'none'}, but '${needed}' is needed`);
}

/** Doors for calls of models. A person approved such a call, or it is harmless. */
const modelDoors: readonly Door[] = ['tool', 'mcp'];

/** Returns whether a model wrote the input of this call. */
export function isModel({ door }: Caller): boolean {
  return modelDoors.includes(door);
}

/**
 * Fails if an extension calls a dangerous operation within a tool call: a person may have approved the tool call, but not this
 * operation.
 */
export function assertNotDangerousInsideTool({ id, operation }: { id: string; operation: Operation }, caller: Caller, origin: Door): void {
  if (caller.door !== 'plugin' || !modelDoors.includes(origin) || !isDangerous(operation)) return;
  throw fail('tool_needs_person', `${id} is dangerous: an extension can't call it inside a tool call, because nobody approved it`);
}

/** Doors at which the kernel receives the file of an upload. */
const uploadDoors: readonly Door[] = ['http', 'local', 'direct'];

/**
 * Fails if an upload comes through another door. There the caller would supply the path of the file, so that a plugin or the author
 * of a schedule could read any file that the platform can read.
 */
export function assertUploadDoor({ id, operation }: { id: string; operation: Operation }, { door }: Caller): void {
  if (operation.kind !== 'upload' || uploadDoors.includes(door)) return;
  throw fail('forbidden', `${id} takes a file, which only a client can send: it can't be called through the door '${door}'`);
}

/** Returns whether an operation is dangerous. Deletions and changes by administrators always are. */
export function isDangerous({ dangerous, method, who }: Pick<Operation, 'dangerous' | 'method' | 'who'>): boolean {
  return dangerous === true || method === 'DELETE' || (who === 'admin' && method !== 'GET');
}

/** Returns who gets the same answer from an operation. */
export function audienceOf({ audience, who }: Pick<Operation, 'audience' | 'who'>): OperationAudience {
  return who === 'admin' ? 'admin' : (audience ?? 'caller');
}

/** Returns the failure for a missing token, with the same message at every door. */
export function needsToken(): Failure {
  return fail('unauthenticated', 'This needs a token: send it as "Authorization: Bearer <token>"');
}

/** Returns whether {@link authorise} would succeed. */
export function mayCall(operation: Operation, caller: Caller): boolean {
  if (operation.who === 'public') return true;
  if (caller.member_id === 0 || (operation.who === 'admin' && caller.role !== 'admin')) return false;
  return hasScope(caller.scopes, scopeOf(operation));
}

/** Returns the scope that a personal token needs for the operation. */
export function scopeOf(operation: Pick<Operation, 'scope' | 'who' | 'method'>): Scope {
  if (operation.scope) return operation.scope;
  if (operation.who === 'admin') return 'admin';
  return operation.method === 'GET' ? 'read' : 'chat';
}
