import { useState } from 'react';
import {
  type Action,
  ago,
  type Column,
  counted,
  type Form,
  FormView,
  mayAdminister,
  type Panel,
  type PanelProps,
  Records,
  Text,
  useCall,
  useKeys,
  useOpened,
} from '../../tui/kit/index.js';
import type { Schedule, SchedulesApi } from './contract.js';
import { ScheduleDetails } from './panel/details.js';
import { newSchedule } from './panel/new.js';
import { statusKind } from './panel/status.js';

type Props = PanelProps<SchedulesApi>;

const page_size = 200;

function View(props: Props) {
  return mayAdminister(props.me) ? <List {...props} /> : <Text>Schedules are for administrators.</Text>;
}

function List(props: Props) {
  const { client, size, clock, focused } = props;
  const read = (signal: AbortSignal) => client.schedules.list({ limit: page_size, offset: 0 }, { signal });
  const list = useCall(read, [client], { every_ms: 10_000, on: ['schedule.run'] });
  const [form, setForm] = useState<Form>();
  const opening = useOpened(
    props.opened,
    ({ id }) => client.schedules.get({ id: Number(id) }),
    () => setForm(undefined),
  );
  const add = { key: 'n', label: 'new', changes: true, run: () => setForm(newSchedule(client)) };
  useKeys([add], focused && form === undefined);
  if (form) return <FormView form={form} close={() => setForm(undefined)} again={list.again} />;
  const columns: Column<Schedule>[] = [
    { title: 'id', value: ({ id }) => id, align: 'right' },
    { title: 'name', value: ({ name }) => name, grow: true },
    { title: 'when', value: ({ trigger_value }) => trigger_value },
    { title: 'action', value: ({ action }) => action },
    { title: 'next run', value: (row) => nextOf(row, clock()), colour: ({ enabled }) => (enabled ? undefined : 'dim') },
    { title: 'last', value: ({ last_status }) => last_status ?? '-', colour: ({ last_status }) => statusKind(last_status) },
  ];
  return (
    <>
      <Text kind="dim">{list.value ? counted(list.value.total, 'schedule') : ''}</Text>
      <Records
        rows={list.value?.items}
        error={list.error}
        columns={columns}
        idOf={({ id }) => id}
        opening={opening}
        height={size.rows - 1}
        details={(schedule) => <ScheduleDetails {...{ client, schedule, clock }} />}
        actions={actionsOf(client, list.again)}
        remove={{
          question: ({ name }) => `Delete ${name} with its history? This cannot be undone.`,
          run: async ({ id }) => {
            await client.schedules.delete({ id });
            list.again();
          },
        }}
        empty="No schedules yet; press n to create one"
      />
    </>
  );
}

function nextOf({ enabled, next_run_at, disabled_reason }: Schedule, now: number): string {
  return enabled ? ago(next_run_at, now) : (disabled_reason ?? 'off').replaceAll('_', ' ');
}

function actionsOf(client: Props['client'], again: () => void): Action<Schedule>[] {
  const then = (change: (row: Schedule) => Promise<unknown>) => async (row: Schedule) => {
    await change(row);
    again();
  };
  return [
    {
      key: 'r',
      label: 'run now',
      confirm: ({ name }) => `Run ${name} now?`,
      run: then(({ id }) => client.schedules.run({ id })),
    },
    { key: 't', label: 'on or off', run: then(({ id }) => client.schedules.toggle({ id })) },
  ];
}

export default { title: 'Schedules', order: 60, opens: ['schedule'], View } satisfies Panel<SchedulesApi>;
