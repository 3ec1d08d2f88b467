import type { Api } from './api.js';

/** Returns the id of a conversation from a part of it, or from a room's title. */
export async function sessionIdOf(text: string, api: Api): Promise<string> {
  const { idOf } = await import('../../kernel/client/references.js');
  return String(await idOf('session', text, (id, input) => api.call(id, input)));
}
