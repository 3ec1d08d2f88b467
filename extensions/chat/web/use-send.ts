import { failureText, outbox, useFormat, useMe, useNotify, useTexts } from '@platform/kit';
import type { RefObject } from 'react';
import type { ChatApi, NotInRoom, SendInput, Session, Task } from '../contract.js';
import { api } from './api.js';
import type { Written } from './composer.js';
import type { MessageListHandle } from './message-list.js';
import type { MessageWindow, WindowState } from './message-window.js';
import { unseen } from './pending-messages.js';
import { texts } from './texts.js';

const sends = outbox<ChatApi, 'chat.send'>('chat.send');
const joins = outbox<ChatApi, 'tasks.message'>('tasks.message');

interface Sending {
  session: Session;
  /** The thread in which it is written. */
  thread_id?: string;
  messages: MessageWindow;
  state: WindowState;
  list: RefObject<MessageListHandle | null>;
  /** The member's own task that a text may join. */
  running?: Task | undefined;
}

/** Returns a function that sends what was written, and the messages that the server hasn't stored yet. */
export function useSend({ session, thread_id, messages, state, list, running }: Sending) {
  const me = useMe().id;
  const notInRoom = useNotInRoom(session);
  const about = thread_id === undefined ? session.id : `${session.id} ${thread_id}`;
  const waiting = unseen([...sends.useItems(about), ...joins.useItems(about)], { messages: state.messages, me });
  const send = (written: Written) => {
    const input = sendInput(written);
    const sent =
      written.joins && running && input.images === undefined
        ? joins.send({ task_id: running.id, content: input.content, ...(input.files ? { files: input.files } : {}) }, { about })
        : sends.send({ session_id: session.id, ...(thread_id === undefined ? {} : { thread_id }), ...input }, { about });
    // A refused message stays in sight, with the reason and a button that sends it again.
    sent.then((answer) => answer && notInRoom(answer.not_in_room)).catch(() => undefined);
    if (state.hasNewer) void messages.open();
    list.current?.showEnd();
  };
  return { send, waiting };
}

/** Returns the id of the last message that the member may edit. */
export function lastOwn(messages: MessageWindow, me: number): string | undefined {
  const own = messages.state().messages.findLast((one) => one.sender_id === me && one.role === 'user' && one.deleted_at === null);
  return own?.id;
}

/** Returns the input of `chat.send` for what a person has written, without its place. */
export function sendInput({
  content,
  attached,
  reply_to,
}: Pick<Written, 'content' | 'attached' | 'reply_to'>): Omit<SendInput, 'session_id'> {
  const files = attached.flatMap(({ file }) => file?.id ?? []);
  const images = attached.flatMap(({ kind, url, name }) => (kind === 'image' && url !== undefined ? [{ url, name }] : []));
  return {
    content,
    ...(files.length > 0 ? { files } : {}),
    ...(images.length > 0 ? { images } : {}),
    ...(reply_to === undefined ? {} : { reply_to }),
  };
}

/** Returns a function that tells whom a message mentions who isn't in the room; an owner is offered to add them. */
function useNotInRoom({ id, title, role, target_type }: Session): (absent: readonly NotInRoom[]) => void {
  const text = useTexts(texts);
  const format = useFormat();
  const notify = useNotify();
  return (absent) => {
    if (absent.length === 0) return;
    const names = format.list(absent.map(({ username }) => username));
    const add = async () => {
      try {
        await api.call('sessions.add_member', { session_id: id, member_ids: absent.map(({ member_id }) => member_id) });
        notify(text.room.added(names), { kind: 'success' });
      } catch (error) {
        notify(failureText(error).title, { kind: 'error' });
      }
    };
    const mayAdd = target_type === 'room' && role === 'owner';
    notify(text.room.notInRoom(names), {
      detail: mayAdd ? text.room.addedSeesAll : text.room.ownerMayAdd(title),
      ...(mayAdd ? { action: { label: text.room.addThem, run: () => void add() } } : {}),
    });
  };
}
