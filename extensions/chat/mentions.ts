import { mentionedNames } from '../../kernel/contract/index.js';
import type { Mentioned } from './contract.js';
import type { Ports } from './ports.js';
import { startOf } from './text.js';

/** Emits an event, within the current transaction, if a text mentions members as `@username`. */
export async function emitMentions({ emit }: Pick<Ports, 'emit'>, { text, ...place }: Omit<Mentioned, 'names'>): Promise<void> {
  const names = mentionedNames(text);
  if (names.length > 0) await emit('chat.mentioned', { ...place, names, text: startOf(text, 100) });
}
