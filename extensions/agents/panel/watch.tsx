import { Box, Log, oneLine, Text, useCall, useFailed, useKeys, useReply, useSpace } from '../../../tui/kit/index.js';
import { type PanelClient, type Props, type Work, workActions } from './api.js';

export interface WatchProps {
  panel: Props;
  work: Work;
  again: () => void;
}

/** One piece of work while it is done: one's own with all that it writes, another's as far as its settings let see. */
export function Watch({ panel, work, again }: WatchProps) {
  useDecisions(panel, work, again);
  return work.requested_by === panel.me.id ? <Own panel={panel} work={work} /> : <Others client={panel.client} work={work} />;
}

function useDecisions(panel: Props, work: Work, again: () => void): void {
  const failed = useFailed();
  const offered = workActions(panel, again).filter(({ when }) => when?.(work) ?? true);
  const bindings = offered.map(({ key, label, run }) => ({
    key,
    label,
    changes: true,
    run: async () => {
      await Promise.resolve(run(work)).catch(failed);
    },
  }));
  useKeys(bindings, panel.focused);
}

function Own({ panel: { client }, work: { task_id } }: { panel: Props; work: Work }) {
  const { rows } = useSpace();
  const { lines, pending, end, stream } = useReply(
    (signal, after) => client.tasks.stream({ task_id, ...(after === undefined ? {} : { after }) }, { signal }),
    [client, task_id],
  );
  const state = end ?? (stream.error ? stream.error.message : stream.state === 'waiting' ? 'connecting' : 'at work');
  return (
    <Box flexDirection="column">
      <Text kind="dim">{state}</Text>
      <Log lines={lines} wrap height={Math.max(1, rows - 1 - pending.length)} />
      {pending.map(({ id, name, input }) => (
        <Text key={id} kind="warn">{`It asks (a approves, d denies): ${name} ${oneLine(input)}`}</Text>
      ))}
    </Box>
  );
}

function Others({ client, work: { task_id, status, doing } }: { client: PanelClient; work: Work }) {
  const { rows } = useSpace();
  const { value, error } = useCall((signal) => client.runs.get({ task_id }, { signal }), [client, task_id], { every_ms: 2_000 });
  const seen = value?.oversight ? contentOf(value) : ['What it is about only its partners see: oversight is off for this AI employee.'];
  return (
    <Box flexDirection="column">
      <Text kind="dim">{[value?.status ?? status, value?.tool ?? doing].filter(Boolean).join(': ')}</Text>
      <Log lines={error ? [error.message] : value ? seen : ['Reading …']} wrap height={Math.max(1, rows - 1)} />
    </Box>
  );
}

interface Seen {
  message: { content: string } | null;
  reply: { content: string } | null;
}

function contentOf({ message, reply }: Seen): string[] {
  return ['Asked:', message?.content ?? '', '', 'Answered so far:', reply?.content ?? ''];
}
