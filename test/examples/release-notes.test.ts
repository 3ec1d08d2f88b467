import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { removeFolder } from '../../kernel/platform/bundles/folder.js';
import { startPlatform } from '../helpers/platform.js';
import { packed } from './world.js';

const id = 'acme.release-notes';

t.test('a packed and installed skill has its files in place, and its script works', async (t) => {
  const { kernel, data_dir } = await startPlatform(t, { strict: false });
  t.teardown(() => removeFolder(join(data_dir, 'extensions')));
  await kernel.workbench.install(await packed(t, id));
  const [installed] = await kernel.installer.installed();
  t.match(installed, { id, type: 'skill', version: '1.0.0', state: 'active', permissions: {} });
  const folder = installed?.folder as string;
  t.same((await readdir(folder, { recursive: true })).sort(), [
    'README.md',
    'SKILL.md',
    'manifest.json',
    'references',
    'references/form.md',
    'scripts',
    'scripts/group.sh',
  ]);
  const subjects = [
    'feat: search by date',
    'fix(login): no second click',
    'feat(api)!: ids are texts',
    'refactor: smaller files',
    'Typo',
    '',
  ];
  const { stdout, status } = spawnSync('sh', ['scripts/group.sh'], { cwd: folder, input: subjects.join('\n'), encoding: 'utf8' });
  t.equal(status, 0);
  t.equal(
    stdout,
    [
      ['## Changed for you', '- BREAKS: ids are texts', '- search by date', ''],
      ['## Mended', '- no second click', ''],
      ['## Inside', '- smaller files', '- Typo', '', ''],
    ]
      .flat()
      .join('\n'),
  );
});
