import { useTexts } from '@platform/kit';
import type { Message } from '../contract.js';
import { useConversation } from './conversation-context.js';
import { texts } from './texts.js';

/** Shows the reactions to a message; pressing one adds or removes the member's own. */
export function Reactions({ message }: { message: Message }) {
  const text = useTexts(texts);
  const { acts } = useConversation();
  return (
    <div className="chat-reactions">
      {message.reactions.map(({ emoji, count, mine }) => (
        <button
          key={emoji}
          type="button"
          className="chat-reaction"
          aria-pressed={mine}
          aria-label={text.message.reaction(emoji, count)}
          onClick={() => acts.react(message, emoji)}
        >
          <span aria-hidden="true">
            {emoji} {count}
          </span>
        </button>
      ))}
    </div>
  );
}
