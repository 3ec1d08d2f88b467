import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import t from 'tap';
import { run } from '../../../cli/program.js';
import type { Terminal } from '../../../cli/terminal.js';
import { isReserved, reservedWords } from '../../../kernel/core/host/reserved-ids.js';
import { startPlatform, temporaryFolder } from '../../helpers/platform.js';
import { pluginZip } from '../../kernel/core/plugins/bundle.js';
import { extensions as fixtures, startWorld } from '../../kernel/core/plugins/world.js';
import { zipOf } from '../../kernel/platform/bundles/zip.js';
import { idCases } from './ids.js';

const plugin = (id: string) =>
  zipOf([
    {
      name: 'manifest.json',
      content: JSON.stringify({ id, name: 'X', type: 'plugin', version: '1.0.0', description: 'Tries.', author: 'a' }),
    },
    { name: 'index.cjs', content: 'exports.activate = () => undefined;' },
  ]);

t.test('the first word of every platform name is reserved', async (t) => {
  const { kernel } = await startPlatform(t);
  const { operations, claims, extensions } = kernel.host.catalog;
  const taken = reservedWords([...extensions.values()].map(({ manifest }) => manifest));
  const drafts = [...kernel.host.running.values()].map(({ draft }) => draft);
  const names = [
    ...operations.keys(),
    // `/` claims the pages, not a word.
    ...[...claims.keys()].filter((claim) => claim !== '/').map((claim) => claim.replace(/^\/(?:api\/(?:admin\/)?)?/, '')),
    ...[...extensions.keys()],
    ...drafts.flatMap(({ topics, frames, listeners, transactionalListeners: takers }) => [
      ...topics.keys(),
      ...frames.keys(),
      ...listeners.map(({ topic }) => topic),
      ...takers.map(({ topic }) => topic),
    ]),
  ];
  for (const word of new Set(names.map((name) => name.split(/[./]/, 1)[0] as string))) t.ok(isReserved(word, taken), word);
  const file = join(await temporaryFolder(t), 'bundle.zip');
  for (const { name, id, reserved } of idCases) {
    await writeFile(file, plugin(id));
    const found = await kernel.installer.check(file).then(
      () => 'free',
      (fault: { code?: string; status?: number }) => `${fault.code} ${fault.status}`,
    );
    t.equal(found, reserved ? 'id_reserved 409' : 'free', `${name}: ${id}`);
  }
});

t.test('the command line rejects the ids that publishing rejects', async (t) => {
  const folder = await temporaryFolder(t);
  const out = ['--out', join(folder, 'made.zip')];
  const of = async (verb: string, of_kind: string, id: string) => {
    const source = join(folder, of_kind);
    const manifest = { id, name: 'X', type: of_kind, version: '1.0.0', description: 'Tries.', author: 'a' };
    await writeFile(join(source, 'manifest.json'), JSON.stringify(manifest));
    const stderr = new PassThrough().resume();
    const terminal = { env: {}, stdin: process.stdin, stdout: new PassThrough().resume(), stderr, signal: undefined };
    return run(new Command('platform'), ['extension', verb, source, ...(verb === 'pack' ? out : [])], terminal as unknown as Terminal);
  };
  for (const kind of ['skill', 'plugin']) await mkdir(join(folder, kind));
  await writeFile(join(folder, 'skill', 'SKILL.md'), '---\nname: x\ndescription: Tries.\n---\nTry.\n');
  await writeFile(join(folder, 'plugin', 'index.ts'), 'export default { activate: () => undefined };');
  for (const { name, id, reserved } of idCases) t.equal(await of('check', 'skill', id), reserved ? 5 : 0, `${name}: ${id}`);
  for (const verb of ['check', 'pack']) t.equal(await of(verb, 'plugin', 'contacts'), 5, `${verb} a plugin`);
  t.equal(await of('pack', 'skill', 'contacts'), 5, 'pack a skill');
});

t.test('a plugin whose name the platform has reserved since does not run and reports why', async (t) => {
  const before = await startWorld(t);
  const activate = `ctx.expose({ 'guest.greet': op('greet') }, { 'guest.greet': () => 'hi' });`;
  await before.install(pluginZip({ activate }));
  await before.kernel.close();
  // A later version of the platform, with an operation whose first word is the plugin's id.
  const own = join(await temporaryFolder(t), 'own');
  const operation = {
    summary: 'Tells who is here.',
    method: 'GET',
    path: '/api/own',
    who: 'public',
    kind: 'call',
    input: { type: 'object' },
    status: 204,
  };
  await mkdir(own);
  await writeFile(
    join(own, 'manifest.json'),
    JSON.stringify({
      ...{ id: 'own', name: 'Own', type: 'plugin', version: '1.0.0', description: 'New.', author: 'platform', claims: ['/api/own'] },
      contributes: { operations: { 'guest.here': operation } },
    }),
  );
  const { input: _input, kind: _kind, status: _status, ...exposed } = operation;
  await writeFile(
    join(own, 'index.cjs'),
    `exports.activate = (ctx) => ctx.expose({ 'guest.here': ${JSON.stringify(exposed)} }, { 'guest.here': () => undefined });`,
  );
  const after = await startWorld(t, { extensions: [...fixtures, own], settings: { data_dir: before.data_dir } });
  t.match(await after.record('guest'), { state: 'failed', error: /names that begin with 'guest' belong to the platform. Uninstall it/ });
  t.match(await after.ask('guest.greet'), { code: 'operation_not_found' });
  t.match(await after.uninstall('guest'), { operations: 0 });
});
