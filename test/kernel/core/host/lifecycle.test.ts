import { access, cp, readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Ambient } from '../../../../kernel/core/ambient.js';
import { readBundle } from '../../../../kernel/core/plugins/own-bundles.js';
import { becomes } from '../../../helpers/eventually.js';
import { callerOf, fixture, startPlatform, type TestPlatform, temporaryFolder } from '../../../helpers/platform.js';

/** A copy of the hello fixture whose answers show another version. */
async function helloVersion(t: Test, version: string): Promise<string> {
  const folder = await temporaryFolder(t);
  await cp(fixture('hello'), folder, { recursive: true });
  for (const file of ['index.cjs', 'manifest.json']) {
    const text = await readFile(join(folder, file), 'utf8');
    await writeFile(join(folder, file), text.replaceAll('1.0.0', version));
  }
  return folder;
}

/** An extension that owns something, whose release leaves a file, and then does what `rest` says. */
async function owningExtension(t: Test, rest = ''): Promise<{ folder: string; released: () => Promise<boolean> }> {
  const folder = await temporaryFolder(t);
  const mark = join(folder, 'released');
  const manifest = { id: 'owning', name: 'Owning', type: 'plugin', version: '1.0.0', description: 'Owns something.', author: 'tests' };
  const dispose = `() => require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`;
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'index.cjs'), `exports.default = { activate(ctx) { ctx.own({ dispose: ${dispose} }); ${rest} } };`);
  const released = () =>
    access(mark).then(
      () => true,
      () => false,
    );
  return { folder, released };
}

const greet = async (url: string) => {
  const response = await fetch(`${url}/api/x/hello/greet?name=Ada`);
  return { status: response.status, body: (await response.json()) as { version?: string; code?: string; message?: string } };
};

const stateOf = ({ kernel }: TestPlatform, id: string) => kernel.host.catalog.extensions.get(id);

t.test('an extension is disabled and enabled without a restart', async (t) => {
  const platform = await startPlatform(t, { extensions: [fixture('hello')] });
  t.same(await greet(platform.url), { status: 200, body: { greeting: 'Hello, Ada', version: '1.0.0' } });
  await platform.kernel.installer.disable('hello');
  const stopped = await greet(platform.url);
  t.match(stopped, { status: 503, body: { code: 'extension_unavailable', message: /hello/ } });
  await t.rejects(platform.kernel.invoke('hello.greet', { name: 'Ada' }, callerOf()), { code: 'operation_not_found' });
  await platform.kernel.installer.enable('hello');
  t.match(await greet(platform.url), { status: 200 });
});

t.test('dependents of a disabled extension are disabled, not failed, and the platform is ready', async (t) => {
  const platform = await startPlatform(t, { extensions: [fixture('ledger'), fixture('ledger-watch'), fixture('hello')] });
  await platform.kernel.installer.disable('ledger');
  t.match(stateOf(platform, 'ledger-watch'), {
    state: 'disabled',
    error: "Extension 'ledger-watch' needs ledger ^1.0.0 but it is not active",
  });
  t.equal((await fetch(`${platform.url}/readyz`)).status, 200);
  t.match(await greet(platform.url), { status: 200 });
  await platform.kernel.installer.enable('ledger');
  t.match(stateOf(platform, 'ledger-watch'), { state: 'active' });
});

t.test('work that an extension starts in the background is not part of the starting request', async (t) => {
  const { folder } = await owningExtension(t, `setTimeout(() => ctx.log.info('It goes on'), 1);`);
  const surroundings = new Ambient<object>();
  const seen: (object | undefined)[] = [];
  const write = (line: string) => void (line.includes('It goes on') && seen.push(surroundings.current()));
  const { kernel } = await startPlatform(t, { extensions: [folder], log: { write } });
  await becomes(t, () => seen.length, 1);
  await surroundings.run({}, () => kernel.installer.reload('owning'));
  await becomes(t, () => seen.length, 2);
  await surroundings.run({}, () => kernel.installer.disable('owning'));
  await surroundings.run({}, () => kernel.installer.enable('owning'));
  await becomes(t, () => seen.length, 3);
  t.same(seen, [undefined, undefined, undefined]);
});

t.test('a disabled extension stays disabled after a restart', async (t) => {
  const data_dir = await temporaryFolder(t);
  const first = await startPlatform(t, { extensions: [fixture('hello')], settings: { data_dir } });
  await first.kernel.installer.disable('hello');
  await first.kernel.close();
  const second = await startPlatform(t, { extensions: [fixture('hello')], settings: { data_dir } });
  t.equal(stateOf(second, 'hello')?.state, 'disabled');
});

