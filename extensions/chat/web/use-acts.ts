import { addressOf, confirm, copyText, failureText, useGo, useNotify, useTexts } from '@platform/kit';
import { type RefObject, useMemo, useRef } from 'react';
import type { Message, Session } from '../contract.js';
import { api } from './api.js';
import { imageData } from './attachments.js';
import type { ComposerHandle } from './composer.js';
import type { MessageActs } from './conversation-context.js';
import { openDialog } from './dialogs.js';
import type { MessageListHandle } from './message-list.js';
import { type MessageWindow, withReaction } from './message-window.js';
import type { SessionFeed } from './session-feed.js';
import { texts } from './texts.js';

export interface ActsOptions {
  session: Session;
  feed: SessionFeed;
  messages: MessageWindow;
  setEdited: (message_id: string | undefined) => void;
  list: RefObject<MessageListHandle | null>;
  composer: RefObject<ComposerHandle | null>;
}

/** Returns what a person can do with messages. The object stays the same, so that messages aren't drawn again. */
export function useActs(options: ActsOptions): MessageActs {
  const go = useGo();
  const notify = useNotify();
  const text = useTexts(texts);
  const latest = useRef({ ...options, go, notify, text });
  latest.current = { ...options, go, notify, text };
  return useMemo(() => makeActs(latest), []);
}

type Latest = RefObject<
  ActsOptions & { go: ReturnType<typeof useGo>; notify: ReturnType<typeof useNotify>; text: ReturnType<typeof useTexts<typeof texts.en>> }
>;

function makeActs(latest: Latest): MessageActs {
  const failed = (error: unknown) => {
    const { title, detail } = failureText(error);
    latest.current.notify(title, { kind: 'error', detail });
  };
  const copy = (content: string, notice: string) => {
    copyText(content).then(() => latest.current.notify(notice), failed);
  };
  const path = ({ id, thread_id }: Message) =>
    `/chat/${latest.current.session.id}/${id}${thread_id === null ? '' : `?thread=${thread_id}`}`;
  return {
    failed,
    reply: (message) => latest.current.composer.current?.replyTo(message),
    openThread: ({ id, thread_id }) => latest.current.go(`/chat/${latest.current.session.id}?thread=${thread_id ?? id}`),
    edit: (message_id) => {
      latest.current.setEdited(message_id);
      if (message_id === undefined) latest.current.composer.current?.focus();
    },
    remove: (message) => void remove(message, latest).catch(failed),
    react: (message, emoji) => void react(message, emoji, latest).catch(failed),
    copyText: ({ content }) => copy(content, latest.current.text.message.copied),
    copyLink: (message) => copy(addressOf(path(message)), latest.current.text.message.linkCopied),
    copyConversationLink: () => copy(addressOf(`/chat/${latest.current.session.id}`), latest.current.text.message.linkCopied),
    report: ({ id, sender_name }) => openDialog({ kind: 'report', message_id: id, sender_name }),
    retry: (message) => void retry(message, latest).catch(failed),
    stop: ({ id }) => void api.call('chat.abort', { message_id: id }).catch(failed),
    show: (message_id) => {
      const { list, messages, go, session } = latest.current;
      if (messages.find(message_id)) list.current?.show(message_id, { focus: true });
      else go(`/chat/${session.id}/${message_id}`);
    },
  };
}

async function remove(message: Message, { current: { feed, text } }: Latest): Promise<void> {
  const isSure = await confirm({
    title: text.message.deleteTitle,
    text: text.message.deleteText(message.sender_name),
    confirm: text.message.delete,
    danger: true,
  });
  if (!isSure) return;
  await api.call('messages.delete', { message_id: message.id });
  feed.takeDeletion(message.id);
}

/** Adds or removes a reaction; it is shown at once, and taken back if the server refuses it. */
async function react(message: Message, emoji: string, { current: { feed } }: Latest): Promise<void> {
  const added = !message.reactions.some((reaction) => reaction.emoji === emoji && reaction.mine);
  const change = (isAdded: boolean) => feed.change(message.id, (one) => withReaction(one, { emoji, added: isAdded, mine: true }));
  change(added);
  try {
    const input = { message_id: message.id, emoji };
    const { reactions } = added ? await api.call('reactions.add', input) : await api.call('reactions.remove', input);
    feed.change(message.id, (one) => ({ ...one, reactions }));
  } catch (error) {
    change(!added);
    throw error;
  }
}

/** Sends the asked message once more, with its files and images. */
async function retry(reply: Message, { current: { session, list } }: Latest): Promise<void> {
  if (reply.reply_to === null) return;
  const asked = await api.call('messages.get', { message_id: reply.reply_to });
  const images = await Promise.all(asked.images.map(imageData));
  const mention = session.target_type === 'room' ? { reply_to: reply.id } : {};
  await api.call('chat.send', {
    session_id: session.id,
    content: asked.content,
    files: asked.files.map(({ id }) => id),
    ...(images.length > 0 ? { images } : {}),
    ...(asked.thread_id === null ? {} : { thread_id: asked.thread_id }),
    ...mention,
  });
  list.current?.showEnd();
}
