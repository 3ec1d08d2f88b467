import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { unpack } from '../../../../kernel/platform/bundles/reader.js';
import { readSkillFolder } from '../../../../kernel/platform/bundles/skill-folder.js';
import { codeOf, goodSkill, place } from './world.js';
import { zipOf } from './zip.js';

t.test('an unpacked skill has the text of its bundle', async (t) => {
  const { folder, put } = await place(t);
  const target = join(folder, 'unpacked');
  const { skill, files } = await unpack(await put(zipOf(goodSkill())), target);
  t.strictSame(await readSkillFolder(target), { ...skill, files });
  t.same(
    files.map(({ name }) => name),
    ['SKILL.md', 'manifest.json', 'scripts/report.py'],
  );
});

t.test('rejects a folder without a skill, and ignores links in it', async (t) => {
  const { folder } = await place(t);
  const text = '---\nname: a\ndescription: b\n---\nBody\n';
  await mkdir(join(folder, 'deep/er'), { recursive: true });
  await writeFile(join(folder, 'deep/er/file.md'), 'x');
  await symlink('/etc', join(folder, 'link'));
  await symlink('/etc/passwd', join(folder, 'passwd'));
  t.equal(await codeOf(readSkillFolder(folder)), 'skill_invalid', 'a folder without SKILL.md');
  await writeFile(join(folder, 'SKILL.md'), text);
  t.same((await readSkillFolder(folder)).files, [
    { name: 'SKILL.md', bytes: text.length },
    { name: 'deep/er/file.md', bytes: 1 },
  ]);
  for (const wrong of ['no front matter', `${text}${'x'.repeat(512 * 1024)}`, Buffer.from([...Buffer.from(text), 0xff])]) {
    await writeFile(join(folder, 'SKILL.md'), wrong);
    t.equal(await codeOf(readSkillFolder(folder)), 'skill_invalid');
  }
  t.equal(await codeOf(readSkillFolder(join(folder, 'gone'))), 'skill_invalid');
});
