import { useEffect, useState } from 'react';
import { Ask, Box, Log, oneLine, Text, useCall, useFailed, useKeys, useReply, useSpace } from '../../../tui/kit/index.js';
import type { Session } from '../contract.js';
import { chatFrames, type PanelClient, type Props } from './api.js';
import { linesOf } from './lines.js';

export interface ConversationProps {
  panel: Props;
  session: Session;
}

/** So many of the last messages are shown. */
const recent = 50;
const form_rows = 2;

/** A session: its messages, the reply that is being written, and a line to write in. */
export function Conversation({ panel, session }: ConversationProps) {
  const { client, clock, focused } = panel;
  const { rows } = useSpace();
  const { id: session_id } = session;
  const failed = useFailed();
  const times = { every_ms: 3_000, on: chatFrames };
  const messages = useCall((signal) => client.messages.list({ session_id, limit: recent }, { signal }), [client, session_id], times);
  const current = useCall((signal) => client.sessions.get({ session_id }, { signal }), [client, session_id], times);
  const task_id = current.value?.active_task_id ?? null;
  const reply = useActiveReply(client, task_id);
  const [writing, setWriting] = useState(0);
  useMarkRead(panel, session_id, messages.value?.at(-1)?.id);
  const isWriting = writing > 0;
  const [asked] = reply.pending;
  const decide = (decision: 'approve' | 'deny') => async () => {
    if (asked) await client.approvals.decide({ id: asked.id, decision, reason: '' });
  };
  useKeys([{ key: 'i', label: 'write', changes: true, run: () => setWriting(1) }], focused && !isWriting);
  useKeys([{ key: 'x', label: 'stop', changes: true, run: () => stop(client, task_id) }], focused && !isWriting && task_id !== null);
  useKeys(
    [
      { key: 'a', label: 'approve', changes: true, run: decide('approve') },
      { key: 'd', label: 'deny', changes: true, run: decide('deny') },
    ],
    focused && !isWriting && asked !== undefined,
  );
  const send = async (values: Readonly<Record<string, string>> | undefined) => {
    const content = values?.content?.trim() ?? '';
    // An empty line, as esc, ends the writing; after a message one may go on.
    setWriting(content === '' ? 0 : writing + 1);
    if (content === '') return;
    await client.chat.send({ session_id, content }).catch(failed);
    messages.again();
    current.again();
  };
  const below = (isWriting ? form_rows : 0) + (asked ? 1 : 0);
  const shown = linesOf(messages.value ?? [], { now: clock(), writing: task_id === null ? undefined : { task_id, lines: reply.lines } });
  return (
    <Box flexDirection="column">
      {messages.error && <Text kind="bad">{`${messages.error.message} (${messages.error.code})`}</Text>}
      <Log
        lines={messages.value === undefined ? ['Reading …'] : shown}
        wrap
        height={Math.max(1, rows - below - (messages.error ? 1 : 0))}
        active={!isWriting}
      />
      {asked && <Text kind="warn">{`It asks (a approves, d denies): ${asked.name} ${oneLine(asked.input)}`}</Text>}
      {isWriting && (
        <Ask
          key={writing}
          title={`To ${oneLine(session.title)}`}
          fields={[{ name: 'content', label: 'Message' }]}
          onDone={(values) => void send(values)}
        />
      )}
    </Box>
  );
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

/** Who sees the last message has read it; with `--readonly` nothing is changed, this neither. */
function useMarkRead({ client, readonly, focused }: Props, session_id: string, last: string | undefined): void {
  const failed = useFailed();
  const reads = focused && !readonly && last !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `last` isn't used within, but each new one is to be marked as read
  useEffect(() => {
    if (reads) client.unread.mark_read({ session_id }).catch(failed);
  }, [client, session_id, last, reads]);
}
