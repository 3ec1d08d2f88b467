import { IconButton, Menu, type MenuEntry, useTexts } from '@platform/kit';
import type { Message } from '../contract.js';
import { api } from './api.js';
import { mayDelete, useConversation } from './conversation-context.js';
import { EmojiPicker } from './emoji-picker.js';
import { texts } from './texts.js';

/** The actions on a message, beside it. */
export function MessageToolbar({ message, isInThread }: { message: Message; isInThread: boolean }) {
  const text = useTexts(texts);
  const { acts } = useConversation();
  const isOver = message.status !== 'streaming';
  return (
    <div className="chat-toolbar" role="toolbar" aria-label={text.message.actions}>
      {isOver && <EmojiPicker onPick={(emoji) => acts.react(message, emoji)} />}
      <IconButton isSmall icon="reply" label={text.message.reply} onClick={() => acts.reply(message)} />
      {!isInThread && <IconButton isSmall icon="thread" label={text.message.openThread} onClick={() => acts.openThread(message)} />}
      <More message={message} />
    </div>
  );
}

/** Keys of actions, by their id. */
const shortcuts: Readonly<Record<string, string>> = { copy: 'c', link: 'l', edit: 'e', delete: 'delete' };

function More({ message }: { message: Message }) {
  const text = useTexts(texts);
  const parts = useConversation();
  const { acts, me } = parts;
  const isOwn = message.sender_id === me && message.role === 'user';
  const isWriting = message.status === 'streaming';
  const item = (id: string, label: string, icon: MenuEntry['icon'], run: () => void): MenuEntry => ({
    ...{ id, label, icon, run },
    keys: shortcuts[id],
  });
  const canRetry = message.role === 'assistant' && (message.status === 'failed' || message.status === 'aborted');
  const items: (MenuEntry | null)[] = [
    item('copy', text.message.copyText, 'copy', () => acts.copyText(message)),
    item('link', text.message.copyLink, 'link', () => acts.copyLink(message)),
    ...(isOwn ? [item('edit', text.message.edit, 'edit', () => acts.edit(message.id))] : []),
    ...(canRetry ? [item('retry', text.reply.retry, 'refresh', () => acts.retry(message))] : []),
    ...(isWriting ? [item('stop', text.reply.stop, 'stop', () => acts.stop(message))] : []),
    ...(!isOwn && api.can('messages.report') ? [item('report', text.message.report, 'report', () => acts.report(message))] : []),
    ...(mayDelete(message, parts) && !isWriting
      ? [null, { ...item('delete', text.message.delete, 'delete', () => acts.remove(message)), danger: true }]
      : []),
  ];
  return <Menu isSmall label={text.message.more} items={items} />;
}
