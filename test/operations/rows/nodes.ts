import type { Side } from '../side.js';
import type { Row, Uses } from '../table.js';

const host = 'unix:///nowhere/another.sock';
const away = { status: 'offline', reason_code: 'engine_unavailable' };

/** A node of its own for a row that needs one; its engine never answers. */
const made =
  (rest: object = {}) =>
  async (side: Side) => ({ id: (await side.give<{ id: number }>('nodes.register', named(side))).id, ...rest });

const named = (side: Side) => ({ name: side.newName(), node_type: 'docker', host });

const going = async (side: Side) => {
  const { id } = await made()(side);
  await side.give('nodes.delete', { id });
  return { id };
};

const unknown: Row = { name: 'an unknown id', input: { id: 999_999 }, code: 'node_not_found' };
const unknownWith = (rest: object): Row => ({ ...unknown, input: { id: 999_999, ...rest } });
/** An empty tar file. */
const file = { name: 'empty.tar', bytes: Buffer.alloc(1_024) };
const badId: Row = { name: 'an invalid id', input: { id: 'first' }, code: 'invalid_input' };
const isGoing: Row = { name: 'one that is being deleted', input: going, code: 'node_removing' };
const refused = (name: string, change: object): Row => ({
  name,
  input: { name: 'refused', node_type: 'docker', host, ...change },
  code: 'invalid_input',
});

