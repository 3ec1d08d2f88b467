import { type Caller, type Door, fail } from '../../kernel/contract/index.js';

/** What a caller is made of: a member, and what it authenticated with. */
interface Part {
  id: number;
  username: string;
  role: Caller['role'];
}

const loginPrefix = 'login:';
const tokenPrefix = 'token:';

/** The member itself, with all that it may and no token behind it. */
export function callerOf({ id, username, role }: Part, door: Door): Caller {
  return { member_id: id, username, role, scopes: 'all', door, address: '', token_id: '', expires_at: 0 };
}

/** How a caller's `token_id` names a login. */
export function loginTokenId(login_id: string): string {
  return `${loginPrefix}${login_id}`;
}

/** The login that a `token_id` names, or undefined where it names something else. */
export function loginOf(token_id: string): string | undefined {
  return token_id.startsWith(loginPrefix) ? token_id.slice(loginPrefix.length) : undefined;
}

/** How a caller's `token_id` names a personal token. */
export function personalTokenId(id: number): string {
  return `${tokenPrefix}${id}`;
}

/** The personal token that a `token_id` names, or undefined where it names something else. */
export function personalTokenOf(token_id: string): number | undefined {
  return token_id.startsWith(tokenPrefix) ? Number(token_id.slice(tokenPrefix.length)) : undefined;
}

/** Refuses personal tokens: one that can make others, or change the password, could widen itself. */
export function requireLogin(caller: Caller): void {
  if (caller.scopes !== 'all')
    throw fail(
      'scope_missing',
      'A personal token can not do this: ask with the token of a login (POST /api/auth/login), or on the machine of the server with --data-dir and its data folder',
    );
}
