import type { MessageReported } from '../chat/contract.js';
import type { MembersService } from '../members/contract.js';
import type { Notice } from './contract.js';
import { chatLink } from './links.js';

/**
 * Returns the notice of a reported message for the other owners of its room, or for the administrators, who may see neither the conversation
 * nor the title of its room.
 */
export async function messageReported(members: Pick<MembersService, 'admins'>, reported: MessageReported): Promise<Notice> {
  const { session_id, message_id, room_title, owners, sender_name, reported_by, name, reason } = reported;
  const title = `${name} has reported a message of ${sender_name}`;
  const notice = { source: 'system', kind: 'report', summary: reason, key: `report ${message_id} ${reported_by}` } as const;
  if (owners.length === 0) return { ...notice, to: await adminsFor(members, reported), title, about: { from_member_id: reported_by } };
  const room = room_title ? `'${room_title}'` : 'a room';
  const about = { session_id, message_id, from_member_id: reported_by };
  return { ...notice, to: owners, title: `${title} in ${room}`, about, link: chatLink(session_id) };
}

/** Returns the administrators, without the sender if there are others. */
async function adminsFor(members: Pick<MembersService, 'admins'>, { sender_id, reported_by }: MessageReported): Promise<number[]> {
  const admins = (await members.admins()).map(({ id }) => id).filter((id) => id !== reported_by);
  const others = admins.filter((id) => id !== sender_id);
  return others.length > 0 ? others : admins;
}
