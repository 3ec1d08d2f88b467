import type Docker from 'dockerode';
import t from 'tap';
import { Creation } from '../../../../extensions/nodes/containers/creation.js';
import type { StoredNode } from '../../../../extensions/nodes/store/stored.js';

const config = { image: 'busybox', memory_limit: '64m', cpu_limit: '1.0', network: 'none', host_key: '' };
const node = { id: 1, name: 'box', host: '', config } as unknown as StoredNode;

/** Returns the requests an engine got until the one named `last`, whose answer aborts the work. */
async function askedUntil(last: string): Promise<{ asked: string[]; fault: unknown }> {
  const abort = new AbortController();
  const asked: string[] = [];
  const answering =
    <T>(name: string, answer: T) =>
    async () => {
      asked.push(name);
      if (name === last) abort.abort(new Error('ended'));
      return answer;
    };
  const container = {
    inspect: answering('inspect', { Config: { Entrypoint: ['/image'] } }),
    start: answering('start', undefined),
  };
  const docker = {
    info: answering('info', { NCPU: 4 }),
    listContainers: answering('list', []),
    createContainer: answering('create', container),
  } as unknown as Docker;
  const creation = new Creation({ platform: 'p'.repeat(36), dns: [], pulls: { ensure: async () => undefined } as never });
  const { signal } = abort;
  const fault = await creation.make(node, { docker, signal, onProgress: () => undefined, onReached: async () => undefined }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { asked, fault };
}

t.test('nothing more is started in an engine after the work has ended', async (t) => {
  t.match(await askedUntil('list'), { asked: ['info', 'list'], fault: { message: 'ended' } }, 'no container is created');
  const { asked, fault } = await askedUntil('create');
  t.match(fault, { message: 'ended' });
  t.ok(asked.includes('create'));
  t.notOk(asked.includes('start'), 'a container created meanwhile is not started');
});
