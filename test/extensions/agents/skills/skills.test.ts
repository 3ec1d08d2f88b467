import t from 'tap';
import { findSkill, Skills } from '../../../../extensions/agents/skills/skills.js';
import type { InstalledExtension, InstalledSkill } from '../../../../kernel/contract/index.js';
import { silentLog } from '../../../helpers/databases.js';
import { blank, listed } from './world.js';

/** The kernel's side, as a test says what is installed; `reads` is what was read, in order. */
function kernelOf(installed: InstalledExtension[], said: Readonly<Record<string, Partial<InstalledSkill>>> = {}) {
  const reads: string[] = [];
  const skill = async (id: string) => {
    reads.push(id);
    if (id.includes('broken')) throw new Error('unreadable');
    const { folder } = installed.find((each) => each.id === id) ?? {};
    return folder ? { ...blank, id, folder, name: id.replace(/.*\./, ''), ...said[id] } : undefined;
  };
  return { reads, extensions: { installed: async () => [...installed], skill } };
}

t.test('active skills are listed in order, and each version is read once', async (t) => {
  const installed = [
    listed('acme.two'),
    listed('acme.one'),
    listed('acme.plugin', { type: 'plugin' }),
    listed('acme.off', { state: 'disabled' }),
    listed('acme.broken'),
    listed('acme.nowhere', { folder: null }),
  ];
  const { extensions, reads } = kernelOf(installed);
  const warnings: string[] = [];
  const skills = new Skills({ extensions, log: { ...silentLog, warn: (message) => void warnings.push(message) } });
  t.same(
    (await skills.of(async () => 'all')).map(({ id, label }) => [id, label]),
    [
      ['acme.one', 'one'],
      ['acme.two', 'two'],
    ],
  );
  t.same(warnings, ["The skill 'acme.broken' can't be read"]);
  t.same(
    (await skills.of(async () => ['acme.two', 'acme.off', 'acme.unknown'])).map(({ id }) => id),
    ['acme.two'],
  );
  t.same(await skills.of(async () => []), []);
  t.same(
    reads.filter((id) => /one|two/.test(id)),
    ['acme.one', 'acme.two'],
    'the second read comes from the cache',
  );
  t.equal(warnings.length, 1, 'the fault is logged once');
  t.same([...(await skills.ids())], ['acme.broken', 'acme.nowhere', 'acme.off', 'acme.one', 'acme.two']);

  installed[0] = listed('acme.two', { folder: '/skills/other', version: '2.0.0' });
  installed.splice(1, 1);
  const now = await skills.of(async () => 'all');
  t.same(
    now.map(({ id, folder }) => [id, folder]),
    [['acme.two', '/skills/other']],
    'the change is visible at once',
  );
});

t.test("no skill can take another's name", async (t) => {
  const installed = ['reports', 'evil.reports', 'acme.tables', 'beta.tables', 'acme.alone'].map((id) => listed(id));
  const { extensions } = kernelOf(installed, { reports: { name: 'sums' }, 'evil.reports': { name: 'reports' } });
  const all = await new Skills({ extensions, log: silentLog }).of(async () => 'all');
  t.same(Object.fromEntries(all.map(({ id, label }) => [id, label])), {
    reports: 'sums',
    'evil.reports': 'evil.reports',
    'acme.tables': 'acme.tables',
    'beta.tables': 'beta.tables',
    'acme.alone': 'alone',
  });
  const found = ['reports', 'sums', 'tables', 'alone', 'acme.alone', 'beta.tables', ''].map((name) => findSkill(all, name)?.id);
  t.same(found, ['reports', 'reports', undefined, 'acme.alone', 'acme.alone', 'beta.tables', undefined]);
});
