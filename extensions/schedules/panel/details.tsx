import {
  type Action,
  ago,
  type Column,
  duration,
  Fields,
  Log,
  type PanelProps,
  Records,
  useCall,
  useSpace,
} from '../../../tui/kit/index.js';
import type { Preview, Run, Schedule, SchedulesApi } from '../contract.js';
import { statusKind } from './status.js';

interface Props extends Pick<PanelProps<SchedulesApi>, 'client' | 'clock'> {
  schedule: Schedule;
}

const max_runs = 100;
const coming = 3;

/** A schedule's details: its action, next planned times and runs. */
export function ScheduleDetails({ client, schedule, clock }: Props) {
  const { rows } = useSpace();
  const { id, name, action, params, trigger_type, trigger_value, timezone, next_run_at } = schedule;
  const preview = useCall((signal) => client.schedules.preview({ id, count: coming }, { signal }), [client, id, next_run_at]);
  const history = useCall((signal) => client.schedules.history({ id, limit: max_runs, offset: 0 }, { signal }), [client, id], {
    every_ms: 5_000,
    on: ['schedule.run'],
  });
  const fields: [string, unknown][] = [
    ['Name', name],
    ['Does', `${action} ${JSON.stringify(params)}`],
    ['When', `${trigger_type} ${trigger_value}${trigger_type === 'cron' ? `, ${timezone}` : ''}`],
    ['Next', schedule.enabled ? timesOf(preview.value) : `it is off${reasonOf(schedule)}`],
  ];
  return (
    <>
      <Fields of={fields} />
      <Records
        rows={history.value?.items}
        error={history.error ?? preview.error}
        columns={columnsAt(clock)}
        idOf={(run) => run.id}
        height={Math.max(2, rows - fields.length)}
        details={(run) => <Log lines={linesOf(run)} follow={false} wrap />}
        actions={[stopOf(client, history.again)]}
        empty="No runs yet"
      />
    </>
  );
}

function timesOf(preview: Preview | undefined): string {
  return preview === undefined ? '…' : preview.times.map(({ local }) => local).join('; ') || 'never';
}

function reasonOf({ disabled_reason }: Schedule): string {
  return disabled_reason === null ? '' : `: ${disabled_reason.replaceAll('_', ' ')}`;
}

function columnsAt(clock: () => number): Column<Run>[] {
  return [
    { title: 'run', value: ({ id }) => id, align: 'right' },
    { title: 'status', value: ({ status }) => status, colour: ({ status }) => statusKind(status) },
    { title: 'planned', value: ({ scheduled_for }) => ago(scheduled_for, clock()) },
    { title: 'took', value: ({ duration_ms }) => (duration_ms === null ? '-' : duration(duration_ms)), align: 'right' },
    { title: 'result', value: ({ error_code, result }) => [error_code, result].filter(Boolean).join(': '), grow: true },
  ];
}

function stopOf(client: Props['client'], again: () => void): Action<Run> {
  return {
    key: 's',
    label: 'stop',
    when: ({ status }) => status === 'queued' || status === 'running',
    confirm: ({ id }) => `Stop run ${id}?`,
    run: async ({ id, schedule_id }) => {
      await client.schedules.cancel({ id: schedule_id, run_id: id });
      again();
    },
  };
}

function linesOf({ id, status, trigger, scheduled_for, started_at, finished_at, attempt, error_code, result, ...run }: Run): string[] {
  return [
    `Run ${id}: ${status}${error_code ? ` (${error_code})` : ''}, ${trigger}, attempt ${attempt}`,
    `Planned ${scheduled_for}${run.missed_until ? ` to ${run.missed_until} (${run.missed_count} times)` : ''}`,
    `Started ${started_at}, ended ${finished_at ?? '-'}`,
    '',
    ...result.split('\n'),
  ];
}
