import t from 'tap';
import { login } from '../extensions/chat/world.js';
import { fixture, ownExtension, startPlatform } from '../helpers/platform.js';
import { pluginZip } from '../kernel/core/plugins/bundle.js';
import { trusting, worldOf } from '../kernel/core/plugins/world.js';

const source = 'RFC 9110, 15.5.5 and 15.6.4';

t.test(`an unknown path is 404, one of an inactive extension is 503 with the reason (${source})`, async (t) => {
  const extensions = [...['members', 'chat', 'agents', 'schedules'].map(ownExtension), fixture('market'), fixture('hello')];
  const platform = await startPlatform(t, { extensions, settings: trusting });
  const world = worldOf(platform);
  const { token } = await login(t, platform);
  const ask = async (path: string, method = 'GET') => {
    const answer = await fetch(platform.url + path, { method, headers: { authorization: `Bearer ${token}` } });
    const { code, message, request_id } = (await answer.json().catch(() => ({}))) as Record<string, string>;
    return { status: answer.status, code, message, request_id };
  };
  const notFound = { status: 404, code: 'not_found' };
  const unavailable = (message: RegExp) => ({ status: 503, code: 'extension_unavailable', message, request_id: /./ });
  const set = async (name: string, to: 'disable' | 'enable') =>
    t.equal((await ask(`/api/admin/plugins/${name}/${to}`, 'POST')).status, 200, `${to} ${name}`);

  t.match(await ask('/api/nothing'), notFound, 'a path that no extension claims');
  t.match(await ask('/api/members/1/nothing'), notFound, 'a path that an active extension claims and does not serve');
  t.match(await ask('/api/x/guest/greet', 'POST'), notFound, 'a plugin that was never installed');

  await set('chat', 'disable');
  t.match(await ask('/api/chat/sessions'), unavailable(/'chat' is disabled/), 'a disabled extension');
  t.match(await ask('/api/agents'), unavailable(/'agents' needs chat/), 'an extension that depends on a disabled one');
  t.equal((await ask('/api/admin/schedules')).status, 200, 'other extensions are not affected');
  await set('chat', 'enable');
  t.equal((await ask('/api/chat/sessions')).status, 200, 'an enabled extension serves again');
  t.equal((await ask('/api/agents')).status, 200, 'its dependents serve again too');

  await world.install(
    pluginZip({
      activate:
        "ctx.expose({ 'guest.greet': op('greet'), 'guest.die': op('die') }, { 'guest.greet': () => 'hi', 'guest.die': () => process.exit(1) });",
    }),
  );
  t.equal((await ask('/api/x/guest/greet', 'POST')).status, 200);
  await set('guest', 'disable');
  t.match(await ask('/api/x/guest/greet', 'POST'), unavailable(/'guest' is disabled/), 'a disabled plugin');
  await set('guest', 'enable');
  const failing = pluginZip({ version: '2.0.0', activate: "throw new Error('the moon is full');" });
  await t.rejects(world.install(failing));
  t.equal((await ask('/api/x/guest/greet', 'POST')).status, 200, 'the old version serves on if a new one fails');
  await world.uninstall('guest');
  t.match(await ask('/api/x/guest/greet', 'POST'), notFound, 'an uninstalled plugin');
});
