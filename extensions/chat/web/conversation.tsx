import { Failed, type ListPlace, Loading, late, useFrames, useGo, useKept, useMe, useShortcut, useTexts } from '@platform/kit';
import { Suspense, useCallback, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { Session } from '../contract.js';
import { api, sessions_input } from './api.js';
import { Composer, type ComposerHandle } from './composer.js';
import { ConversationProvider } from './conversation-context.js';
import { ConversationHead } from './conversation-head.js';
import { MessageList, type MessageListHandle, NothingYet } from './message-list.js';
import { PendingMessages } from './pending-messages.js';
import { askEarly } from './recent-windows.js';
import { useAddressee } from './session-name.js';
import { texts } from './texts.js';
import { TypingLine } from './typing-line.js';
import { useActs } from './use-acts.js';
import { useDrop } from './use-drop.js';
import { useFeed, useWindow } from './use-feed.js';
import { useJump } from './use-jump.js';
import { useOpenedUnread } from './use-opened-unread.js';
import { useSeen } from './use-seen.js';
import { lastOwn, useSend } from './use-send.js';

const Thread = late(async () => (await import('./thread.js')).Thread);
const Details = late(async () => (await import('./details.js')).Details);

export interface ConversationProps {
  session_id: string;
  message_id: string | undefined;
  /** The panel beside the messages. */
  panel: { kind: 'thread'; id: string } | { kind: 'details' } | undefined;
}

/** Shows a conversation. The record comes from the list if it is there, so that the messages are read at once. */
export function Conversation(props: ConversationProps) {
  const { session_id } = props;
  const listed = api
    .cached('sessions.list', sessions_input)
    .get()
    ?.find(({ id }) => id === session_id);
  const read = api.useRead('sessions.get', { session_id }, { on: ['session.updated'] });
  const session = read.data ?? listed;
  const { message_id, panel } = props;
  // The key of a conversation is its id, so this is done once for each.
  useState(() => session === undefined && message_id === undefined && panel?.kind !== 'thread' && askEarly(session_id));
  if (session) return <Open {...props} session={session} />;
  return <div className="chat-list-state">{read.error ? <Failed error={read.error} again={read.again} /> : <Loading lines={8} />}</div>;
}

function Open({ session, session_id, message_id, panel }: ConversationProps & { session: Session }) {
  const text = useTexts(texts);
  const me = useMe().id;
  const go = useGo();
  const feed = useFeed(session_id);
  const unread = useOpenedUnread(session);
  // In a thread the list shows the message with which it begins.
  const target = panel?.kind === 'thread' && message_id !== undefined ? panel.id : message_id;
  const [place] = useKept<ListPlace | undefined>(`chat.place.${session_id}`, undefined);
  const { messages, state } = useWindow(feed, {
    session_id,
    around: target ?? (place && !place.isAtEnd && unread === 0 ? place.key : undefined),
    recalls: unread === 0,
  });
  const [edited, setEdited] = useState<string>();
  const list = useRef<MessageListHandle>(null);
  const composer = useRef<ComposerHandle>(null);
  const { tasks, isInterrupted } = useSyncExternalStore(feed.subscribe, feed.state);
  const own = useMemo(() => tasks.filter(({ requested_by }) => requested_by === me), [tasks, me]);
  const running = own.find(({ status }) => status === 'running' || status === 'waiting_approval');
  const acts = useActs({ session, feed, messages, setEdited, list, composer });
  const parts = useMemo(() => ({ session, me, feed, acts }), [session, me, feed, acts]);
  const { send, waiting } = useSend({ session, messages, state, list, running });
  const drop = useDrop((files) => composer.current?.attach(files));
  const onSeen = useSeen(session_id);
  useJump({ message_id: target, messages, list, isReady: state.phase === 'ready' });
  useFrames(['session.left'], ({ data }) => data.session_id === session_id && go('/chat', { replace: true }));
  const stop = useCallback(() => {
    for (const { id } of own) api.call('tasks.cancel', { task_id: id }).catch(acts.failed);
  }, [own, acts]);
  useShortcut('mod+.', text.keys.stop, () => own.length > 0 && stop());
  const editLast = () => {
    const last = lastOwn(messages, me);
    setEdited(last);
    if (last !== undefined) list.current?.show(last);
    return last !== undefined;
  };
  const name = session.title || text.notes;
  const addressee = useAddressee(session);
  return (
    <ConversationProvider value={parts}>
      <div className="chat-conversation" data-panel={panel?.kind}>
        <section className="chat-main" aria-label={name} {...drop.handlers}>
          <ConversationHead />
          <MessageList
            ref={list}
            place={session_id}
            label={text.list.label(name)}
            messages={messages}
            state={state}
            edited={edited}
            target={target}
            unread={unread}
            empty={<NothingYet title={text.list.empty} hint={text.list.emptyHint[session.target_type || 'notes']} />}
            onSeen={onSeen}
          />
          <PendingMessages items={waiting} />
          <TypingLine session_id={session_id} tasks={tasks} me={me} isInterrupted={isInterrupted} />
          <Composer
            ref={composer}
            draft={session_id}
            session_id={session_id}
            label={text.composer.label(addressee)}
            mayJoin={running !== undefined}
            onSend={send}
            onEditLast={editLast}
            onStop={own.length > 0 && session.target_type !== 'room' ? stop : undefined}
          />
          {drop.isOver && <div className="chat-drop">{text.composer.drop}</div>}
        </section>
        <Suspense
          fallback={
            <aside className="chat-panel">
              <Loading />
            </aside>
          }
        >
          {panel?.kind === 'thread' && <Thread key={panel.id} thread_id={panel.id} message_id={message_id} />}
          {panel?.kind === 'details' && <Details />}
        </Suspense>
      </div>
    </ConversationProvider>
  );
}
