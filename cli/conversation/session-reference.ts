import { cell } from '../table.js';
import type { Api } from './api.js';

/** Returns the id of a conversation from a part of it, or from a room's title. */
export async function sessionIdOf(text: string, api: Api): Promise<string> {
  const { idOf } = await import('../../kernel/client/references.js');
  return String(await idOf('session', text, (id, input) => api.call(id, input)));
}

/** Returns the titles of own rooms that begin with a text, in any case, as {@link sessionIdOf} accepts them. */
export async function roomTitles(text: string, api: Api): Promise<string[]> {
  const { namesOf } = await import('../../kernel/client/references.js');
  const found = await namesOf('session', text, (id, input) => api.call(id, input), { any_case: true });
  return found.map(({ name }) => cell(name));
}
