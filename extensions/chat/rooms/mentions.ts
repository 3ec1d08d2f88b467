import { mentionsIn } from '../../../kernel/contract/index.js';
import type { MembersService } from '../../members/contract.js';
import type { Mention, NotInRoom } from '../contract.js';
import type { RoomRows } from '../store/rooms-sql.js';
import type { Participant } from '../store/sessions-sql.js';

/** Members whom a text in a room mentions. */
export interface ResolvedMentions {
  mentions: Mention[];
  /** Mentioned members of the room. */
  members: Participant[];
  /** Whether the text mentions everybody. */
  everyone: boolean;
  not_in_room: NotInRoom[];
}

interface Place {
  session_id: string;
  /** Whether the sender owns the room, and so may mention everybody. */
  owns: boolean;
}

/** Finds the members of a room that a text mentions as `@username`, and everybody as `@room`. */
export async function resolveMentions(
  text: string,
  { session_id, owns }: Place,
  { members, rooms }: { members: MembersService; rooms: Pick<RoomRows, 'among'> },
): Promise<ResolvedMentions> {
  const found = mentionsIn(text);
  if (found.length === 0) return { mentions: [], members: [], everyone: false, not_in_room: [] };
  const named = await members.named([...new Set(found.map(({ name }) => name))]);
  const byName = new Map(named.map((member) => [member.username.toLowerCase(), member]));
  const present = new Map(
    (
      await rooms.among(
        session_id,
        named.map(({ id }) => id),
      )
    ).map((one) => [one.member_id, one]),
  );
  const mentions = found.flatMap(({ name, offset, length }): Mention[] => {
    if (name === 'room') return owns ? [{ room: true, offset, length }] : [];
    const member = byName.get(name);
    return member && present.has(member.id) ? [{ member_id: member.id, offset, length }] : [];
  });
  const outside = named.filter(({ id, is_virtual, active }) => !present.has(id) && !is_virtual && active);
  return {
    mentions,
    members: [...present.values()],
    everyone: mentions.some((mention) => mention.room === true),
    not_in_room: outside.map(({ id, username }) => ({ member_id: id, username })),
  };
}
