import { useState } from 'react';
import t from 'tap';
import type { Node, NodesApi } from '../../../extensions/nodes/contract.js';
import panel from '../../../extensions/nodes/panel.js';
import type { StreamEvent } from '../../../kernel/contract/index.js';
import type { PanelProps } from '../../../tui/kit/index.js';
import { admin, drawPanel, FakeLive, now } from '../drawn.js';

const node = (id: number, name: string, more: Partial<Node> = {}) =>
  ({
    id,
    name,
    host: '',
    config: { image: 'python:3.12-slim', memory_limit: '512m', cpu_limit: '1.0', network: 'internet' },
    status: 'online',
    reason: '',
    since: new Date(now - 3_600_000).toISOString(),
    draining: false,
    walls: { fenced: true, reason: '' },
    last_heartbeat: new Date(now - 5_000).toISOString(),
    ...more,
  }) as Node;

async function* stream(events: StreamEvent[]): AsyncGenerator<StreamEvent> {
  yield* events;
}

function nodesOf(items: Node[]) {
  const calls: unknown[] = [];
  const note = (name: string) => async (input: object) => void calls.push({ [name]: input });
  const nodes = {
    list: async () => ({ items, total: items.length }),
    stats: async () => ({ cpu_usage_percent: 42, memory_usage_mb: 100, memory_limit_mb: 512, disk_usage_mb: 7 }),
    create: note('create'),
    drain: note('drain'),
    delete: note('delete'),
    logs: () => stream([{ id: '1', type: 'log', data: { delta: 'it \u001B[31mstarts\n' } }]),
    exec: (input: object) => {
      calls.push({ exec: input });
      return stream([
        { type: 'output', data: { delta: 'Python ' } },
        { type: 'output', data: { delta: '3.12\n' } },
        { type: 'exit', data: { exit_code: 3, timed_out: false, duration_ms: 40 } },
      ]);
    },
  };
  return { calls, client: { nodes } };
}

const some = () => [node(1, 'box'), node(2, 'far', { status: 'offline', reason: 'The engine does not answer' })];

t.test('the panel shows nodes with their usage, current and over time', async (t) => {
  const drawn = drawPanel(t, panel, nodesOf(some()));
  await drawn.shows('2 work nodes, 1 online');
  await drawn.shows(/> +1 +box +online +42 % +█ +100 of 512 MiB +5 s ago/);
  t.match(drawn.frame, /2 +far +offline +- +- +5 s ago/);
  drawn.press('enter');
  await drawn.shows('python:3.12-slim');
  await drawn.shows(/Memory 100 of 512 MiB/);
  t.ok(drawn.lines.length <= drawn.size.rows);
});

t.test('a command runs once and shows its output with the exit code', async (t) => {
  const { calls, client } = nodesOf(some());
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('box');
  drawn.press('x');
  await drawn.shows('Run a command on box');
  drawn.type('python3 --version');
  drawn.press('enter');
  await drawn.shows('Python 3.12');
  await drawn.shows('Exit code 3 after 40 ms');
  t.same(calls, [{ exec: { id: 1, command: 'python3 --version', timeout_s: 300 } }]);
  drawn.press('esc');
  await drawn.shows('2 work nodes');
});

t.test('the log is followed without terminal escapes', async (t) => {
  const drawn = drawPanel(t, panel, nodesOf(some()));
  await drawn.shows('box');
  drawn.press('l');
  await drawn.shows('it starts');
  t.match(drawn.frame, 'Log of box');
});

t.test('a node can be created, drained and deleted', async (t) => {
  const { calls, client } = nodesOf(some());
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('box');
  drawn.press('n');
  drawn.type('new');
  drawn.press('enter', 'enter', 'enter', 'enter');
  await drawn.becomes(() => calls.length === 1, 'made');
  await drawn.shows('2 work nodes');
  drawn.press('d');
  await drawn.becomes(() => calls.length === 2, 'drained');
  await drawn.becomes(() => drawn.notices.length === 2, 'told');
  drawn.press('ctrl-d', 'y');
  await drawn.becomes(() => calls.length === 3, 'deleted');
  t.same(calls, [
    { create: { name: 'new', config: { memory_limit: '512m', cpu_limit: '1.0' }, respond_async: true } },
    { drain: { id: 1, draining: true } },
    { delete: { id: 1, force: false } },
  ]);
});

t.test('a change is shown at once, and members can only look', async (t) => {
  const items = some();
  const live = new FakeLive();
  const drawn = drawPanel(t, panel, { ...nodesOf(items), live, me: { ...admin, role: 'member' } });
  await drawn.shows('1 online');
  t.same(
    drawn.offered.filter((key) => /^(n|l|x|d|ctrl-d) /.test(key)),
    [],
  );
  items[1] = node(2, 'far');
  live.tell('node.updated', {});
  await drawn.shows('2 online');
});

t.test('a command continues over a change of the catalog', async (t) => {
  const { client } = nodesOf(some());
  const signals: (AbortSignal | undefined)[] = [];
  const exec = async function* (_input: object, { signal }: { signal?: AbortSignal }): AsyncGenerator<StreamEvent> {
    signals.push(signal);
    yield { type: 'output', data: { delta: 'begun\n' } };
    await new Promise(() => undefined);
  };
  let read = 0;
  const list = async () => {
    read += 1;
    return client.nodes.list();
  };
  const first = { nodes: { ...client.nodes, exec, list } };
  let change = () => {};
  const Changing = (props: PanelProps<NodesApi>) => {
    const [given, setGiven] = useState<object>(first);
    change = () => setGiven({ ...first });
    return <panel.View {...props} client={given as typeof props.client} />;
  };
  const drawn = drawPanel(t, { ...panel, View: Changing }, { client: first });
  await drawn.shows('box');
  drawn.press('x');
  await drawn.shows('Run a command on box');
  drawn.type('sleep 9');
  drawn.press('enter');
  await drawn.shows('begun');
  const before = read;
  change();
  await drawn.becomes(() => read > before, 'read from the other one');
  await drawn.shows('Running');
  t.same(
    signals.map((signal) => signal?.aborted),
    [false],
  );
});
