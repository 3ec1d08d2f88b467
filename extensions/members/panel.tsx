import { useState } from 'react';
import {
  type Action,
  ago,
  Box,
  type Column,
  counted,
  Fields,
  type Form,
  FormView,
  mayAdminister,
  number,
  type Panel,
  type PanelProps,
  Records,
  Text,
  useCall,
  useKeys,
  useOpened,
  usePresence,
} from '../../tui/kit/index.js';
import type { Member, MembersApi, Seats } from './contract.js';

type Props = PanelProps<MembersApi>;

const page_size = 200;
const max_pages = 5;

function View(props: Props) {
  const { client, me, size, clock } = props;
  const list = useCall((signal) => readAll(client, signal), [client], { every_ms: 5_000 });
  const seats = useCall((signal) => client.members.seats({}, { signal }), [client], { every_ms: 15_000 });
  const presence = usePresence();
  const [form, setForm] = useState<Form>();
  const opening = useOpened(
    props.opened,
    ({ id }) => client.members.get({ id: Number(id) }),
    () => setForm(undefined),
  );
  const isAdmin = mayAdminister(me);
  const status = ({ id }: Member) => presence.get(id)?.status ?? 'offline';
  const columns: Column<Member>[] = [
    { title: 'id', value: ({ id }) => id, align: 'right' },
    { title: 'username', value: ({ username }) => username },
    { title: 'name', value: ({ nickname }) => nickname, grow: true },
    { title: 'kind', value: kindOf },
    { title: 'presence', value: status, colour: (row) => colours[status(row)] },
    { title: 'since', value: ({ created_at }) => ago(created_at, clock()) },
  ];
  const add = () => setForm(newMember(client));
  useKeys([{ key: 'n', label: 'new', run: add, changes: true }], isAdmin && props.focused && form === undefined);
  return (
    <Box flexDirection="column">
      <Text kind="dim">{headline(list.value?.total, seats.value)}</Text>
      {form ? (
        <FormView form={form} close={() => setForm(undefined)} again={list.again} />
      ) : (
        <Records
          rows={list.value?.items}
          error={list.error}
          columns={columns}
          idOf={({ id }) => id}
          opening={opening}
          height={size.rows - 1}
          details={(row) => <Details row={row} seen_at={presence.get(row.id)?.last_seen_at} status={status(row)} now={clock()} />}
          actions={isAdmin ? actionsOf(client, setForm, list.again) : []}
          remove={isAdmin ? removal(client, list.again) : undefined}
        />
      )}
    </Box>
  );
}

const colours = { online: 'good', away: 'warn', dnd: 'bad', offline: 'dim' } as const;

async function readAll(client: Props['client'], signal: AbortSignal): Promise<{ items: Member[]; total: number }> {
  const items: Member[] = [];
  for (let page = 1; ; page += 1) {
    const answer = await client.members.list({ page, page_size }, { signal });
    items.push(...answer.items);
    if (answer.items.length < page_size || page === max_pages) return { items, total: answer.total };
  }
}

function headline(total: number | undefined, seats: Seats | undefined): string {
  const prefix = total !== undefined && total > page_size * max_pages ? `the first ${number(page_size * max_pages)} of ` : '';
  const members = total === undefined ? '' : `${prefix}${counted(total, 'member')}`;
  if (!seats) return members;
  return `${members}  seats: ${number(seats.used)} of ${seats.limit === 0 ? 'unlimited' : number(seats.limit)}  AI employees: ${number(seats.ai_employees)}`;
}

function kindOf({ is_virtual, role, active }: Member): string {
  const kind = is_virtual ? 'AI employee' : role;
  return active ? kind : `${kind} (inactive)`;
}

interface DetailsProps {
  row: Member;
  status: string;
  seen_at: string | null | undefined;
  now: number;
}

function Details({ row, status, seen_at, now }: DetailsProps) {
  const seen = status === 'offline' && seen_at ? `${status}, last seen ${ago(seen_at, now)}` : status;
  return (
    <Fields
      of={[
        ['Id', row.id],
        ['User name', row.username],
        ['Name', row.nickname],
        ['Kind', kindOf(row)],
        ['Presence', seen],
        ['Node', row.remote_node_id ?? '-'],
        ['Since', `${row.created_at} (${ago(row.created_at, now)})`],
      ]}
    />
  );
}

function actionsOf(client: Props['client'], setForm: (form: Form) => void, again: () => void): Action<Member>[] {
  const isPerson = ({ is_virtual }: Member) => !is_virtual;
  const other = ({ role }: Member) => (role === 'admin' ? 'member' : 'admin');
  return [
    { key: 'e', label: 'rename', run: (row) => setForm(renaming(client, row)) },
    { key: 'p', label: 'password', run: (row) => setForm(newPassword(client, row)), when: isPerson },
    {
      key: 'r',
      label: 'role',
      when: isPerson,
      confirm: (row) => `Make ${row.username} ${other(row) === 'admin' ? 'an administrator' : 'an ordinary member'}? Its logins end.`,
      run: async (row) => {
        await client.members.update({ id: row.id, role: other(row) });
        again();
      },
    },
    {
      key: 'a',
      label: 'active',
      confirm: (row) =>
        row.active
          ? `Make ${row.username} inactive? Its logins, tasks and schedules end; its data stays.`
          : `Make ${row.username} active again?`,
      run: async (row) => {
        await client.members.update({ id: row.id, active: !row.active });
        again();
      },
    },
  ];
}

function removal(client: Props['client'], again: () => void) {
  return {
    question: ({ username }: Member) => `Delete ${username} with its chat sessions and work? This cannot be undone.`,
    run: async ({ id }: Member) => {
      await client.members.delete({ id });
      again();
    },
  };
}

function newMember(client: Props['client']): Form {
  return {
    title: 'New member',
    done: 'Member created',
    fields: [
      { name: 'kind', label: 'Kind', choices: ['member', 'admin', 'AI employee'] },
      { name: 'username', label: 'User name' },
      { name: 'nickname', label: 'Name' },
      { name: 'password', label: 'Password (not for an AI employee)', secret: true },
    ],
    send: ({ kind, username = '', nickname, password }) =>
      client.members.create({
        username,
        ...(nickname ? { nickname } : {}),
        ...(kind === 'AI employee' ? { is_virtual: true } : { role: kind as Member['role'], ...(password ? { password } : {}) }),
      }),
  };
}

function renaming(client: Props['client'], { id, username, nickname }: Member): Form {
  return {
    title: `Rename ${username}`,
    done: 'Renamed',
    fields: [{ name: 'nickname', label: 'Name', value: nickname }],
    send: ({ nickname: name = '' }) => client.members.update({ id, nickname: name }),
  };
}

function newPassword(client: Props['client'], { id, username }: Member): Form {
  return {
    title: `New password for ${username}; its logins end`,
    done: 'Password set',
    fields: [{ name: 'new_password', label: 'Password', secret: true }],
    send: ({ new_password = '' }) => client.members.reset_password({ id, new_password }),
  };
}

export default { title: 'Members', order: 20, opens: ['member'], View } satisfies Panel<MembersApi>;
