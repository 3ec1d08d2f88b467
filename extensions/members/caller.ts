import { type Caller, type Door, fail } from '../../kernel/contract/index.js';

/** Member that a caller is built from. */
interface MemberIdentity {
  id: number;
  username: string;
  role: Caller['role'];
}

const loginPrefix = 'login:';
const tokenPrefix = 'token:';

/** Builds a caller with all permissions of the member and without a token. */
export function callerOf({ id, username, role }: MemberIdentity, door: Door): Caller {
  return { member_id: id, username, role, scopes: 'all', door, address: '', token_id: '', expires_at: 0 };
}

/** Returns the `token_id` of a login. */
export function loginTokenId(login_id: string): string {
  return `${loginPrefix}${login_id}`;
}

/** Returns the login that a `token_id` names; undefined if it names something else. */
export function loginOf(token_id: string): string | undefined {
  return token_id.startsWith(loginPrefix) ? token_id.slice(loginPrefix.length) : undefined;
}

/** Returns the `token_id` of a personal token. */
export function personalTokenId(id: number): string {
  return `${tokenPrefix}${id}`;
}

/** Returns the personal token that a `token_id` names; undefined if it names something else. */
export function personalTokenOf(token_id: string): number | undefined {
  return token_id.startsWith(tokenPrefix) ? Number(token_id.slice(tokenPrefix.length)) : undefined;
}

/** Rejects personal tokens: one that could create others, or change the password, could extend its own permissions. */
export function requireLogin(caller: Caller): void {
  if (caller.scopes !== 'all')
    throw fail(
      'scope_missing',
      "A personal token cannot do this: use the token of a login (POST /api/auth/login), or --data-dir with the data folder on the server's machine",
    );
}
