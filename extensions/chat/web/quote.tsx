import { Icon, oneLine, useTexts } from '@platform/kit';
import type { Message } from '../contract.js';
import { api } from './api.js';
import { useConversation } from './conversation-context.js';
import { texts } from './texts.js';

/** Shows the message that another one answers, on one line; pressing it goes there. */
export function Quote({ message }: { message: Message }) {
  const text = useTexts(texts);
  const { acts, session, feed } = useConversation();
  const id = message.reply_to as string;
  // In a conversation of two an answer stands below its question.
  const isPlain = session.target_type === 'ai' && message.role === 'assistant';
  const shown = feed.find(id);
  const read = api.useRead('messages.get', { message_id: id }, { enabled: !isPlain && shown === undefined });
  const asked = shown ?? read.data;
  if (isPlain || !asked) return null;
  const { sender_name, content, deleted_at } = asked;
  return (
    <button type="button" className="chat-quote" onClick={() => acts.show(id)}>
      <Icon name="reply" size={14} />
      <strong>{sender_name}</strong>
      <span>{deleted_at === null ? oneLine(content) || text.message.attachment : text.message.deleted}</span>
    </button>
  );
}
