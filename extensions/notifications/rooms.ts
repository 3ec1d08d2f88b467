import type { Context } from '../../kernel/contract/index.js';
import type { Chat, ChatEvents } from '../chat/contract.js';
import type { MembersService } from '../members/contract.js';
import type { Notice, Notifications } from './contract.js';
import { chatLink } from './links.js';
import type { HandledEvents } from './store/handled-events-sql.js';

type RoomMessage = ChatEvents['chat.room_message'];
type Invited = ChatEvents['chat.invited'];

interface Parts {
  handledEvents: HandledEvents;
  members: MembersService;
  notify: (notice: Notice) => Promise<unknown>;
}

/** Turns events of rooms into notifications. A room may have thousands of members, so they are created in portions. */
export function listenToRooms(ctx: Pick<Context<Notifications>, 'listen' | 'find'>, { handledEvents, members, notify }: Parts): void {
  ctx.listen<RoomMessage>('chat.room_message', async ({ payload: message, cursor }) => {
    const chat = ctx.find<Chat>('chat');
    if (!chat) return;
    const mentioned = new Set(message.mentioned);
    const listeners = await chat.listeners(message);
    const notice = {
      source: (await members.employee(message.sender_id)) ? 'ai_message' : 'system',
      filter: (ids) => chat.listeners(message, ids),
      ...noticeOf(message),
    } satisfies Partial<Notice>;
    const notifyAll = (topic: string, to: readonly number[], kind: Pick<Notice, 'kind' | 'title' | 'replaces'>) =>
      handledEvents.handleInPortions({ topic, cursor }, to, (some) => notify({ ...notice, ...kind, to: some }));
    const named = listeners.filter((id) => mentioned.has(id));
    await notifyAll('chat.room_message mentioned', named, mention(message, 'you'));
    const others = listeners.filter((id) => !mentioned.has(id));
    const kind = message.everyone ? mention(message, 'everybody') : written(message);
    await notifyAll('chat.room_message', others, kind);
  });
  ctx.listen<Invited>('chat.invited', async ({ payload: invited, cursor }) => {
    const chat = ctx.find<Chat>('chat');
    if (!chat) return;
    const filter = (ids: readonly number[]) => chat.among(invited.session_id, ids);
    const to = [...invited.member_ids].sort((one, other) => one - other);
    await handledEvents.handleInPortions({ topic: 'chat.invited', cursor }, to, (some) =>
      notify({ ...invitation(invited), to: some, filter }),
    );
  });
}

function noticeOf({ session_id, message_id, sender_id, preview }: RoomMessage) {
  return {
    about: { session_id, message_id, from_member_id: sender_id },
    link: chatLink(session_id),
    summary: preview,
    key: `conversation ${session_id}`,
    until_read: true,
  };
}

function mention({ sender_name, title }: RoomMessage, whom: string): Pick<Notice, 'kind' | 'title' | 'replaces'> {
  return { kind: 'mention', title: `${sender_name} has mentioned ${whom} in ${nameOf(title)}`, replaces: 'room_message' };
}

function written({ sender_name, title }: RoomMessage): Pick<Notice, 'kind' | 'title'> {
  return { kind: 'room_message', title: `${sender_name} has written in ${nameOf(title)}` };
}

function invitation({ session_id, invited_by, name, title }: Invited): Omit<Notice, 'to'> {
  return {
    source: 'system',
    kind: 'invitation',
    about: { session_id, from_member_id: invited_by },
    link: chatLink(session_id),
    title: `${name} has added you to ${nameOf(title)}`,
    summary: '',
    key: `invitation ${session_id}`,
    until_read: true,
  };
}

function nameOf(title: string): string {
  return title === '' ? 'a room' : `'${title}'`;
}
