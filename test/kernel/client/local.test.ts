import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { connect } from '../../../kernel/client/connect.js';
import { local } from '../../../kernel/client/local.js';
import { localKeyFile, localSocket } from '../../../kernel/client/local-address.js';
import { operations, type ThingsApi } from './operations.js';

const folder = mkdtempSync(join(tmpdir(), 'local-'));
t.teardown(() => rmSync(folder, { recursive: true }));

t.test('the socket is in the data folder, or under a short name if its path is too long', async (t) => {
  t.equal(localSocket('/srv/data'), '/srv/data/platform.sock');
  const long = `/srv/${'x'.repeat(100)}`;
  t.match(localSocket(long), /platform-[0-9a-f]{16}\.sock$/);
  t.ok(Buffer.byteLength(localSocket(long)) <= 100);
  t.equal(localSocket(long), localSocket(`${long}/sub/..`));
  t.not(localSocket(long), localSocket(`${long}y`));
});

for (const name of ['short', 'long'.repeat(30)]) {
  t.test(`calls through the socket with the key (${name.slice(0, 5)})`, async (t) => {
    const data_dir = join(folder, name);
    mkdirSync(data_dir);
    writeFileSync(localKeyFile(data_dir), 'the-key\n');
    const server = createServer((req, res) => {
      res.setHeader('content-type', 'application/json').end(JSON.stringify({ items: [req.headers.authorization] }));
    });
    server.listen(localSocket(data_dir));
    await once(server, 'listening');
    const transport = local({ data_dir });
    t.teardown(async () => {
      await transport.close();
      server.close();
    });
    t.strictSame(await connect<ThingsApi>(operations, transport).things.list(), { items: ['Local the-key'] });
  });
}

t.test('without a server, or with leftovers of one, the socket is unreachable', async (t) => {
  const data_dir = join(folder, 'empty');
  mkdirSync(data_dir);
  const expected = { code: 'unreachable', message: `The server on ${data_dir} can't be reached: it is not running` };
  t.throws(() => local({ data_dir }), expected);
  writeFileSync(localKeyFile(data_dir), 'left over');
  const client = connect<ThingsApi>(operations, local({ data_dir }));
  await t.rejects(client.things.list(), {
    code: 'unreachable',
    message: `The server on ${data_dir} can't be reached: no server is running`,
  });
});
