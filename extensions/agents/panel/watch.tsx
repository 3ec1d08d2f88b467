import { type ReactNode, useState } from 'react';
import {
  Box,
  Log,
  oneLine,
  type PendingApproval,
  Question,
  questionLines,
  Text,
  useApprovalInput,
  useCall,
  useFailed,
  useKeys,
  useReply,
  useSpace,
} from '../../../tui/kit/index.js';
import { type Props, type Work, workActions } from './api.js';

export interface WatchProps {
  panel: Props;
  work: Work;
  again: () => void;
}

/** Shows one piece of work live: your own with all its output, another member's as far as its settings allow. */
export function Watch(props: WatchProps) {
  return props.work.requested_by === props.panel.me.id ? <Own {...props} /> : <Others {...props} />;
}

interface Decisions {
  /** Element below the watched work: a question or the requested approval. */
  below: ReactNode;
  /** Lines that it occupies. */
  rows: number;
  /** Whether keys control the watched work. */
  isWatching: boolean;
}

/** Handles decisions. Only the approval on screen is decided; stopping asks for confirmation. */
function useDecisions({ panel, work, again }: WatchProps, approval: PendingApproval | undefined): Decisions {
  const failed = useFailed();
  const space = useSpace();
  const [stop, setStop] = useState<{ question: string; go: () => void }>();
  const shown = { ...work, approval };
  const offered = workActions(panel, again).filter(({ when }) => when?.(shown) ?? true);
  const bindings = offered.map(({ key, label, run, when, confirm }) => {
    const go = () => void Promise.resolve(run(shown)).catch(failed);
    // The question of an approval is already on screen.
    const question = when === undefined ? confirm?.(shown) : undefined;
    return { key, label, changes: true, run: () => (question === undefined ? go() : setStop({ question, go })) };
  });
  useKeys(bindings, panel.focused && stop === undefined);
  if (stop) {
    const below = <Question {...stop} close={() => setStop(undefined)} isMine={panel.focused} />;
    return { below, rows: questionLines(stop.question, space).length, isWatching: false };
  }
  return { below: approval && <Asked of={approval} />, rows: approval ? 1 : 0, isWatching: true };
}

function Own(props: WatchProps) {
  const { client } = props.panel;
  const { task_id } = props.work;
  const { rows } = useSpace();
  // Don't depend on the client: reconnecting with each change of the catalog would lose what was read so far.
  const { lines, pending, end, stream } = useReply(
    (signal, after) => client.tasks.stream({ task_id, ...(after === undefined ? {} : { after }) }, { signal }),
    [task_id],
  );
  const asked = useApprovalInput(client, pending[0]);
  const { below, rows: taken, isWatching } = useDecisions(props, asked);
  const state = end ?? (stream.error ? stream.error.message : stream.state === 'waiting' ? 'connecting' : 'working');
  return (
    <Box flexDirection="column">
      <Text kind="dim">{state}</Text>
      <Log lines={lines} wrap height={Math.max(1, rows - 1 - taken)} active={isWatching} />
      {below}
    </Box>
  );
}

function Asked({ of: { name, input } }: { of: PendingApproval }) {
  return <Text kind="warn">{`Approval needed (a approves, d denies): ${oneLine(name)} ${oneLine(input)}`}</Text>;
}

function Others(props: WatchProps) {
  const { client } = props.panel;
  const { task_id, status, doing, approval } = props.work;
  const { rows } = useSpace();
  const { value, error } = useCall((signal) => client.runs.get({ task_id }, { signal }), [client, task_id], { every_ms: 2_000 });
  const { below, rows: taken, isWatching } = useDecisions(props, approval);
  const seen = value?.oversight ? contentOf(value) : ['Only participants see the content: oversight is off for this AI employee.'];
  const asked = approval ? [`? ${approval.name} ${oneLine(approval.input)}`] : [];
  return (
    <Box flexDirection="column">
      <Text kind="dim">{[value?.status ?? status, value?.tool ?? doing].filter(Boolean).join(': ')}</Text>
      <Log
        lines={[...(error ? [error.message] : value ? seen : ['Loading …']), ...asked]}
        wrap
        height={Math.max(1, rows - 1 - taken)}
        active={isWatching}
      />
      {below}
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