t.test('a replacement serves at once, while slow calls and open streams of the old version finish', async (t) => {
  const platform = await startPlatform(t, { extensions: [fixture('hello')] });
  const slow = fetch(`${platform.url}/api/x/hello/slow`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ms: 400 }),
  });
  const stream = fetch(`${platform.url}/api/x/hello/count?to=40&every_ms=10`);
  const reader = await stream;
  await platform.kernel.installer.install(await helloVersion(t, '1.1.0'));
  t.match(await greet(platform.url), { status: 200, body: { version: '1.1.0' } });
  t.same(await (await slow).json(), { version: '1.0.0' });
  const events = (await reader.text()).split('\n').filter((line) => line.startsWith('data:'));
  t.equal(events.length, 40);
  t.ok(events.every((line) => line.includes('"version":"1.0.0"')));
});

t.test('installed extensions are active after a restart', async (t) => {
  const data_dir = await temporaryFolder(t);
  const first = await startPlatform(t, { extensions: [fixture('hello')], settings: { data_dir } });
  await first.kernel.installer.install(await helloVersion(t, '1.2.0'));
  await first.kernel.close();
  const second = await startPlatform(t, { extensions: [fixture('hello')], settings: { data_dir } });
  t.match(await greet(second.url), { body: { version: '1.2.0' } });
});

t.test('a failed replacement keeps the old version serving', async (t) => {
  const platform = await startPlatform(t, { extensions: [fixture('hello')] });
  const folder = await helloVersion(t, '2.0.0');
  await writeFile(join(folder, 'index.cjs'), "exports.default = { activate() { throw new Error('no'); } };");
  await t.rejects(platform.kernel.installer.install(folder), {
    code: 'extension_failed',
    message: "Extension 'hello' 2.0.0 failed to start: no",
  });
  t.match(await greet(platform.url), { status: 200, body: { version: '1.0.0' } });
  t.match(stateOf(platform, 'hello'), { state: 'active', manifest: { version: '1.0.0' } });
});

t.test('a faulty extension reports its reason and does not affect others', async (t) => {
  const names = ['hello', 'broken-import', 'broken-activate', 'needs-missing', 'cycle-a', 'cycle-b'];
  const platform = await startPlatform(t, { extensions: names.map(fixture) });
  t.match(await greet(platform.url), { status: 200 });
  const errors = Object.fromEntries(names.map((name) => [name, stateOf(platform, name)?.error]));
  t.same(errors, {
    hello: undefined,
    'broken-import': "Extension 'broken-import' 1.0.0 failed to start: This bundle is broken at import",
    'broken-activate': "Extension 'broken-activate' 1.0.0 failed to start: This extension is broken in activate",
    'needs-missing': "Extension 'needs-missing' needs missing ^1.0.0 but it is not active",
    'cycle-a': "Extension 'cycle-a' depends on itself: cycle-a → cycle-b → cycle-a",
    'cycle-b': "Extension 'cycle-b' depends on itself: cycle-b → cycle-a → cycle-b",
  });
  const logged = platform.lines.filter(({ level }) => level === 'error').map(({ extension, msg }) => [extension, msg]);
  t.same(
    { hello: undefined, ...Object.fromEntries(logged) },
    errors,
    'the log has the reason too, because nobody else learns it at a start',
  );
  const response = await fetch(`${platform.url}/api/x/broken-activate`);
  t.match([response.status, await response.json()], [503, { code: 'extension_unavailable', message: /broken in activate/ }]);
});

t.test('at the start a waiting extension that fails is tried once', async (t) => {
  const { folder } = await owningExtension(t, "throw new Error('broken');");
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as object;
  await writeFile(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, dependencies: { hello: '^1.0.0' } }));
  const { lines } = await startPlatform(t, { extensions: [folder, fixture('hello')] });
  const errors = lines.filter(({ level }) => level === 'error').map(({ msg }) => msg);
  t.same(errors, ["Extension 'owning' 1.0.0 failed to start: broken"]);
});

t.test('a built-in extension that could not start with its dependency is tried again', async (t) => {
  const busy = join(await temporaryFolder(t), 'busy');
  await writeFile(busy, '');
  const { folder } = await owningExtension(t, `if (require('node:fs').existsSync(${JSON.stringify(busy)})) throw new Error('too busy');`);
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as object;
  await writeFile(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, dependencies: { hello: '^1.0.0' } }));
  const tries: (() => void)[] = [];
  const after = (_ms: number, work: () => void) => {
    tries.push(work);
    return () => undefined;
  };
  const platform = await startPlatform(t, { extensions: [folder, fixture('hello')], timers: { random: () => 0.5, after } });
  t.match(stateOf(platform, 'owning'), { state: 'failed' });
  t.equal(tries.length, 1);
  await unlink(busy);
  for (const again of tries) again();
  await becomes(t, () => platform.kernel.host.running.has('owning'), true);
});

