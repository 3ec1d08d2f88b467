import t from 'tap';
import { check } from '../../../../kernel/platform/bundles/reader.js';
import { brokenLinks } from '../../../../kernel/platform/bundles/skill-links.js';
import { place, skillManifest } from './world.js';
import { zipOf } from './zip.js';

const files = ['SKILL.md', 'references/a b.md', 'scripts/run.py', 'assets/caf\u00E9.png'];
const targets = (body: string) => brokenLinks(body, files).map((warning) => /'(.*)'/.exec(warning)?.[1]);

t.test('a link to a file or folder of the bundle is no fault', async (t) => {
  for (const target of [
    'scripts/run.py',
    './scripts/run.py',
    'scripts',
    'scripts/',
    'references/a%20b.md',
    '<references/a b.md>',
    'scripts/run.py#main',
    'scripts/run.py "Title"',
    'assets/cafe\u0301.png',
  ])
    t.strictSame(targets(`See [this](${target}).`), [], target);
});

t.test('links that lead outside the bundle on purpose are not checked', async (t) => {
  for (const target of ['https://example.org/a.md', 'mailto:ann@example.org', '#usage', '/etc/hosts', '//example.org', '?a=1'])
    t.strictSame(targets(`[this](${target})`), [], target);
});

t.test('links in code are not checked', async (t) => {
  t.strictSame(targets('`[a](none.md)`\n```md\n[b](none.md)\n```\n~~~\n[c](none.md)\n~~~\n[d](gone.md)'), ['gone.md']);
});

t.test('each broken link is named once, and at most twenty are', async (t) => {
  t.strictSame(targets('[a](none.md) ![b](none.md) [c](../other/SKILL.md) [d](%zz.md)'), ['none.md', '../other/SKILL.md', '%zz.md']);
  t.equal(targets(Array.from({ length: 30 }, (_, n) => `[${n}](none${n}.md)`).join(' ')).length, 20);
});

t.test('checking a bundle of a skill warns about its broken links', async (t) => {
  const { put } = await place(t);
  const text = '---\nname: reports\ndescription: Writes reports.\n---\nRead [the guide](guide.md) and [the terms](terms.md).\n';
  const parts = [
    { name: 'manifest.json', content: JSON.stringify(skillManifest) },
    { name: 'SKILL.md', content: text },
    { name: 'guide.md', content: '# Guide\n' },
  ];
  const { warnings } = await check(await put(zipOf(parts)), { type: 'skill' });
  t.strictSame(warnings, ["SKILL.md links to 'terms.md', which is not in the bundle"]);
});
