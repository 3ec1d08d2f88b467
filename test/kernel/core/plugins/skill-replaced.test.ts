import t from 'tap';
import { Plugins, type PluginsOptions } from '../../../../kernel/core/plugins/plugins.js';

const id = 'acme.reports';

/** A host on which a skill lies in a folder, which is replaced while it is read; `reading` is what happens then. */
function pluginsOn(first: string, reading: (folder: string, replace: (folder: string | undefined) => void) => string[]) {
  let now: string | undefined = first;
  const replace = (folder: string | undefined) => {
    now = folder;
  };
  const bundle = () => ({ manifest: { type: 'skill', version: now } });
  const host = {
    installed: () => (now === undefined ? undefined : { folder: now, bundle: bundle() }),
    catalog: { extensions: new Map([[id, { state: 'active' }]]) },
  };
  const folders = { skill: async (folder: string) => ({ folder, files: reading(folder, replace).map((name) => ({ name, bytes: 1 })) }) };
  return new Plugins({ host, folders } as unknown as PluginsOptions);
}

t.test('a skill replaced during a read is read again completely', async (t) => {
  const replaced = pluginsOn('one', (folder, replace) => {
    if (folder === 'two') return ['SKILL.md', 'two.md'];
    replace('two');
    return ['SKILL.md'];
  });
  t.match(await replaced.skill(id), { version: 'two', folder: 'two', files: [{ name: 'SKILL.md' }, { name: 'two.md' }] });

  const vanished = pluginsOn('one', (folder, replace) => {
    if (folder === 'two') return ['SKILL.md'];
    replace('two');
    throw new Error('gone');
  });
  t.match(await vanished.skill(id), { version: 'two', folder: 'two' }, 'the read works even if nothing of the old version is left');

  const removed = pluginsOn('one', (_, replace) => {
    replace(undefined);
    return ['SKILL.md'];
  });
  t.equal(await removed.skill(id), undefined);

  const damaged = pluginsOn('one', () => {
    throw new Error('damaged');
  });
  await t.rejects(damaged.skill(id), { message: 'damaged' });
});
