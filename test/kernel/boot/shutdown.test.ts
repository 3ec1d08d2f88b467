import { Agent, request } from 'node:http';
import t from 'tap';
import { openLocalKey } from '../../../kernel/boot/local-key.js';
import { until } from '../../helpers/eventually.js';
import { fixture, startPlatform } from '../../helpers/platform.js';

/** The status of a call of 20 ms, or how it was lost; `refused` where no connection was to be had. */
function call(port: string, agent: Agent): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json' };
    const asked = request({ port, agent, path: '/api/x/hello/slow', method: 'POST', headers }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    });
    asked.once('error', ({ message }) => resolve(asked.reusedSocket ? message : 'refused'));
    asked.end('{"ms":20}');
  });
}

t.test('stopping under load loses no call: each is answered or rejected with 503', async (t) => {
  const { kernel, url } = await startPlatform(t, { extensions: [fixture('hello')] });
  const { port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  t.teardown(() => agent.destroy());
  const seen: (number | string)[] = [];
  const client = async () => {
    for (let found: number | string = 0; found !== 'refused'; seen.push(found)) found = await call(port, agent);
  };
  const clients = Promise.all(Array.from({ length: 8 }, client));
  await until(
    () => seen.length,
    (count) => count > 40,
  );
  await kernel.close();
  await clients;
  t.same(
    [...new Set(seen)].filter((found) => found !== 'refused' && found !== 200 && found !== 503),
    [],
  );
  t.equal(seen.filter((found) => found === 'refused').length, 8);
});

t.test('a second server on the data folder of a running one is rejected, even with a shared database', async (t) => {
  const { data_dir } = await startPlatform(t, { extensions: [fixture('hello')] });
  await t.rejects(openLocalKey(data_dir), { code: 'data_dir_locked', message: `The data folder ${data_dir} is in use by another server` });
});
