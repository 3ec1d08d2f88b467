import { useState } from 'react';
import {
  type Action,
  Ask,
  ago,
  Box,
  type Column,
  counted,
  type Form,
  FormView,
  mayAdminister,
  number,
  type Panel,
  type PanelProps,
  percent,
  Records,
  sparkline,
  Text,
  useCall,
  useKeys,
  useOpened,
} from '../../tui/kit/index.js';
import type { Node, NodeStatus, NodesApi } from './contract.js';
import { NodeDetails } from './panel/details.js';
import { NodeLog } from './panel/log.js';
import { CommandRun } from './panel/run.js';
import { type Histories, useHistories } from './panel/use-histories.js';

type Props = PanelProps<NodesApi>;
/** Element drawn in place of the list. */
type Open =
  | { what: 'form'; form: Form }
  | { what: 'command'; node: Node }
  | { what: 'log'; node: Node }
  | { what: 'run'; node: Node; command: string }
  | undefined;

const page_size = 200;

function View(props: Props) {
  const { client, size, focused, me } = props;
  const read = (signal: AbortSignal) => client.nodes.list({ limit: page_size, offset: 0 }, { signal });
  const list = useCall(read, [client], { every_ms: 10_000, on: ['node.*'] });
  const histories = useHistories(client, list.value?.items ?? []);
  const [open, setOpen] = useState<Open>(undefined);
  const close = () => setOpen(undefined);
  const opening = useOpened(props.opened, ({ id }) => client.nodes.get({ id: Number(id) }), close);
  const isAdmin = mayAdminister(me);
  const add = () => setOpen({ what: 'form', form: newNode(client) });
  useKeys([{ key: 'n', label: 'new', changes: true, run: add }], isAdmin && focused && open === undefined);
  useKeys([{ key: 'esc', label: 'back', run: close }], focused && (open?.what === 'log' || open?.what === 'run'));
  if (open?.what === 'form') return <FormView form={open.form} close={close} again={list.again} />;
  if (open?.what === 'command') {
    const { node } = open;
    const run = (command: string | undefined) => setOpen(command ? { what: 'run', node, command } : undefined);
    const fields = [{ name: 'command', label: 'Command' }];
    return <Ask title={`Run a command on ${node.name}`} fields={fields} onDone={(values) => run(values?.command)} />;
  }
  if (open?.what === 'log') return <NodeLog client={client} node={open.node} />;
  if (open?.what === 'run') return <CommandRun client={client} node={open.node} command={open.command} />;
  return (
    <Box flexDirection="column">
      <Text kind="dim">{headline(list.value)}</Text>
      <Records
        rows={list.value?.items}
        error={list.error}
        columns={columnsOf(histories, props.clock)}
        idOf={({ id }) => id}
        opening={opening}
        height={size.rows - 1}
        details={(node) => <NodeDetails node={node} history={histories.get(node.id) ?? []} clock={props.clock} />}
        actions={isAdmin ? actionsOf(client, setOpen, list.again) : []}
        remove={isAdmin ? removal(client, list.again) : undefined}
        empty="No work nodes yet; press n to create one"
      />
    </Box>
  );
}

function headline(page: { items: readonly Node[]; total: number } | undefined): string {
  if (!page) return '';
  const online = page.items.filter(({ status }) => status === 'online').length;
  return `${counted(page.total, 'work node')}, ${number(online)} online`;
}

const colours: Record<NodeStatus, 'good' | 'bad' | 'warn' | 'dim'> = {
  online: 'good',
  creating: 'warn',
  offline: 'bad',
  error: 'bad',
  removing: 'dim',
};

const curve_columns = 10;

function columnsOf(histories: Histories, clock: () => number): Column<Node>[] {
  const latest = ({ id }: Node) => histories.get(id)?.at(-1);
  const curve = ({ id }: Node) => {
    const values = (histories.get(id) ?? []).map(({ cpu_usage_percent }) => cpu_usage_percent);
    return sparkline(values, curve_columns, Math.max(10, ...values));
  };
  return [
    { title: 'id', value: ({ id }) => id, align: 'right' },
    { title: 'name', value: ({ name }) => name, grow: true },
    {
      title: 'status',
      value: ({ status, draining }) => (draining ? `${status}, drains` : status),
      colour: ({ status }) => colours[status],
    },
    { title: 'cpu', value: (row) => percent(latest(row)?.cpu_usage_percent), align: 'right' },
    { title: 'over time', value: curve, width: curve_columns },
    { title: 'memory', value: (row) => memoryOf(latest(row)), align: 'right' },
    { title: 'seen', value: ({ last_heartbeat }) => ago(last_heartbeat, clock()) },
  ];
}

function memoryOf(stats: { memory_usage_mb: number; memory_limit_mb: number } | undefined): string {
  return stats === undefined ? '-' : `${number(Math.round(stats.memory_usage_mb))} of ${number(Math.round(stats.memory_limit_mb))} MiB`;
}

function actionsOf(client: Props['client'], setOpen: (open: Open) => void, again: () => void): Action<Node>[] {
  return [
    { key: 'l', label: 'logs', changes: false, run: (node) => setOpen({ what: 'log', node }) },
    {
      key: 'x',
      label: 'exec',
      when: ({ status }) => status === 'online',
      run: (node) => setOpen({ what: 'command', node }),
    },
    {
      key: 'd',
      label: 'drain or not',
      run: async ({ id, draining }) => {
        await client.nodes.drain({ id, draining: !draining });
        again();
      },
    },
  ];
}

function newNode(client: Props['client']): Form {
  return {
    title: 'New work node on the local engine',
    done: 'It is being created',
    fields: [
      { name: 'name', label: 'Name' },
      { name: 'image', label: 'Image (empty: the default)' },
      { name: 'memory_limit', label: 'Memory', value: '512m' },
      { name: 'cpu_limit', label: 'Processors', value: '1.0' },
    ],
    send: ({ name = '', image = '', memory_limit = '', cpu_limit = '' }) =>
      client.nodes.create({ name, config: { ...(image ? { image } : {}), memory_limit, cpu_limit }, respond_async: true }),
  };
}

function removal(client: Props['client'], again: () => void) {
  return {
    question: ({ name }: Node) => `Delete ${name} and everything in its container? This cannot be undone.`,
    run: async ({ id }: Node) => {
      await client.nodes.delete({ id, force: false });
      again();
    },
  };
}

export default { title: 'Nodes', order: 50, opens: ['node'], View } satisfies Panel<NodesApi>;
