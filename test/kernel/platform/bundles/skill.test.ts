import t from 'tap';
import { parseSkill } from '../../../../kernel/platform/bundles/skill.js';
import { codeOf } from './world.js';

const skill = (front: string, body = '# Body\n') => `---\n${front}\n---\n${body}`;
const good = 'name: reports\ndescription: Writes reports.';

t.test('the front matter is parsed with the standard keys, separate from the body', async (t) => {
  const front = [
    'name: quarterly-reports2',
    'description: >',
    '  Writes reports from tables,',
    '  also long ones.',
    'license: Complete terms in LICENSE.txt',
    'compatibility: Requires Python 3.14+',
    'metadata:',
    '  version: 1.10',
    '  author: "acme"',
    '  on: no',
    '  tags: [a, b]',
    'allowed-tools: Bash(git add:*), Read Grep',
    'user-invocable: true',
  ].join('\n');
  t.strictSame(await parseSkill(skill(front, '# Body\n\n---\nmore\n')), {
    name: 'quarterly-reports2',
    description: 'Writes reports from tables, also long ones.',
    license: 'Complete terms in LICENSE.txt',
    compatibility: 'Requires Python 3.14+',
    metadata: { version: '1.10', author: 'acme', on: 'no', tags: '["a","b"]' },
    allowed_tools: ['Bash(git add:*)', 'Read', 'Grep'],
    body: '# Body\n\n---\nmore\n',
  });
});

t.test('CRLF line ends, a list of tools, and an empty text are accepted', async (t) => {
  const text = skill(`${good}\nallowed-tools:\n  - Read\n  - Bash(jq:*)\nlicense:`, '').replaceAll('\n', '\r\n');
  t.strictSame(await parseSkill(`\uFEFF${text}`), {
    name: 'reports',
    description: 'Writes reports.',
    allowed_tools: ['Read', 'Bash(jq:*)'],
    body: '',
  });
});

const wrong: Readonly<Record<string, readonly [text: string, details?: object]>> = {
  'no front matter': ['# Reports\n'],
  'nothing at all': [''],
  'no end of the front matter': [`---\n${good}\n`],
  'an empty front matter': [skill('')],
  'a list as front matter': [skill('- name')],
  'no name': [skill('description: x'), [{ path: 'name' }]],
  'a name with capitals': [skill('name: Reports\ndescription: x'), [{ path: 'name' }]],
  'a name with two dashes': [skill('name: a--b\ndescription: x'), [{ path: 'name' }]],
  'a name with a dash at its end': [skill('name: a-\ndescription: x'), [{ path: 'name' }]],
  'a name of 65 characters': [skill(`name: ${'a'.repeat(65)}\ndescription: x`), [{ path: 'name' }]],
  'no description': [skill('name: a\ndescription: " "'), [{ path: 'description' }]],
  'a description of 1,025 characters': [skill(`name: a\ndescription: ${'é'.repeat(1025)}`), [{ path: 'description' }]],
  'a description with an escape': [skill('name: a\ndescription: "\\e[2J"'), [{ path: 'description' }]],
  'a compatibility of 501 characters': [skill(`${good}\ncompatibility: ${'c'.repeat(501)}`), [{ path: 'compatibility' }]],
  'metadata that is a text': [skill(`${good}\nmetadata: x`), [{ path: 'metadata' }]],
  'tools that are no texts': [skill(`${good}\nallowed-tools: [[a]]`), [{ path: 'allowed-tools.0' }]],
  'a key twice': [skill(`${good}\nname: b`)],
  'a value that YAML takes for two': [skill('name: a\ndescription: Use when: asked')],
  aliases: [skill('a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\nname: a\ndescription: b')],
  'aliases of itself': [skill('name: a\ndescription: b\nmetadata: &m\n  m: *m')],
  'nesting beyond any stack': [skill(`${good}\nmetadata: ${'['.repeat(7000)}${']'.repeat(7000)}`)],
  '17 KiB of front matter': [skill(`${good}\nmetadata:\n  a: ${'x'.repeat(17 * 1024)}`)],
  '101 entries of metadata': [
    skill(`${good}\nmetadata:\n${Array.from({ length: 101 }, (_, n) => `  k${n}: v`).join('\n')}`),
    [{ path: 'metadata' }],
  ],
};

for (const [what, [text, details]] of Object.entries(wrong)) {
  t.test(`a SKILL.md with ${what} is rejected`, async (t) => {
    t.equal(await codeOf(parseSkill(text)), 'skill_invalid');
    if (details !== undefined) t.match(await parseSkill(text).catch((fault: unknown) => fault), { details });
  });
}

t.test('keys that are special in JavaScript have no effect', async (t) => {
  const { metadata } = await parseSkill(skill(`${good}\nmetadata:\n  constructor: a\n  toString: b\n__proto__:\n  license: evil`));
  t.strictSame(Object.entries(metadata ?? {}), [
    ['constructor', 'a'],
    ['toString', 'b'],
  ]);
  t.equal((await parseSkill(skill(`${good}\n__proto__:\n  license: evil`))).license, undefined);
});
