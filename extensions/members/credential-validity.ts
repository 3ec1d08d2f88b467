import type { Caller } from '../../kernel/contract/index.js';
import { loginOf, personalTokenOf } from './caller.js';
import type { Store } from './store.js';

/** Returns whether the credential of a `token_id` is still valid. Callers in this process have none and always are. */
export async function isCredentialValid(store: Store, token_id: string, now: string): Promise<boolean> {
  const login = loginOf(token_id);
  if (login !== undefined) return (await store.logins.byId(login, now)) !== undefined;
  const token = personalTokenOf(token_id);
  return token === undefined || store.tokens.exists(token);
}

/**
 * Returns the callers that are no longer valid: their login or token has ended; without one, the member is deleted,
 * inactive or has another role.
 */
export async function endedCallers(store: Store, callers: readonly Caller[], now: string): Promise<Caller[]> {
  const token_ids = callers.map(({ token_id }) => token_id);
  const withoutToken = callers.filter(({ token_id }) => token_id === '').map(({ member_id }) => member_id);
  const [logins, tokens, members] = await Promise.all([
    store.logins.valid(withoutUndefined(token_ids.map(loginOf)), now),
    store.tokens.existing(withoutUndefined(token_ids.map(personalTokenOf))),
    store.members.byIds(withoutToken),
  ]);
  const roles = new Map(members.filter(({ active }) => active).map(({ id, role }) => [id, role]));
  return callers.filter(({ member_id, role, token_id }) => {
    const login = loginOf(token_id);
    if (login !== undefined) return !logins.has(login);
    const token = personalTokenOf(token_id);
    return token === undefined ? roles.get(member_id) !== role : !tokens.has(token);
  });
}

function withoutUndefined<T>(values: readonly (T | undefined)[]): T[] {
  return values.filter((value) => value !== undefined);
}
