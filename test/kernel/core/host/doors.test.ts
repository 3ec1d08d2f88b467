import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { login } from '../../../extensions/chat/world.js';
import { callerOf, ownExtension, startPlatform, temporaryFolder } from '../../../helpers/platform.js';

/** An extension with one door, that calls an operation as whoever comes. */
async function withDoor(t: Test, path: string): Promise<string> {
  const folder = await temporaryFolder(t);
  const manifest = {
    id: 'doorkeeper',
    name: 'Doorkeeper',
    type: 'plugin',
    version: '1.0.0',
    description: 'Has a door.',
    author: 'tests',
    claims: ['/api/doorkeeper'],
  };
  const door = { id: 'door', path, methods: ['GET'], summary: 'Says who comes' };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  await writeFile(
    join(folder, 'index.cjs'),
    `exports.default = { activate(ctx) {
      ctx.door(${JSON.stringify(door)}, async (_request, { request_id }) => {
        const me = await ctx.call('auth.me', {});
        ctx.log.info('Somebody came');
        return Response.json({ username: me.username, request_id });
      });
    } };`,
  );
  return folder;
}

t.test('an extension with a door outside its claims does not start', async (t) => {
  for (const path of ['/api/other', '/api/doorkeeper2', '/healthz']) {
    const platform = await startPlatform(t, { extensions: [await withDoor(t, path)] });
    t.match(platform.kernel.host.catalog.extensions.get('doorkeeper'), {
      state: 'failed',
      error: `Extension 'doorkeeper' exposes ${path}, which is outside the paths that it claims`,
    });
  }
});

t.test('operations called behind a door have its caller, and log lines its request id', async (t) => {
  const platform = await startPlatform(t, { extensions: [ownExtension('members'), await withDoor(t, '/api/doorkeeper')] });
  const { token } = await login(t, platform);
  const ask = () => fetch(`${platform.url}/api/doorkeeper`, { headers: { authorization: `Bearer ${token}` } });
  const { username, request_id } = (await (await ask()).json()) as { username: string; request_id: string };
  t.equal(username, 'admin');
  t.match(
    platform.lines.find(({ msg }) => msg === 'Somebody came'),
    { request_id, extension: 'doorkeeper' },
  );
  await platform.kernel.invoke('plugins.disable', { name: 'doorkeeper' }, callerOf());
  t.equal((await ask()).status, 503, 'the door is gone with its extension');
  await platform.kernel.invoke('plugins.enable', { name: 'doorkeeper' }, callerOf());
  t.equal((await ask()).status, 200);
});
