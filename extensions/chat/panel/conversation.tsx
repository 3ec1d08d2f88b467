import { useEffect, useState } from 'react';
import {
  type Binding,
  Box,
  Log,
  oneLine,
  Text,
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
import { linesOf } from './lines.js';

export interface ConversationProps {
  panel: Props;
  session: Session;
}

/** The count of the last messages that are shown. */
const recent = 50;
const max_line_rows = 5;

/** A session: its messages, the reply that is being written, and a line to write in, which is open unless one has left it. */
export function Conversation({ panel, session }: ConversationProps) {
  const { client, clock, focused, readonly, me } = panel;
  const { columns, rows } = useSpace();
  const { id: session_id } = session;
  const failed = useFailed();
  const times = { every_ms: 3_000, on: chatFrames };
  const messages = useCall((signal) => client.messages.list({ session_id, limit: recent }, { signal }), [client, session_id], times);
  const current = useCall((signal) => client.sessions.get({ session_id }, { signal }), [client, session_id], times);
  const task_id = current.value?.active_task_id ?? null;
  const reply = useActiveReply(client, task_id);
  const [isWriting, setWriting] = useState(!readonly);
  useMarkRead(panel, session_id, messages.value?.at(-1)?.id);
  const line = useLine(`chat.line.${session_id}`, sentBy(me.id, messages.value));
  const [asked] = reply.pending;
  const decide = (decision: 'approve' | 'deny') => async () => {
    if (asked) await client.approvals.decide({ id: asked.id, decision, reason: '' });
  };
  const acts: Act[] = [
    ...(asked ? [{ key: 'ctrl-y', letter: 'a', label: 'approve', run: decide('approve') }] : []),
    ...(asked ? [{ key: 'ctrl-n', letter: 'd', label: 'deny', run: decide('deny') }] : []),
    ...(task_id === null ? [] : [{ key: 'ctrl-x', letter: 'x', label: 'stop', run: () => stop(client, task_id) }]),
  ];
  const write = () => setWriting(true);
  useKeys(
    [
      ...acts.flatMap(({ key, letter, label, run }) => both([letter, key], { label, run })),
      ...both(['i', 'enter'], { label: 'write', run: write }),
    ],
    focused && !isWriting,
  );
  const send = async (content: string) => {
    line.set('');
    try {
      await client.chat.send({ session_id, content });
    } catch (thrown) {
      failed(thrown);
      if (line.text() === '') line.set(content);
    }
    messages.again();
    current.again();
  };
  const written = isWriting ? line.rows(columns, Math.min(max_line_rows, Math.max(1, rows - 4))) : [];
  const below = (isWriting ? written.length + 1 : 0) + (asked ? 1 : 0);
  const shown = linesOf(messages.value ?? [], { now: clock(), writing: task_id === null ? undefined : { task_id, lines: reply.lines } });
  return (
    <Box flexDirection="column">
      {messages.error && <Text kind="bad">{`${messages.error.message} (${messages.error.code})`}</Text>}
      <Log
        lines={messages.value === undefined ? ['Loading …'] : shown}
        wrap
        height={Math.max(1, rows - below - (messages.error ? 1 : 0))}
      />
      {asked && <Text kind="warn">{`Approval needed (ctrl-y approves, ctrl-n denies): ${asked.name} ${oneLine(asked.input)}`}</Text>}
      {isWriting && (
        <WriteLine
          title={`To ${oneLine(session.title)}`}
          line={line}
          rows={written}
          bindings={acts.map(({ key, label, run }) => ({ key, label, run, changes: true }))}
          onSend={(content) => void send(content)}
          onLeave={() => setWriting(false)}
        />
      )}
    </Box>
  );
}

/** Something to do beside writing: by a key that writes nothing, and by a letter while the line is left. */
interface Act {
  key: string;
  letter: string;
  label: string;
  run: () => Promise<void>;
}

/** Two keys that do the same; the footer shows the first one. */
function both([first, second]: readonly [string, string], binding: Pick<Binding, 'label' | 'run'>): Binding[] {
  return [
    { ...binding, key: first, changes: true },
    { ...binding, key: second, changes: true, quiet: true },
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

async function stop(client: PanelClient, task_id: string | null): Promise<void> {
  if (task_id !== null) await client.tasks.cancel({ task_id });
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