t.test('a rejected start leaves nothing to retry', async (t) => {
  const { folder } = await owningExtension(t, "throw new Error('broken');");
  const { folder: needed } = await owningExtension(t, "throw new Error('broken too');");
  const manifest = JSON.parse(await readFile(join(needed, 'manifest.json'), 'utf8')) as object;
  await writeFile(join(needed, 'manifest.json'), JSON.stringify({ ...manifest, id: 'vital', required: true }));
  const tries = { begun: 0, cancelled: 0 };
  const after = () => {
    tries.begun += 1;
    return () => {
      tries.cancelled += 1;
    };
  };
  const start = startPlatform(t, { extensions: [folder, needed], timers: { random: () => 0.5, after } });
  await t.rejects(start, { message: /'vital' 1.0.0 failed to start: broken too/ });
  t.same(tries, { begun: 1, cancelled: 1 });
});

t.test('at the start each extension is activated once, also one that waits for another', async (t) => {
  const { lines } = await startPlatform(t, { extensions: [fixture('ledger-watch'), fixture('ledger')], settings: { log_level: 'debug' } });
  const activated = lines.filter(({ msg }) => msg === 'activated').map(({ extension }) => extension);
  t.same(activated, ['kernel', 'system', 'ledger', 'ledger-watch']);
});

t.test('a failed activation releases what it has acquired', async (t) => {
  const { folder, released } = await owningExtension(t, "throw new Error('no');");
  const platform = await startPlatform(t, { extensions: [folder, fixture('broken-activate')] });
  t.match(stateOf(platform, 'owning'), { state: 'failed' });
  t.equal(await released(), true);
  t.equal(platform.kernel.host.catalog.operations.has('broken.answer'), false);
});

t.test('a start that cannot listen stops everything already started', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.teardown(() => taken.close());
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as { port: number };
  const { folder, released } = await owningExtension(t);
  const settings = { data_dir: await temporaryFolder(t), port };
  await t.rejects(startPlatform(t, { extensions: [folder], settings }), { code: 'port_in_use' });
  t.equal(await released(), true);
  await startPlatform(t, { extensions: [folder], settings: { ...settings, port: 0 } });
});

t.test('a replacement gets events the old version missed, from its activation on', async (t) => {
  const deaf = await owningExtension(t);
  const { kernel } = await startPlatform(t, { listen: false, extensions: [deaf.folder] });
  const marks = await temporaryFolder(t);
  const mark = `({ payload }) => require('node:fs').writeFileSync(${JSON.stringify(`${marks}/`)} + payload.text, '')`;
  const hearing = await owningExtension(t, `ctx.listen('tests.told', async ${mark});`);
  const emit = (text: string) => kernel.workbench.emit('tests.told', { text });
  await emit('before');
  await kernel.host.replace(await readBundle(hearing.folder), hearing.folder);
  await emit('after');
  await becomes(t, () => readdir(marks), ['after']);
  await kernel.installer.reload('owning');
  await emit('on');
  await becomes(t, async () => (await readdir(marks)).sort(), ['after', 'on']);
});

t.test('endless work of a replaced version does not delay the end of the process', async (t) => {
  const { folder, released } = await owningExtension(t, 'ctx.track(new Promise(() => {}));');
  const { kernel } = await startPlatform(t, { extensions: [folder] });
  await writeFile(join(folder, 'index.cjs'), 'exports.default = { activate() {} };');
  await kernel.installer.reload('owning');
  await kernel.close();
  t.equal(await released(), false, 'the old version was still working');
});

t.test('two extensions cannot claim the same path', async (t) => {
  const platform = await startPlatform(t, { extensions: [fixture('hello')] });
  await t.rejects(platform.kernel.installer.install(fixture('conflicting-claim')), {
    code: 'extension_conflict',
    message: "Extension 'conflicting-claim' claims /api/x/hello, which belongs to 'hello'",
  });
  t.match(await greet(platform.url), { status: 200 });
});

t.test('a conflict at the start fails only the later extension', async (t) => {
  const platform = await startPlatform(t, { extensions: [fixture('conflicting-claim'), fixture('hello')] });
  t.match(stateOf(platform, 'hello'), { state: 'failed', error: /claims \/api\/x\/hello/ });
  t.match(stateOf(platform, 'conflicting-claim'), { state: 'active' });
});

t.test('stopping does not wait for an extension that never stops', async (t) => {
  const platform = await startPlatform(t, { extensions: [fixture('slow-stop'), fixture('hello')] });
  const disabling = platform.kernel.host.disable('slow-stop');
  await platform.kernel.installer.disable('hello');
  t.match(await greet(platform.url), { status: 503 });
  t.match(await disabling, { operations: 1, faults: ['deactivate() did not end in time'] });
});

t.test('an unknown extension is distinguished from a disabled one', async (t) => {
  const { kernel } = await startPlatform(t, { extensions: [fixture('hello')] });
  for (const change of ['disable', 'enable', 'reload'] as const) {
    await t.rejects(kernel.installer[change]('nobody'), { code: 'plugin_not_found', status: 404 });
  }
  await t.rejects(kernel.installer.disable('kernel'), { code: 'extension_required', status: 409 });
});
