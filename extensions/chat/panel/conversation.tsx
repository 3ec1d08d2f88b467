import { useEffect, useState } from 'react';
import {
  type Binding,
  Box,
  cut,
  describeAttachment,
  Log,
  oneLine,
  type PendingApproval,
  roomNotice,
  Text,
  useApprovalInput,
  useCall,
  useFailed,
  useKeys,
  useLine,
  useReply,
  useSpace,
  WriteLine,
} from '../../../tui/kit/index.js';
import type { Message, Session } from '../contract.js';
import { chatFrames, type PanelClient, type Props } from './api.js';
import { AttachForm } from './attach-form.js';
import { Files, hasFiles } from './files.js';
import { linesOf, textOf } from './lines.js';
import { Threads } from './threads.js';
import { useAbsence } from './use-absence.js';
import { type Attachments, upload, useAttachments } from './use-attachments.js';
import { useMentions } from './use-mentions.js';
import { useOwnTasks } from './use-own-tasks.js';

export interface ConversationProps {
  panel: Props;
  session: Session;
  /** The first message of a thread, which is shown instead of the whole conversation. */
  thread?: Message | undefined;
}

/** The count of the last messages that are shown. */
const recent = 50;
const max_line_rows = 5;

/** A page that is shown instead of the messages. */
type Page = 'threads' | 'files' | 'attach';

/** A session, or one of its threads: the messages, the reply that is being written, and a line to write in, which is open unless one has left it. */
export function Conversation({ panel, session, thread }: ConversationProps) {
  const { client, clock, focused, readonly, me } = panel;
  const { columns, rows } = useSpace();
  const { id: session_id } = session;
  const failed = useFailed();
  const times = { every_ms: 3_000, on: chatFrames };
  const wanted = thread ? ({ thread_id: thread.id, limit: recent } as const) : ({ session_id, threads: 'roots', limit: recent } as const);
  const messages = useCall((signal) => client.messages.list(wanted, { signal }), [client, session_id, thread?.id], times);
  const current = useCall((signal) => client.sessions.get({ session_id }, { signal }), [client, session_id], times);
  const isRoom = session.target_type === 'room';
  const own = useOwnTasks(panel, session, current.value?.active_task_ids);
  const task_id = own[0] ?? current.value?.active_task_id ?? null;
  const reply = useActiveReply(client, task_id);
  const [isWriting, setWriting] = useState(!readonly);
  useMarkRead(panel, session_id, messages.value?.at(-1)?.id);
  const line = useLine(`chat.line.${thread?.id ?? session_id}`, sentBy(me.id, messages.value));
  const mentions = useMentions(client, current.value ?? session, line);
  const absence = useAbsence(client, current.value ?? session);
  const attachments = useAttachments(thread?.id ?? session_id);
  const [page, setPage] = useState<Page>();
  // In a room only the member who asked decides and stops.
  const isOwn = !isRoom || (task_id !== null && own.includes(task_id));
  const asked = useApprovalInput(client, isOwn ? reply.pending[0] : undefined);
  const stopped = isOwn && task_id !== null ? (isRoom ? own : [task_id]) : [];
  const acts = actsOf(client, { asked, stopped, add: absence.add, open: setPage, pages: pagesOf(messages.value, thread) });
  const write = () => setWriting(true);
  useKeys(
    [...acts.flatMap(({ key, letter, ...act }) => both([letter, key], act)), ...both(['i', 'enter'], { label: 'write', run: write })],
    focused && !isWriting && page === undefined,
  );
  const send = async (content: string) => {
    const { list } = attachments;
    line.set('');
    mentions.clear();
    attachments.set([]);
    try {
      const attached = await upload(client, list);
      absence.note(await client.chat.send({ session_id, content, ...attached, ...(thread ? { thread_id: thread.id } : {}) }));
    } catch (thrown) {
      failed(thrown);
      attachments.set(list);
      if (line.text() === '') line.set(content);
    }
    messages.again();
    current.again();
  };
  const written = isWriting ? line.rows(columns, Math.min(max_line_rows, Math.max(1, rows - 4))) : [];
  const below = (isWriting ? written.length + 1 : 0) + (asked ? (isRoom ? 2 : 1) : 0);
  const shown = linesOf(messages.value ?? [], { now: clock(), writing: task_id === null ? undefined : { task_id, lines: reply.lines } });
  if (page !== undefined)
    return <PageView page={page} of={{ panel, session, messages: messages.value, attachments }} close={() => setPage(undefined)} />;
  return (
    <Box flexDirection="column">
      {messages.error && <Text kind="bad">{`${messages.error.message} (${messages.error.code})`}</Text>}
      <Log
        lines={messages.value === undefined ? ['Loading …'] : shown}
        wrap
        height={Math.max(1, rows - below - (messages.error ? 1 : 0))}
      />
      {asked && isRoom && <Text kind="warn">{roomNotice({ session_id, title: (current.value ?? session).title })}</Text>}
      {asked && <Text kind="warn">{`Approval needed (ctrl-y approves, ctrl-n denies): ${asked.name} ${oneLine(asked.input)}`}</Text>}
      {isWriting && (
        <WriteLine
          title={cut(mentions.hint ?? titleOf(current.value ?? session, { thread, attachments }), columns)}
          line={line}
          rows={written}
          bindings={acts.map(({ key, label, run, changes = true }) => ({ key, label, run, changes }))}
          onSend={(content) => void send(content)}
          sendsEmpty={attachments.list.length > 0}
          onComplete={mentions.complete}
          onLeave={() => setWriting(false)}
        />
      )}
    </Box>
  );
}

