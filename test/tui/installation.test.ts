import t from 'tap';
import type { Transport } from '../../kernel/client/transport.js';
import { readInstallation } from '../../tui/installation.js';

const me = { id: 1, username: 'ada', role: 'admin' };

/** A server that answers those, and nothing else. */
function server(answers: Record<string, unknown>): Transport {
  return {
    call: async ({ id }) => ({ status: 200, body: answers[id] }),
    stream: () => t.fail('no stream is open') as never,
    close: async () => undefined,
  };
}

const read = (answers: object, known?: Awaited<ReturnType<typeof readInstallation>>) =>
  readInstallation(
    server({ 'catalog.get': { generation: 3, operations: {}, panels: [] }, 'auth.me': me, ...answers }),
    AbortSignal.timeout(30_000),
    known,
  );

t.test('unchanged parts are kept, but not for another role or process', async (t) => {
  const known = await read({});
  t.equal(await read({}, known), known);
  const demoted = await read({ 'auth.me': { ...me, role: 'member' } }, known);
  t.equal(demoted.me.role, 'member');
  const operations = {
    'a.b': { extension: 'a', method: 'GET', path: '/api/a', kind: 'call', input: {}, who: 'member', status: 200, summary: '' },
  };
  const restarted = await read({ 'catalog.get': { generation: 3, operations, panels: [] } }, known);
  t.same([...restarted.extensions], ['a']);
});