export const nodesRows: Record<string, Uses> = {
  'nodes.list': {
    success: [
      {
        name: 'lists them, for members without addresses',
        input: async (side) => ({ ...((await made()(side)) && {}), limit: 1 }),
        body: { items: [{ status: 'offline', host: '', reason: '' }] },
      },
      { name: 'returns an empty list', input: { status: 'online' }, body: { items: [], total: 0 } },
    ],
    failures: [
      { name: 'an invalid page', input: { limit: 0 }, code: 'invalid_input' },
      { name: 'an invalid status', input: { status: 'odd' }, code: 'invalid_input' },
    ],
  },
  'nodes.get': {
    success: [
      { name: 'returns one', input: made(), body: { host: '', ...away } },
      { name: 'with its address', asker: 'admin', input: made(), body: { host, ...away } },
    ],
    failures: [unknown, badId],
  },
  'nodes.register': {
    success: [
      { name: 'registers one on an unavailable engine', input: named, body: { host, ...away, container_id: null } },
      {
        name: 'with its own settings',
        input: (side) => ({ ...named(side), config: { image: 'python:3.12', memory_limit: '1.5GiB', cpu_limit: '0.25', network: 'none' } }),
        body: { config: { image: 'python:3.12', memory_limit: '1.5GiB', cpu_limit: '0.25', network: 'none' } },
      },
    ],
    failures: [
      refused('an address that is none', { host: 'somewhere' }),
      refused('a login without what its host must show', { host: 'ssh://root@example.org' }),
      refused('certificates for a socket', { config: { tls: { ca: 'x' } } }),
      refused('a limit that is none', { config: { memory_limit: '512' } }),
      refused('an image that is none', { config: { image: 'Python' } }),
      {
        name: 'a name in use',
        input: async (side) => {
          const node = named(side);
          await side.give('nodes.register', node);
          return node;
        },
        code: 'node_name_taken',
      },
    ],
  },
  'nodes.create': {
    success: [
      {
        name: 'continues after its answer',
        input: (side) => ({ name: side.newName(), respond_async: true }),
        status: 202,
        body: { status: 'creating', host: '' },
      },
    ],
    failures: [
      { name: 'an unavailable engine', input: (side) => ({ name: side.newName() }), code: 'engine_unavailable' },
      { name: 'an invalid limit', input: { name: 'refused', config: { cpu_limit: '-1' } }, code: 'invalid_input' },
      { name: 'a missing name', input: { name: ' ' }, code: 'invalid_input' },
    ],
  },
  'nodes.update': {
    success: [
      { name: 'renames one', input: async (side) => ({ ...(await made()(side)), name: side.newName() }), body: { host } },
      { name: 'changes nothing', input: made(), body: away },
    ],
    failures: [
      unknown,
      badId,
      isGoing,
      { name: 'certificates for a socket', input: made({ config: { tls: { ca: 'x' } } }), code: 'invalid_input' },
    ],
  },
  'nodes.delete': {
    success: [
      { name: 'waits for an unavailable engine', input: made(), status: 202, body: { status: 'removing' } },
      { name: 'does not wait for its removal', input: made({ force: true }), status: 204 },
      { name: 'repeats the deletion', input: going, status: 202 },
    ],
    failures: [unknown, badId],
  },
  'nodes.health': {
    success: [
      {
        name: 'of an unavailable node, for members without the reason',
        input: made(),
        body: { status: 'unhealthy', uptime_seconds: 0, reason: '' },
      },
      { name: 'with the reason', asker: 'admin', input: made(), body: { status: 'unhealthy', last_heartbeat: null } },
    ],
    failures: [unknown, badId, isGoing],
  },
  'nodes.stats': {
    success: [],
    elsewhere: { test: 'extensions/nodes/monitor/operations.long.test.ts', input: made() },
    failures: [unknown, badId, isGoing, { name: 'an unavailable one', input: made(), code: 'node_offline' }],
  },
  'nodes.drain': {
    success: [
      { name: 'drains it', input: made(), body: { draining: true } },
      { name: 'ends its draining', input: made({ draining: false }), body: { draining: false } },
    ],
    failures: [unknown, badId, isGoing],
  },
  'nodes.events': {
    success: [{ name: 'returns it unchanged', input: made(), last: 'node.updated' }],
    failures: [unknown, badId],
  },
  'nodes.exec': {
    success: [],
    elsewhere: { test: 'extensions/nodes/work/admin.long.test.ts', input: made({ command: 'ls' }) },
    failures: [
      unknownWith({ command: 'ls' }),
      { name: 'an unavailable engine', input: made({ command: ['ls', '-l'] }), code: 'node_offline' },
      { name: 'one that is being deleted', input: async (side) => ({ ...(await going(side)), command: 'ls' }), code: 'node_removing' },
      { name: 'no command', input: made({ command: '' }), code: 'invalid_input' },
      { name: 'no program', input: made({ command: [] }), code: 'invalid_input' },
      { name: 'a missing folder', input: made({ command: 'ls', cwd: 'here' }), code: 'invalid_input' },
      { name: 'an invalid user', input: made({ command: 'ls', user: '-x' }), code: 'invalid_input' },
    ],
  },
  'nodes.logs': {
    success: [],
    elsewhere: { test: 'extensions/nodes/work/admin.long.test.ts', input: made() },
    failures: [
      unknown,
      badId,
      isGoing,
      { name: 'an unavailable engine', input: made(), code: 'node_offline' },
      { name: 'more lines than the maximum', input: made({ tail: 10_001 }), code: 'invalid_input' },
      { name: 'an invalid time', input: made({ since: 'yesterday' }), code: 'invalid_input' },
    ],
  },
  'nodes.files_get': {
    success: [],
    elsewhere: { test: 'extensions/nodes/work/admin.long.test.ts', input: made({ path: '/workspace' }) },
    failures: [
      unknownWith({ path: '/workspace' }),
      { name: 'an unavailable engine', input: made({ path: '/workspace' }), code: 'node_offline' },
      { name: 'a missing path', input: made({ path: 'workspace' }), code: 'invalid_input' },
    ],
  },
  'nodes.files_put': {
    success: [],
    elsewhere: { test: 'extensions/nodes/work/admin.long.test.ts', input: made({ path: '/workspace', file }) },
    failures: [
      unknownWith({ path: '/workspace', file }),
      { name: 'an unavailable engine', input: made({ path: '/workspace', file }), code: 'node_offline' },
      { name: 'a missing path', input: made({ path: 'workspace', file }), code: 'invalid_input' },
    ],
  },
};
