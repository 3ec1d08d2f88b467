import type { Session } from './contract.js';
import type { Ports } from './ports.js';

/**
 * Finds the conversation of two people that was active last; undefined if they have none. If it is hidden for the member, it comes
 * back. Locks the pair until the transaction ends, so that two people who begin at once share one conversation.
 */
export async function latestConversation(
  { pairs, sessions }: Pick<Ports, 'pairs' | 'sessions'>,
  { member_id, partner_id }: { member_id: number; partner_id: number },
): Promise<Session | undefined> {
  await pairs.hold([member_id, partner_id]);
  const id = await sessions.latestWith(member_id, { target_type: 'member', target_id: String(partner_id) });
  if (id === undefined) return undefined;
  const visible = await sessions.get(id, member_id);
  if (visible) return visible;
  await sessions.unhide(id, member_id);
  return sessions.get(id, member_id);
}
