import t from 'tap';
import { becomes } from '../../../helpers/eventually.js';
import { pluginZip } from './bundle.js';
import { admin, extensions, startWorld } from './world.js';

const activate = `let greeted; ctx.expose({ 'guest.greeted': op('greeted') }, { 'guest.greeted': () => greeted });
  ({ greeting: greeted } = await ctx.call('hello.greet', { name: 'all' }));`;

for (const [what, dependencies] of Object.entries({ 'on its own': {}, 'that depends on the other': { hello: '*' } })) {
  t.test(`a starting plugin ${what} can call another: after installation, after a restart, and after its return`, async (t) => {
    const zip = pluginZip({ activate, dependencies, permissions: { operations: ['hello.greet'] } });
    const world = await startWorld(t);
    await world.install(zip);
    t.equal(await world.ask('guest.greeted'), 'Hello, all');
    await world.kernel.close();
    const again = await startWorld(t, { extensions, settings: { data_dir: world.data_dir } });
    t.match(await again.record('guest'), { state: 'active', error: null });
    t.equal(await again.ask('guest.greeted'), 'Hello, all');
    await again.kernel.invoke('plugins.disable', { name: 'hello' }, admin);
    await again.kernel.invoke('plugins.enable', { name: 'hello' }, admin);
    await becomes(t, async () => (await again.record('guest')).state, 'active');
    t.equal(await again.ask('guest.greeted'), 'Hello, all');
  });
}
