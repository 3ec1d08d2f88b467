import { loginOf, personalTokenOf } from './caller.js';
import type { Store } from './store.js';

/** Whether what a caller's `token_id` names still holds. Callers in this process have none, which always does. */
export async function holds(store: Store, token_id: string, now: string): Promise<boolean> {
  const login = loginOf(token_id);
  if (login !== undefined) return (await store.logins.byId(login, now)) !== undefined;
  const token = personalTokenOf(token_id);
  return token === undefined || store.tokens.exists(token);
}
