import { Button, failureText, Icon, useFormat, useMember, useTexts } from '@platform/kit';
import { useState, useSyncExternalStore } from 'react';
import type { Message } from '../contract.js';
import { useConversation } from './conversation-context.js';
import { texts } from './texts.js';

/** Shows how a reply stands: that it is being written, with a button that stops it; that it was stopped or failed; or what it took. */
export function ReplyState({ message }: { message: Message }) {
  if (message.status === 'streaming') return <Writing message={message} />;
  if (message.status === 'failed') return <FailedReply message={message} />;
  return <Ended message={message} />;
}

function Writing({ message }: { message: Message }) {
  const text = useTexts(texts);
  const { acts, feed, session, me } = useConversation();
  const [isStopping, setStopping] = useState(false);
  const task = useSyncExternalStore(feed.subscribe, () => feed.state().tasks.find(({ id }) => id === message.task_id));
  const isRoom = session.target_type === 'room';
  const asker = useMember(isRoom && task?.requested_by !== me ? task?.requested_by : undefined);
  // In a conversation of two the button is beside the field.
  const isStoppable = isRoom && (session.role === 'owner' || task?.requested_by === me);
  if (!isStoppable && !asker) return null;
  const stop = () => {
    setStopping(true);
    acts.stop(message);
  };
  return (
    <div className="chat-reply-state">
      {asker && <span className="chat-facts">{text.reply.writesFor(asker.nickname)}</span>}
      {isStoppable && (
        <Button isSmall icon="stop" isBusy={isStopping} onClick={stop}>
          {isStopping ? text.reply.stopping : text.reply.stop}
        </Button>
      )}
    </div>
  );
}

function FailedReply({ message }: { message: Message }) {
  const text = useTexts(texts);
  const { acts } = useConversation();
  const { code = 'interrupted', message: sentence = '' } = message.error ?? {};
  const { title, detail } = failureText(Object.assign(new Error(sentence), { isFailure: true, code, status: 500 }));
  return (
    <section className="chat-reply-failed" aria-label={title}>
      <Icon name="error" />
      <div>
        <p>
          <strong>{title}</strong>
        </p>
        {detail !== undefined && <p>{detail}</p>}
        {message.content !== '' && <p className="chat-quiet">{text.reply.keptPart}</p>}
      </div>
      <Button isSmall icon="refresh" onClick={() => acts.retry(message)}>
        {text.reply.retry}
      </Button>
    </section>
  );
}

function Ended({ message }: { message: Message }) {
  const text = useTexts(texts);
  const format = useFormat();
  const { acts } = useConversation();
  const { usage, status } = message;
  const took = Date.parse(message.updated_at) - Date.parse(message.created_at);
  const isPlausible = took > 0 && message.reactions.length === 0 && message.reply_count === 0;
  const facts = [
    ...(usage ? [text.reply.tokens(format.number(usage.input_tokens), format.number(usage.output_tokens))] : []),
    ...(isPlausible ? [format.duration(took)] : []),
  ];
  return (
    <div className="chat-reply-state">
      {status === 'aborted' && (
        <>
          <span className="chat-stopped">
            <Icon name="stop" size={14} /> {text.reply.stopped}
          </span>
          <Button isSmall kind="quiet" icon="refresh" onClick={() => acts.retry(message)}>
            {text.reply.retry}
          </Button>
        </>
      )}
      {facts.length > 0 && <span className="chat-facts">{facts.join(' · ')}</span>}
    </div>
  );
}