interface PageProps {
  page: Page;
  of: Pick<ConversationProps, 'panel' | 'session'> & { messages: readonly Message[] | undefined; attachments: Attachments };
  close: () => void;
}

function PageView({ page, of: { panel, session, messages, attachments }, close }: PageProps) {
  const { rows } = useSpace();
  if (page === 'attach') return <AttachForm attachments={attachments} close={close} />;
  if (page === 'files') return <Files panel={panel} messages={messages} close={close} height={rows} />;
  return (
    <Threads
      panel={panel}
      messages={messages}
      thread={(message) => <Conversation key={message.id} panel={panel} session={session} thread={message} />}
      close={close}
      height={rows}
    />
  );
}

/** Returns the pages that have something to show. */
function pagesOf(messages: readonly Message[] = [], thread?: Message): Page[] {
  return [
    'attach',
    ...(messages.some(hasFiles) ? (['files'] as const) : []),
    ...(thread || messages.length === 0 ? [] : (['threads'] as const)),
  ];
}

/** Something to do beside writing: by a key that writes nothing, and by a letter while the line is left. */
interface Act {
  key: string;
  letter: string;
  label: string;
  run: () => Promise<void>;
  /** Default true. */
  changes?: boolean;
}

interface Choices {
  /** The tool call that waits for the member's approval. */
  asked: PendingApproval | undefined;
  /** Tasks that the member may stop. */
  stopped: readonly string[];
  /** Adds mentioned people to the room. */
  add: (() => Promise<void>) | undefined;
  pages: readonly Page[];
  /** Opens a page. */
  open: (page: Page) => void;
}

const pageKeys = {
  attach: { key: 'ctrl-f', letter: 'f', label: 'attach', changes: true },
  files: { key: 'ctrl-s', letter: 's', label: 'save a file', changes: false },
  threads: { key: 'ctrl-t', letter: 't', label: 'threads', changes: false },
} as const;

function actsOf(client: PanelClient, { asked, stopped, add, pages, open }: Choices): Act[] {
  const decide = (id: string, decision: 'approve' | 'deny') => async () =>
    void (await client.approvals.decide({ id, decision, reason: '' }));
  return [
    ...(asked ? [{ key: 'ctrl-y', letter: 'a', label: 'approve', run: decide(asked.id, 'approve') }] : []),
    ...(asked ? [{ key: 'ctrl-n', letter: 'd', label: 'deny', run: decide(asked.id, 'deny') }] : []),
    ...(stopped.length === 0 ? [] : [{ key: 'ctrl-x', letter: 'x', label: 'stop', run: () => stop(client, stopped) }]),
    ...(add ? [{ key: 'ctrl-a', letter: 'b', label: 'add to room', run: add }] : []),
    ...pages.map((page) => ({ ...pageKeys[page], run: async () => open(page) })),
  ];
}

/** Returns the title of the line to write in. */
function titleOf({ title }: Session, { thread, attachments: { list } }: { thread: Message | undefined; attachments: Attachments }): string {
  const to = thread ? `To the thread of '${textOf(thread)}' in ${oneLine(title)}` : `To ${oneLine(title)}`;
  return list.length === 0 ? to : `${to} with ${list.map(describeAttachment).map(oneLine).join(', ')}`;
}

/** Two keys that do the same; the footer shows the first one. */
function both([first, second]: readonly [string, string], binding: Pick<Binding, 'label' | 'run' | 'changes'>): Binding[] {
  return [
    { changes: true, ...binding, key: first },
    { changes: true, ...binding, key: second, quiet: true },
  ];
}

/** Returns what a member has written, the latest last. */
function sentBy(member_id: number, messages: readonly Message[] = []): string[] {
  return messages.filter(({ sender_id }) => sender_id === member_id).map(({ content }) => content);
}

function useActiveReply(client: PanelClient, task_id: string | null) {
  return useReply(
    (signal, after) =>
      task_id === null ? undefined : client.tasks.stream({ task_id, ...(after === undefined ? {} : { after }) }, { signal }),
    // With another catalog it goes on.
    [task_id],
  );
}

async function stop(client: PanelClient, task_ids: readonly string[]): Promise<void> {
  await Promise.all(task_ids.map((task_id) => client.tasks.cancel({ task_id })));
}

/** Marks the session as read once its last message is seen; not with `--readonly`. */
function useMarkRead({ client, readonly, focused }: Props, session_id: string, last: string | undefined): void {
  const failed = useFailed();
  const reads = focused && !readonly && last !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `last` isn't used within, but each new one is to be marked as read
  useEffect(() => {
    if (reads) client.unread.mark_read({ session_id }).catch(failed);
  }, [client, session_id, last, reads]);
}
