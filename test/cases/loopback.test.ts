import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import t from 'tap';
import { ownExtension, startPlatform } from '../helpers/platform.js';
import { loopbackCases } from './http/loopback.js';

t.test('metrics without a token are only for direct local requests', async (t) => {
  const { url } = await startPlatform(t, { extensions: [ownExtension('members')] });
  const { port } = new URL(url);
  for (const { name, source, headers, status } of loopbackCases) {
    await t.test(`${name} (${source})`, async (t) => {
      const given = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, value.replace('{port}', port)]));
      const asked = request({ host: '127.0.0.1', port, path: '/metrics', headers: given }).end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      answer.resume();
      t.equal(answer.statusCode, status);
    });
  }
});
