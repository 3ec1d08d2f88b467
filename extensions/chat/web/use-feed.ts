import { addressOf, useFrames, useLive, useMe, useResync } from '@platform/kit';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { Message, Task } from '../contract.js';
import { api } from './api.js';
import { MessageWindow, type Source, type WindowState } from './message-window.js';
import { recallWindow, rememberWindow, takeEarly } from './recent-windows.js';
import type { Approval, MessageFrame } from './records.js';
import { type OpenStream, SessionFeed } from './session-feed.js';
import { sharedStream } from './shared-stream.js';

const frames = [
  'message.created',
  'message.updated',
  'message.deleted',
  'reaction',
  'task.updated',
  'approval.required',
  'approval.resolved',
] as const;
const max_approvals = 200;
/** Time after which a hidden tab ends its stream. Browsers open few connections to one server, which all tabs share. */
const hidden_ms = 10_000;

/** Follows a conversation while the component is shown. Use a `key` for each conversation. */
export function useFeed(session_id: string): SessionFeed {
  const me = useMe().id;
  const [feed] = useState(() => makeFeed(session_id, me));
  useFrames(frames, ({ type, data }) => {
    const { message, task, approval, ...change } = data as Partial<MessageFrame> & { task?: Task; approval?: Approval };
    const about = message?.session_id ?? task?.session_id ?? (change as { session_id?: string }).session_id;
    if (about !== session_id) return;
    if (message) feed.takeFrame({ message, truncated: (change as { truncated?: boolean }).truncated ?? false });
    else if (task) feed.takeTask(task);
    else if (approval) feed.takeApproval(approval, type === 'approval.required');
    else if (type === 'message.deleted') feed.takeDeletion((change as { message_id: string }).message_id);
    else if (type === 'reaction') feed.takeReaction(change as Parameters<SessionFeed['takeReaction']>[0]);
  });
  const read = () => {
    void readOpen(feed, { session_id, me });
  };
  useResync(read);
  useEffect(() => {
    void readOpen(feed, { session_id, me });
    const end = whileVisible(
      () => feed.follow(),
      () => feed.pause(),
    );
    return () => {
      end();
      feed.dispose();
    };
  }, [feed, session_id, me]);
  return feed;
}

function makeFeed(session_id: string, me: number): SessionFeed {
  const open: OpenStream = (after, signal) =>
    api.stream('sessions.stream', { session_id, ...(after === undefined ? {} : { after }) }, { signal });
  const feed: SessionFeed = new SessionFeed({
    me,
    open: sharedStream({ name: `${addressOf('/chat')} ${me} ${session_id}`, open, catchUp: () => feed.catchUp() }),
  });
  return feed;
}

/** Reads which tasks and approvals are open. Others' tasks in a room come with the stream. */
async function readOpen(feed: SessionFeed, { session_id, me }: { session_id: string; me: number }): Promise<void> {
  const tasks = api
    .call('tasks.active', {})
    .then((all) => {
      const others = feed.state().tasks.filter(({ requested_by }) => requested_by !== me);
      feed.setTasks([...others, ...all.filter((task) => task.session_id === session_id)]);
    })
    .catch(() => undefined);
  const approvals = !api.can('approvals.list')
    ? undefined
    : api
        .call('approvals.list', { status: 'pending', limit: max_approvals, offset: 0 })
        .then((all) => feed.setApprovals(all.filter((approval) => approval.session_id === session_id)))
        .catch(() => undefined);
  await Promise.all([tasks, approvals]);
}

/** Calls the first function now and whenever the tab is shown, and the second one when it has been hidden for a while. */
function whileVisible(show: () => void, hide: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changed = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(hide, hidden_ms);
    else show();
  };
  changed();
  document.addEventListener('visibilitychange', changed);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', changed);
    hide();
  };
}

interface WindowOptions {
  session_id: string;
  /** The first message of a thread. */
  thread_id?: string;
  /** The message around which it opens. */
  around?: string | undefined;
  /** Whether the messages are shown at once as they were when the conversation was left. */
  recalls?: boolean;
}

/** Returns the messages of a conversation, outside of its threads, or of one thread. */
export function useWindow(
  feed: SessionFeed,
  { session_id, thread_id, around, recalls = false }: WindowOptions,
): { messages: MessageWindow; state: WindowState } {
  const [{ messages, recalled }] = useState(() => {
    const found = recalls && thread_id === undefined && around === undefined ? recallWindow(session_id) : undefined;
    return { messages: new MessageWindow(sourceOf(session_id, thread_id), found), recalled: found };
  });
  const first = useRef(around);
  useEffect(() => {
    const detach = feed.attach(messages);
    const isLatest = thread_id === undefined && first.current === undefined;
    const early = isLatest && !recalled ? takeEarly(session_id) : undefined;
    void openWindow(messages, { around: first.current, isRecalled: recalled !== undefined, early });
    return () => {
      detach();
      if (thread_id === undefined) rememberWindow(session_id, messages.state());
    };
  }, [feed, messages, recalled, session_id, thread_id]);
  useResync(() => void messages.catchUp());
  const { state: line } = useLive();
  const was = useRef(line);
  useEffect(() => {
    if (line === 'live' && was.current === 'offline') void messages.catchUp();
    was.current = line;
  }, [line, messages]);
  return { messages, state: useSyncExternalStore(messages.subscribe, messages.state) };
}

interface OpenOptions {
  around: string | undefined;
  /** Whether it has messages from before. */
  isRecalled: boolean;
  /** The latest messages, which were asked for before. */
  early: Promise<Message[]> | undefined;
}

async function openWindow(messages: MessageWindow, { around, isRecalled, early }: OpenOptions): Promise<void> {
  if (isRecalled) return messages.catchUp();
  await messages.open(around, early);
  // Messages that came after the early request and before the feed was followed aren't in it.
  if (early) await messages.catchUp();
}

function sourceOf(session_id: string, thread_id: string | undefined): Source {
  return {
    list: (page) => {
      if (thread_id !== undefined) return api.call('messages.list', { thread_id, ...page });
      return api.call('messages.list', { session_id, threads: 'roots', ...page });
    },
    get: (message_id) => api.call('messages.get', { message_id }),
    has: (message) =>
      message.session_id === session_id &&
      (thread_id === undefined ? message.thread_id === null : message.thread_id === thread_id || message.id === thread_id),
  };
}
