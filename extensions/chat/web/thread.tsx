import { Go, Icon, useMe, useTexts } from '@platform/kit';
import { useCallback, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { api } from './api.js';
import { Composer, type ComposerHandle } from './composer.js';
import { ConversationProvider, useConversation } from './conversation-context.js';
import { MessageList, type MessageListHandle, NothingYet } from './message-list.js';
import { PendingMessages } from './pending-messages.js';
import { texts } from './texts.js';
import { useActs } from './use-acts.js';
import { useWindow } from './use-feed.js';
import { lastOwn, useSend } from './use-send.js';

/** Shows a thread beside its conversation: its first message, the replies, and a field to write there. */
export function Thread({ thread_id, message_id }: { thread_id: string; message_id: string | undefined }) {
  const text = useTexts(texts);
  const me = useMe().id;
  const outer = useConversation();
  const { session, feed } = outer;
  const { messages, state } = useWindow(feed, { session_id: session.id, thread_id });
  const [edited, setEdited] = useState<string>();
  const list = useRef<MessageListHandle>(null);
  const composer = useRef<ComposerHandle>(null);
  const acts = useActs({ session, feed, messages, setEdited, list, composer });
  const parts = useMemo(() => ({ session, me, feed, acts }), [session, me, feed, acts]);
  const { send, waiting } = useSend({ session, thread_id, messages, state, list });
  const { tasks } = useSyncExternalStore(feed.subscribe, feed.state);
  const here = new Set(state.messages.map(({ id }) => id));
  const own = tasks.filter(({ requested_by, message_id: asked }) => requested_by === me && here.has(asked));
  const editLast = () => {
    const last = lastOwn(messages, me);
    setEdited(last);
    return last !== undefined;
  };
  const stop = () => {
    for (const { id } of own) api.call('tasks.cancel', { task_id: id }).catch(acts.failed);
  };
  const onSeen = useCallback(() => void api.call('unread.mark_read', { session_id: session.id }).catch(() => undefined), [session.id]);
  return (
    <ConversationProvider value={parts}>
      <aside className="chat-panel" aria-label={text.thread.title}>
        <header className="chat-head">
          <h2>{text.thread.title}</h2>
          <Go to={`/chat/${session.id}`} className="kit-button kit-button-quiet kit-button-icon" aria-label={text.thread.close}>
            <Icon name="close" />
          </Go>
        </header>
        <MessageList
          ref={list}
          place={thread_id}
          label={text.thread.title}
          messages={messages}
          state={state}
          edited={edited}
          target={message_id}
          unread={0}
          isInThread
          empty={<NothingYet title={text.list.empty} hint={text.thread.emptyHint} />}
          onSeen={onSeen}
        />
        <PendingMessages items={waiting} />
        <Composer
          ref={composer}
          draft={`thread.${thread_id}`}
          session_id={session.id}
          label={text.thread.write}
          mayJoin={false}
          onSend={send}
          onEditLast={editLast}
          onStop={own.length > 0 ? stop : undefined}
        />
      </aside>
    </ConversationProvider>
  );
}
