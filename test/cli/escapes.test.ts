import t from 'tap';
import { adminPassword, callerOf, ownExtension } from '../helpers/platform.js';
import { pluginZip } from '../kernel/core/plugins/bundle.js';
import { extensions, startWorld } from '../kernel/core/plugins/world.js';
import { failureOf } from '../kernel/platform/sandbox/world.js';
import { shellFor } from './shell.js';

/** Clears the screen, renames the window, hides what was written. */
const evil = 'evil \u001B[2J\u001B]0;owned\u0007\u009B8m\r\u202E';
const text = JSON.stringify(evil);

t.test('rejects a bundle with terminal escapes in any text', async (t) => {
  const world = await startWorld(t);
  const described = `ctx.expose({ 'guest.say': op('say', { summary: ${text}, input: (j) => j.object({ how: j.string().description(${text}) }) }) },
    { 'guest.say': () => 1 });`;
  const table: [string, Buffer][] = [
    ['name', pluginZip({ name: evil })],
    ['description', pluginZip({ description: evil })],
    ['author', pluginZip({ author: evil })],
    ['contributes.operations.guest.say.summary', pluginZip({ activate: described })],
  ];
  for (const [path, zip] of table) {
    t.match(await world.install(zip).catch(failureOf), { code: 'manifest_invalid', details: [{ path }] }, path);
  }
  t.same(await world.installed(), []);
});

t.test('answers, failures and logs of a plugin cannot control a terminal', async (t) => {
  const world = await startWorld(t, { extensions: [...extensions, ownExtension('members')] });
  const activate = `const { failures } = require('platform/contract');
    ctx.log.warn(${text});
    ctx.expose({ 'guest.say': op('say', { failures: ['guest_failed'], input: (j) => j.object({ how: j.string() }) }) }, { 'guest.say': ({ how }) => {
      if (how === 'fail') throw failures({ guest_failed: 409 })('guest_failed', ${text});
      if (how === 'word') return ${text};
      return how === 'list' ? [{ [${text}]: ${text} }] : { text: ${text} };
    } }, { guest_failed: 409 });`;
  await world.install(pluginZip({ activate }));
  t.match(await world.ask('guest.say'), { text: evil }, 'the escape is in the answer itself');
  const { body } = await world.kernel.invoke('auth.login', { username: 'admin', password: adminPassword }, callerOf({ member_id: 0 }));
  const { access_token: PLATFORM_TOKEN } = body as { access_token: string };
  const shell = await shellFor(t, { PLATFORM_URL: world.url, PLATFORM_TOKEN });
  const uses = [
    ['x', 'guest', 'say'],
    ['x', 'guest', 'say', '--how', 'list'],
    ['x', 'guest', 'say', '--how', 'word'],
    ['x', 'guest', 'say', '--how', 'fail'],
    ['x', 'guest', 'say', '--json'],
    ['call', 'guest.say'],
    ['call', 'plugins.get', '--json', '{"name":"guest"}'],
  ];
  for (const args of uses) {
    const { stdout, stderr } = await shell.run(args);
    t.match(stdout + stderr, 'evil', `${args.join(' ')} shows it`);
    t.notMatch(stdout + stderr, /(?![\n\t])[\p{Cc}\u202E]/u, args.join(' '));
  }
});
