import { type Column, type Opened, type Panel, Records, useCall, useOpened } from '../../tui/kit/index.js';
import type { VirtualMember } from '../members/contract.js';
import { type PanelApi, type Props, readWork, type Work, workFrames } from './panel/api.js';
import { Employee } from './panel/employee.js';

const colours = { working: 'good', waiting: 'warn', paused: 'bad', offline: 'dim', idle: undefined } as const;

/** Shows AI employees and their current work. */
function View(props: Props) {
  const { client, me, size } = props;
  const employees = useCall((signal) => client.members.list_virtual({}, { signal }), [client], { every_ms: 5_000, on: workFrames });
  const works = useCall((signal) => readWork({ client, me }, signal), [client, me.id], { every_ms: 2_000, on: workFrames });
  const opening = useOpened(
    props.opened,
    (opened) => employeeOf(opened, client),
    () => undefined,
  );
  const of = ({ id }: VirtualMember) => works.value?.filter(({ member_id }) => member_id === id) ?? [];
  const columns: Column<VirtualMember>[] = [
    { title: 'id', value: ({ id }) => id, align: 'right' },
    { title: 'name', value: ({ name }) => name },
    { title: 'post', value: ({ post }) => post },
    { title: 'mode', value: ({ mode }) => mode },
    { title: 'status', value: ({ status }) => status, colour: ({ status }) => colours[status] },
    { title: 'now', value: (row) => summary(of(row)), grow: true },
  ];
  const again = () => {
    works.again();
    employees.again();
  };
  return (
    <Records
      rows={employees.value}
      error={employees.error ?? works.error}
      columns={columns}
      idOf={({ id }) => id}
      opening={opening}
      height={size.rows}
      empty="No AI employees yet. Create one: platform employee create <name>"
      details={(row) => <Employee panel={props} employee={row} works={works.value} again={again} />}
    />
  );
}

/** Finds the AI employee, directly or through its run or approval. */
async function employeeOf({ kind, id }: Opened, client: Props['client']): Promise<VirtualMember> {
  const member_id = await memberOf(kind, id, client);
  const found = (await client.members.list_virtual({})).find((one) => one.id === member_id);
  if (found === undefined) throw new Error(`There is no AI employee ${member_id}`);
  return found;
}

async function memberOf(kind: Opened['kind'], id: Opened['id'], client: Props['client']): Promise<number> {
  if (kind === 'run') return (await client.runs.get({ task_id: String(id) })).member_id;
  if (kind === 'approval') return (await client.approvals.get({ id: String(id) })).member_id;
  return Number(id);
}

/** Summarises current work in a few words. */
function summary(works: readonly Work[]): string {
  const asking = works.filter(({ approval }) => approval !== undefined);
  if (asking.length > 0) return `asks for ${asking.map(({ approval }) => approval?.name).join(', ')}`;
  const [first] = works;
  if (first === undefined) return '';
  return [first.doing || first.status, ...(works.length > 1 ? [`and ${works.length - 1} more`] : [])].join(' ');
}

export default { title: 'AI employees', order: 30, opens: ['employee', 'run', 'approval'], View } satisfies Panel<PanelApi>;
