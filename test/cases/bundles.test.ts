import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { isFailure } from '../../kernel/contract/index.js';
import { callerOf, startPlatform, temporaryFolder } from '../helpers/platform.js';
import { goodSkill, skillManifest } from '../kernel/platform/bundles/world.js';
import { type Part, zipOf } from '../kernel/platform/bundles/zip.js';
import { frontMatterCases, manifestCases } from './bundles/texts.js';
import { type ZipCase, zipCases } from './bundles/zips.js';

interface Published {
  checks: { code: string; ok: boolean; message: string }[];
}

interface Review {
  files: { name: string }[];
}

const { kernel } = await startPlatform(t);
const folder = await temporaryFolder(t);
let count = 0;

/** Publishes a ZIP and gives what the reviewers see, or the failure. */
async function publish(bytes: Buffer, id: string) {
  const path = join(folder, `${id}.zip`);
  await writeFile(path, bytes);
  try {
    const { body } = await kernel.invoke('marketplace.publish', { type: 'skill', file: { path, bytes: bytes.length } }, callerOf());
    const review = (await kernel.invoke('marketplace.review', { id, version: '1.2.3' }, callerOf())).body as Review;
    // Only so many of a member's may wait.
    await kernel.invoke('marketplace.reject', { id, version: '1.2.3', reason: 'seen' }, callerOf());
    return { checks: (body as Published).checks, files: review.files.map(({ name }) => name) };
  } catch (fault) {
    if (isFailure(fault)) return fault;
    throw fault;
  }
}

/** A skill with an id of its own. */
function skillOf(): { id: string; parts: Part[] } {
  count += 1;
  const id = `acme.case${count}`;
  return { id, parts: goodSkill({ ...skillManifest, id }) };
}

function bytesOf(
  { parts = [], without = [], within = '', every = {}, ending, before = '', instead }: ZipCase,
  usual: readonly Part[],
): Buffer {
  if (instead !== undefined) return Buffer.from(instead, 'latin1');
  const own = [...usual.filter(({ name }) => !without.includes(String(name))), ...parts];
  const named = own.map((part) => ({ ...part, ...every, name: Buffer.concat([Buffer.from(within), Buffer.from(part.name)]) }));
  return Buffer.concat([Buffer.from(before, 'latin1'), zipOf(named, ending)]);
}

for (const one of zipCases)
  t.test(one.name, async (t) => {
    const { id, parts } = skillOf();
    const found = await publish(bytesOf(one, parts), id);
    const { refused, files = ['SKILL.md', 'manifest.json', 'scripts/report.py'], left_out } = one;
    if (refused) return void t.match(found, { code: refused.code, message: refused.says });
    t.match(found, { files: [...files] });
    const { checks } = found as Published;
    const named = checks.find(({ code }) => code === 'left_out')?.message ?? '';
    for (const path of left_out?.slice(0, 5) ?? []) t.ok(named.includes(path.replace('\r', '?')), path);
    t.equal(named === '', left_out === undefined);
  });

for (const { name, front, refused, warnings = [], description } of frontMatterCases)
  t.test(`SKILL.md: ${name}`, async (t) => {
    const { id, parts } = skillOf();
    const skill = { name: 'SKILL.md', content: `---\n${front}---\n# Reports\n` };
    const found = await publish(zipOf(parts.map((part) => (part.name === 'SKILL.md' ? skill : part))), id);
    if (refused) return void t.match(found, { code: 'skill_invalid', message: refused });
    const { checks } = found as Published;
    const text = checks.find(({ code }) => code === 'text')?.message ?? '';
    t.equal(text === '', warnings.length === 0, text);
    for (const warning of warnings) t.match(text, warning);
    if (description !== undefined) {
      const { skill: read } = (await kernel.invoke('marketplace.review', { id, version: '1.2.3' }, callerOf())).body as {
        skill?: { description: string };
      };
      if (read) t.equal(read.description, description);
    }
  });

for (const { name, text, refused } of manifestCases)
  t.test(`manifest.json: ${name}`, async (t) => {
    const { parts } = skillOf();
    const manifest = { name: 'manifest.json', content: text };
    const found = await publish(zipOf(parts.map((part) => (part.name === 'manifest.json' ? manifest : part))), 'acme.reports');
    if (refused) t.match(found, { code: 'manifest_invalid', message: refused });
    else t.notOk(isFailure(found) && found.code === 'manifest_invalid', String(found));
  });

t.test('a folder is packed without stray files of other programs, and with composed names', async (t) => {
  const { pack } = await import('../../kernel/platform/bundles/pack.js');
  const place = await temporaryFolder(t);
  await mkdir(join(place, 'scripts/__pycache__'), { recursive: true });
  const files = {
    'manifest.json': JSON.stringify(skillManifest),
    'SKILL.md': '---\nname: reports\ndescription: x\n---\n',
    'u\u0308.md': 'x',
  };
  const left = { 'Thumbs.db': 'x', 'scripts/__pycache__/a.pyc': 'x', '.DS_Store': 'x', 'SKILL.md~': 'x' };
  for (const [name, content] of Object.entries({ ...files, ...left })) await writeFile(join(place, name), content);
  const packed = await pack(place, { file: join(folder, 'packed.zip') });
  t.same(
    packed.bundle.files.map(({ name }) => name),
    ['SKILL.md', 'manifest.json', '\u00fc.md'],
  );
  t.same(packed.left_out, ['.DS_Store', 'SKILL.md~', 'Thumbs.db', 'scripts/__pycache__']);
});
