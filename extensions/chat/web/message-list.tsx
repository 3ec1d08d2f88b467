import {
  announce,
  Button,
  Empty,
  Failed,
  type ListPlace,
  Loading,
  oneLine,
  useFormat,
  useKept,
  useMe,
  useTexts,
  VirtualList,
  type VirtualListHandle,
} from '@platform/kit';
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { Message } from '../contract.js';
import { focusLast, MessageRow } from './message-row.js';
import type { MessageWindow, WindowState } from './message-window.js';
import { arrange, firstUnread, type Row } from './rows.js';
import { texts } from './texts.js';

export interface MessageListHandle {
  show: (message_id: string, options?: { focus?: boolean }) => void;
  showEnd: () => void;
}

export interface MessageListProps {
  /** Name under which its place is kept. */
  place: string;
  label: string;
  messages: MessageWindow;
  state: WindowState;
  edited: string | undefined;
  /** The message to which an address leads. */
  target: string | undefined;
  /** Number of unread messages when the conversation was opened. */
  unread: number;
  isInThread?: boolean;
  /** Shown if there is no message. */
  empty: ReactNode;
  /** Called when the latest message is in sight. */
  onSeen: (message_id: string) => void;
  ref?: Ref<MessageListHandle>;
}

const spoken_length = 300;
/** Older messages come from a page of the past, and aren't news. */
const fresh_ms = 60_000;

/** Shows the messages of a conversation, of which only those in sight are drawn, and reads further ones as the reader comes near them. */
export function MessageList(props: MessageListProps) {
  const { place, label, messages, state, edited, target, unread, isInThread = false, empty, onSeen, ref } = props;
  const text = useTexts(texts);
  const format = useFormat();
  const me = useMe().id;
  const [kept, keep] = useKept<ListPlace | undefined>(`chat.place.${place}`, undefined);
  const [isAtEnd, setAtEnd] = useState(kept?.isAtEnd ?? true);
  const list = useRef<VirtualListHandle>(null);
  const rows = useRows(state, { unread, me, dayOf: format.date });
  const start = useStart({ rows, kept, target, generation: state.generation });
  const last = state.messages.at(-1);
  const isComplete = !state.hasNewer;
  useSpoken(state.messages, me);
  useEffect(() => {
    if (last && isAtEnd && isComplete && state.phase === 'ready') onSeen(last.id);
  }, [last, isAtEnd, isComplete, state.phase, onSeen]);
  useImperativeHandle(ref, () => ({
    show: (message_id, options) => list.current?.show(message_id, { align: 'center', ...options }),
    showEnd: () => list.current?.scrollToEnd(),
  }));
  const toEnd = () => {
    if (isComplete) list.current?.scrollToEnd();
    else void messages.open();
    setAtEnd(true);
  };
  const onNearStart = useCallback(() => void messages.older(), [messages]);
  const onNearEnd = useCallback(() => void messages.newer(), [messages]);
  if (state.phase === 'loading')
    return (
      <div className="chat-list-state">
        <Loading lines={8} />
      </div>
    );
  if (state.phase === 'failed')
    return (
      <div className="chat-list-state">
        <Failed error={state.error} again={() => void messages.open(target)} />
      </div>
    );
  if (rows.length === 0) return <div className="chat-list-state">{empty}</div>;
  const pressed = (event: KeyboardEvent<HTMLElement>) => {
    const feed = event.target as HTMLElement;
    if (feed.role !== 'feed' || !/^Arrow(Up|Down)$/.test(event.key)) return;
    event.preventDefault();
    focusLast(feed);
  };
  return (
    <div className="chat-list">
      <VirtualList
        key={state.generation}
        ref={list}
        className="chat-feed"
        label={label}
        items={rows}
        keyOf={keyOf}
        shift={state.shift}
        start={start}
        isBusy={state.reading !== undefined}
        onNearStart={onNearStart}
        onNearEnd={onNearEnd}
        onAtEnd={setAtEnd}
        onPlace={keep}
        onKeyDown={pressed}
      >
        {(row, index) => (
          <MessageRow
            key={row.message.id}
            row={row}
            isEdited={edited === row.message.id}
            isTarget={target === row.message.id}
            isInThread={isInThread}
            position={index + 1}
          />
        )}
      </VirtualList>
      {state.reading === 'older' && (
        <p className="chat-reading" data-at="start">
          {text.list.reading}
        </p>
      )}
      {state.error !== undefined && (
        <div className="chat-list-failed">
          <Failed error={state.error} again={() => void messages.catchUp()} />
        </div>
      )}
      {(!isAtEnd || !isComplete) && (
        <div className="chat-to-end">
          <Button isSmall icon="down" onClick={toEnd}>
            {text.list.toLatest}
          </Button>
        </div>
      )}
    </div>
  );
}

