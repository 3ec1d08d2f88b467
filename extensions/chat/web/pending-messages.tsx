import { Button, failureText, Icon, type OutboxItem, Time, useTexts } from '@platform/kit';
import type { JoinInput, Message, SendInput } from '../contract.js';
import { texts } from './texts.js';

const recent = 5;
const skew_ms = 60_000;

/** Leaves out messages that are shown already, because their frame was faster than the answer. */
export function unseen(
  items: readonly OutboxItem<SendInput | JoinInput>[],
  { messages, me }: { messages: readonly Message[]; me: number },
): readonly OutboxItem<SendInput | JoinInput>[] {
  const own = messages.slice(-recent).filter(({ sender_id }) => sender_id === me);
  const isShown = ({ input, created_at }: OutboxItem<SendInput | JoinInput>) =>
    own.some((message) => message.content === input.content && Date.parse(message.created_at) > Date.parse(created_at) - skew_ms);
  return items.filter((item) => item.state !== 'sending' || !isShown(item));
}

/** Shows messages that the server hasn't stored: on their way, waiting for the connection, refused, or so old that the person is asked. */
export function PendingMessages({ items }: { items: readonly OutboxItem<SendInput | JoinInput>[] }) {
  if (items.length === 0) return null;
  return (
    <div className="chat-pending">
      {items.map((item) => (
        <Pending key={item.key} item={item} />
      ))}
    </div>
  );
}

function Pending({ item: { input, state, error, created_at, again, drop } }: { item: OutboxItem<SendInput | JoinInput> }) {
  const text = useTexts(texts);
  const count = (input.files?.length ?? 0) + (('images' in input && input.images?.length) || 0);
  const isStuck = state === 'failed' || state === 'old';
  return (
    <div className="chat-pending-one" data-state={state}>
      <p className="chat-pending-text">{input.content}</p>
      {count > 0 && (
        <p className="chat-quiet">
          <Icon name="attach" size={14} /> {text.pending.attachments(count)}
        </p>
      )}
      <div className="chat-pending-state">
        <Icon name={isStuck ? 'warning' : 'clock'} size={14} />
        <span>
          {state === 'failed' && error ? failureText(error).title : text.pending[state]}
          {state === 'old' && (
            <>
              {' '}
              <Time iso={created_at} ago />
            </>
          )}
        </span>
        {(isStuck || state === 'waiting') && (
          <Button isSmall onClick={again}>
            {text.pending.send}
          </Button>
        )}
        {isStuck && (
          <Button isSmall kind="quiet" onClick={drop}>
            {text.pending.drop}
          </Button>
        )}
      </div>
    </div>
  );
}
