import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { InstalledSkill } from '../../../../kernel/contract/index.js';
import { eachPlatform, startCluster } from '../../../helpers/cluster.js';
import { becomes } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { goodSkill } from '../../platform/bundles/world.js';
import { zipOf } from '../../platform/bundles/zip.js';
import { failureOf } from '../../platform/sandbox/world.js';
import { hashOf, pluginZip } from './bundle.js';
import { admin, extensions, trusting, worldOf } from './world.js';

const bytesOf = (name: string) => Buffer.byteLength(goodSkill().find((part) => part.name === name)?.content ?? '');

t.test('lists an installed skill with its text while it is active', async (t) => {
  await eachPlatform(t, { extensions, strict: false, settings: trusting }, async (t, platform) => {
    const world = worldOf(platform);
    const skill = async (id: string) => {
      const asked = platform.kernel.invoke('market.skill', { id }, admin);
      return asked.then(({ body }) => (body as { skill: InstalledSkill | null }).skill, failureOf);
    };
    t.equal(await skill('acme.reports'), null);
    const zip = zipOf(goodSkill());
    await world.install(zip);
    await world.install(pluginZip({ activate: '' }));
    const [{ folder } = { folder: null }] = await world.installed();
    t.strictSame(await skill('acme.reports'), {
      id: 'acme.reports',
      version: '1.2.3',
      content_hash: hashOf(zip),
      folder,
      name: 'reports',
      description: 'Writes reports. Use it when somebody asks for one.',
      body: '# Reports\n',
      files: ['SKILL.md', 'manifest.json', 'scripts/report.py'].map((name) => ({ name, bytes: bytesOf(name) })),
    });
    t.same([await skill('guest'), await skill('hello'), await skill('market')], [null, null, null], 'a plugin is not a skill');
    await platform.kernel.invoke('plugins.disable', { name: 'acme.reports' }, admin);
    t.equal(await skill('acme.reports'), null);
    await platform.kernel.invoke('plugins.enable', { name: 'acme.reports' }, admin);
    t.match(await skill('acme.reports'), { name: 'reports' });

    const file = join(folder as string, 'SKILL.md');
    await chmod(file, 0o644);
    await writeFile(file, 'damaged');
    t.match(await skill('acme.reports'), { code: 'skill_invalid' });
    await world.uninstall('acme.reports');
    t.equal(await skill('acme.reports'), null);
  });
});

const skip = skipWithout('postgres', 'redis');
t.test("another instance follows a change of a skill's script only", { skip }, async (t) => {
  const platforms = await startCluster(t, 2, { extensions, strict: false, settings: trusting });
  const [a, b] = platforms.map(worldOf);
  if (!a || !b) throw new Error('Two instances were started');
  const zipWith = (script: string) =>
    zipOf(goodSkill().map((part) => (String(part.name).startsWith('scripts/') ? { ...part, content: script } : part)));
  const script = async () => {
    const { body } = await b.kernel.invoke('market.skill', { id: 'acme.reports' }, admin);
    const { skill } = body as { skill: InstalledSkill | null };
    return skill && readFile(join(skill.folder, 'scripts/report.py'), 'utf8').catch(() => 'gone');
  };
  await a.install(zipWith('print(1)'));
  await becomes(t, script, 'print(1)');
  await a.install(zipWith('print(2)'));
  await becomes(t, script, 'print(2)');
});
