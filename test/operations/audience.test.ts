import t from 'tap';
import { type Caller, isFailure, type ToolProvider } from '../../kernel/contract/index.js';
import type { ActiveOperation } from '../../kernel/core/catalog/catalog.js';
import { callerOf } from '../helpers/platform.js';
import { ExampleWorld } from './examples/world.js';

/** Two members, the first of whom owns most records, and an administrator. */
const callers: readonly Caller[] = [
  callerOf({ member_id: 3, username: 'ada', role: 'member' }),
  callerOf({ member_id: 4, username: 'grace', role: 'member' }),
  callerOf({ member_id: 1, username: 'admin', role: 'admin' }),
];

/** Inputs besides the example: records that not everybody sees everywhere. */
const furtherInputs: Readonly<Record<string, readonly object[]>> = {
  'marketplace.get': ['acme.templates', 'acme.drafts', 'acme.spam', 'acme.webhooks'].map((id) => ({ id, upstream: false })),
  'marketplace.search': [{ limit: 50, offset: 0, upstream: false }],
  'members.list': [{ page_size: 200 }, { active: false }, { is_virtual: true }],
  'members.get': [1, 3, 4, 5, 7, 99].map((id) => ({ id })),
};

t.test('each built-in operation declares its audience, and the same for administrators alone', async (t) => {
  const operations = builtinOperations(await ExampleWorld.start(t));
  t.ok(operations.length > 120, `${operations.length} operations`);
  t.same(
    operations.filter(({ operation }) => operation.audience === undefined).map(({ id }) => id),
    [],
    'all declare it',
  );
  t.same(
    operations.filter(({ operation: { who, audience } }) => (who === 'admin') !== (audience === 'admin')).map(({ id }) => id),
    [],
    'the audience is admin exactly if only administrators may call it',
  );
});

t.test('a read whose audience is the members has the same answer for each of them', async (t) => {
  const world = await ExampleWorld.start(t);
  const reads = builtinOperations(world).filter(
    ({ operation: { audience, kind = 'call', method } }) => audience === 'members' && kind === 'call' && method === 'GET',
  );
  t.ok(reads.length > 5, `${reads.length} operations`);
  for (const { id, example } of reads) {
    for (const input of [example?.()?.input ?? {}, ...(furtherInputs[id] ?? [])]) {
      const [first, ...others] = await answersOf(world, id, input);
      for (const other of others) t.same(other, first, `${id} ${JSON.stringify(input)}`);
    }
  }
  // The comparison would find a difference: only administrators see a node's address.
  const [member, , admin] = await answersOf(world, 'nodes.get', { id: 1 });
  t.notSame(member, admin);
});

t.test("each tool of the platform declares its audience, an operation's the same as the operation", async (t) => {
  const { kernel } = await ExampleWorld.start(t);
  const providers = [...kernel.host.running.values()].flatMap(({ draft }) => (draft.slots.get('agents.tools') ?? []) as ToolProvider[]);
  const use = { employee: { member_id: 5, name: 'Márta' }, asker: callerOf(), node_id: 1, signal: new AbortController().signal };
  const tools = (await Promise.all(providers.map(async (provider) => provider.tools(use)))).flat().filter(({ foreign }) => !foreign);
  const found = Object.fromEntries(tools.map(({ title, audience }) => [title, audience]));
  t.same(
    Object.keys(found).filter((title) => found[title] === undefined),
    [],
    'all declare it',
  );
  t.match(found, {
    'members.list': 'members',
    'sessions.list': 'caller',
    'schedules.list': 'admin',
    schedule: 'admin',
    use_skill: 'members',
    read_skill_file: 'members',
    read_file_attachment: 'caller',
    ...{ shell: 'caller', read_file: 'caller', write_file: 'caller', list_files: 'caller' },
  });
});

function builtinOperations({ kernel: { host } }: ExampleWorld): ActiveOperation[] {
  const { operations, extensions } = host.catalog;
  return [...operations.values()].filter(({ extension }) => extensions.get(extension)?.builtin);
}

/** Returns the answer, or the failure, that each caller gets. */
function answersOf({ kernel }: ExampleWorld, id: string, input: object): Promise<unknown[]> {
  return Promise.all(
    callers.map(async (caller) => {
      try {
        return withoutMeasurements((await kernel.invoke(id, input, caller)).body);
      } catch (fault) {
        if (!isFailure(fault)) throw fault;
        return { code: fault.code, message: fault.message };
      }
    }),
  );
}

/** Returns a body without the figures that change from one call to the next. */
function withoutMeasurements(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (key, value: unknown) => (key === 'uptime_s' || key === 'memory_mb' ? undefined : value));
}