const keyOf = ({ message }: Row): string => message.id;

interface RowOptions {
  unread: number;
  me: number;
  dayOf: (iso: string) => string;
}

/** Arranges the messages. The line above the unread ones stays where it was when the conversation was opened. */
function useRows({ messages, phase }: WindowState, { unread, me, dayOf }: RowOptions): Row[] {
  const before = useRef<Row[]>([]);
  const line = useRef<string | undefined>(undefined);
  const isLooked = useRef(false);
  if (phase === 'ready' && !isLooked.current) {
    isLooked.current = true;
    line.current = firstUnread(messages, { count: unread, me });
  }
  return useMemo(() => {
    before.current = arrange(messages, { before: before.current, unread: line.current, dayOf });
    return before.current;
  }, [messages, dayOf]);
}

interface StartOptions {
  rows: readonly Row[];
  kept: ListPlace | undefined;
  target: string | undefined;
  generation: number;
}

/** Decides once for each generation where the list begins: at the wanted message, where it was, at the first unread one, or at the end. */
function useStart({ rows, kept, target, generation }: StartOptions) {
  const chosen = useRef<{ generation: number; start: ListPlace | { key: string; align: 'start' | 'center' } | undefined }>(undefined);
  if (rows.length > 0 && chosen.current?.generation !== generation) {
    const has = (key: string | undefined): key is string => key !== undefined && rows.some(({ message }) => message.id === key);
    const unread = rows.find(({ isFirstUnread }) => isFirstUnread)?.message.id;
    const start = has(target)
      ? ({ key: target, align: 'center' } as const)
      : kept && !kept.isAtEnd && generation === 1 && has(kept.key)
        ? kept
        : has(unread) && generation === 1
          ? ({ key: unread, align: 'start' } as const)
          : undefined;
    chosen.current = { generation, start };
  }
  return chosen.current?.start;
}

/** Says messages of others to screen readers as they arrive, and replies when they have ended. */
function useSpoken(messages: readonly Message[], me: number): void {
  const text = useTexts(texts);
  const spoken = useRef<{ after: string; replies: Set<string> }>(undefined);
  const last = messages.at(-1);
  useEffect(() => {
    if (!last) return;
    if (spoken.current === undefined) {
      const writing = messages.filter(({ status }) => status === 'streaming').map(({ id }) => id);
      spoken.current = { after: last.created_at, replies: new Set(writing) };
      return;
    }
    const { replies } = spoken.current;
    for (const message of messages.slice(-10)) {
      const isNew = message.created_at > spoken.current.after && Date.now() - Date.parse(message.created_at) < fresh_ms;
      if (message.status === 'streaming') replies.add(message.id);
      else if (replies.delete(message.id) || (isNew && message.sender_id !== me)) {
        const content = oneLine(message.content).slice(0, spoken_length);
        announce(message.status === 'failed' ? text.spoken.failed(message.sender_name) : text.spoken.message(message.sender_name, content));
      }
    }
    spoken.current.after = last.created_at;
  }, [messages, last, me, text]);
}

/** Shown where nothing was written yet. */
export function NothingYet({ title, hint }: { title: string; hint: string }) {
  return <Empty icon="message" title={title} text={hint} />;
}
