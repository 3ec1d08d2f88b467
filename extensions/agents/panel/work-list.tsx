import { ago, type Column, number, Records } from '../../../tui/kit/index.js';
import { type Props, type Work, workActions } from './api.js';
import { Watch } from './watch.js';

export interface WorkListProps {
  panel: Props;
  works: readonly Work[] | undefined;
  error?: { code: string; message: string } | undefined;
  again: () => void;
  height: number;
}

const colours = { running: 'good', waiting_approval: 'warn', queued: 'dim' } as const;

/** Lists current work; Enter watches it. */
export function WorkList({ panel, works, error, again, height }: WorkListProps) {
  const { me, clock } = panel;
  const columns: Column<Work>[] = [
    { title: 'status', value: ({ status }) => status, colour: ({ status }) => colours[status as keyof typeof colours] },
    { title: 'for', value: ({ requested_by }) => (requested_by === me.id ? 'you' : `member ${requested_by}`) },
    { title: 'doing', value: ({ approval, doing }) => (approval ? `asks for ${approval.name}` : doing), grow: true },
    { title: 'tokens', value: ({ tokens }) => (tokens === null ? '' : number(tokens)), align: 'right' },
    { title: 'since', value: ({ since }) => ago(since, clock()) },
  ];
  return (
    <Records
      rows={works}
      error={error}
      columns={columns}
      idOf={({ task_id }) => task_id}
      height={height}
      empty="No current work"
      actions={workActions(panel, again)}
      details={(work) => <Watch panel={panel} work={work} again={again} />}
    />
  );
}
