import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { Ambient } from '../../../../kernel/core/ambient.js';
import type { Outgoing } from '../../../../kernel/platform/http/incoming.js';
import { Pipelines } from '../../../../kernel/platform/http/pipelines.js';

t.test('a pipelined request does not run in the async context that ended the answer before it', async (t) => {
  const requests = new Ambient<{ of: string }>();
  const pipelines = new Pipelines();
  const found: Record<string, string | undefined> = {};
  const server = createServer((req, res) =>
    pipelines.enter(res as unknown as Outgoing, () => {
      found[req.url as string] = requests.current()?.of;
      if (req.url === '/second') res.end('second');
      else setImmediate(() => requests.run({ of: 'another' }, () => res.end('first')));
    }),
  );
  t.teardown(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET /first HTTP/1.1\r\nhost: h\r\n\r\nGET /second HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n');
  t.match(await text(socket), /first.*second$/s);
  t.same(found, { '/first': undefined, '/second': undefined });
});
