import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import type { Failure } from '../../../../kernel/contract/index.js';
import { examineFolder, pack } from '../../../../kernel/platform/bundles/pack.js';
import { check, unpack } from '../../../../kernel/platform/bundles/reader.js';
import { codeOf, contentsOf, place, pluginManifest, sha256, skillManifest } from './world.js';

type Files = Readonly<Record<string, string>>;

/** Writes an author's folder, and gives its path. */
async function authored(folder: string, files: Files): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

const operations = `import type { Operations } from 'platform/contract';
import { longest } from './limits.js';
export const operations = {
  'acme.hello.greet': {
    summary: 'Greets.', method: 'POST', path: '/api/x/acme.hello/greet', who: 'member',
    input: (j) => j.object({ name: j.string().max(longest).required() }),
    answer: (j) => j.object({ greeting: j.string().required() }),
    tool: true,
  },
} satisfies Operations<any>;
`;

const plugin: Files = {
  'manifest.json': JSON.stringify({ ...pluginManifest, contributors: ['dropped'] }),
  'index.ts': `import { failures } from 'platform/contract';
import { shout } from 'shouting';
import { operations } from './operations.js';
const fail = failures({ hello_refused: 409 });
export default {
  activate(ctx: { expose(...given: unknown[]): void }) {
    ctx.expose(operations, { 'acme.hello.greet': async ({ name }: { name: string }) => {
      if (name === 'nobody') throw fail('hello_refused', 'Nobody is greeted');
      return { greeting: shout(\`hello, \${name}\`) };
    } }, { hello_refused: 409 });
  },
};
`,
  'limits.ts': 'export const longest = 40;\n',
  'operations.ts': operations,
  'commands.ts': "export const commands = [{ operation: 'acme.hello.greet', command: 'greet', arguments: ['name'] }];\n",
  'node_modules/shouting/package.json': JSON.stringify({ name: 'shouting', version: '1.0.0', main: 'main.js' }),
  'node_modules/shouting/main.js': "const { EOL } = require('os'); exports.shout = (text) => text.toUpperCase() + '!' + EOL.slice(2);\n",
  'README.md': '# Hello\n',
  LICENSE: 'MIT\n',
  'assets/logo.svg': '<svg/>\n',
  'notes.txt': 'mine\n',
  '.env': 'SECRET=1\n',
  '.git/config': '[core]\n',
};

t.test('a plugin is packed into one file, a manifest with its contributions, and further files', async (t) => {
  const { folder } = await place(t);
  const source = await authored(join(folder, 'source'), plugin);
  const file = join(folder, 'out.zip');
  const { bundle, bytes, left_out, warnings, file: written } = await pack(source, { file });
  t.strictSame([written, left_out, warnings], [file, ['.env', '.git', 'node_modules'], []]);
  const zip = await readFile(file);
  t.strictSame([bytes, bundle.content_hash], [zip.length, sha256(zip)]);
  await unpack(file, join(folder, 'unpacked'), { type: 'plugin', content_hash: bundle.content_hash });
  const { 'index.cjs': code = '', 'manifest.json': manifest = '', ...others } = await contentsOf(join(folder, 'unpacked'));
  t.strictSame(others, { 'README.md': '# Hello\n', LICENSE: 'MIT\n', 'assets/logo.svg': '<svg/>\n' });
  t.strictSame([...code.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name).sort(), ['node:os', 'platform/contract']);
  t.match(code, /text\.toUpperCase\(\)/);
  t.strictSame(JSON.parse(manifest), {
    ...pluginManifest,
    main: 'index.cjs',
    claims: ['/api/x/acme.hello'],
    contributes: {
      operations: {
        'acme.hello.greet': {
          summary: 'Greets.',
          method: 'POST',
          path: '/api/x/acme.hello/greet',
          who: 'member',
          tool: true,
          kind: 'call',
          input: { type: 'object', properties: { name: { type: 'string', minLength: 1, maxLength: 40 } }, required: ['name'] },
          answer: { type: 'object', properties: { greeting: { type: 'string', minLength: 1 } }, required: ['greeting'] },
          status: 200,
        },
      },
      commands: [{ operation: 'acme.hello.greet', command: 'greet', arguments: ['name'] }],
    },
  });
});

t.test('the same input yields the same bytes at any place and time', async (t) => {
  const { folder } = await place(t);
  const skill = { 'manifest.json': JSON.stringify(skillManifest), 'SKILL.md': '---\nname: a\ndescription: b\n---\n', 'b/ü.md': 'x' };
  for (const files of [plugin, skill] as Files[]) {
    const hashes = new Set<string>();
    for (const name of ['one', 'two/deeper']) {
      const entries = Object.entries(files);
      if (name === 'one') entries.reverse();
      const source = await authored(join(folder, name), Object.fromEntries(entries));
      const zone = process.env.TZ;
      process.env.TZ = name === 'one' ? 'Pacific/Auckland' : 'America/Los_Angeles';
      hashes.add((await pack(source, { file: join(folder, 'out.zip') })).bundle.content_hash);
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
    t.equal(hashes.size, 1);
  }
});

t.test('a ZIP packed into its own folder is not packed again', async (t) => {
  const { folder } = await place(t);
  const source = await authored(folder, {
    'manifest.json': JSON.stringify(skillManifest),
    'SKILL.md': '---\nname: a\ndescription: b\n---\n',
  });
  const file = join(folder, `${skillManifest.id}-${skillManifest.version}.zip`);
  const first = await pack(source, { file });
  const second = await pack(source, { file });
  t.equal(second.bundle.content_hash, first.bundle.content_hash);
  t.strictSame(second.left_out, [`${skillManifest.id}-${skillManifest.version}.zip`]);
  t.strictSame((await readdir(folder)).sort(), ['SKILL.md', `${skillManifest.id}-${skillManifest.version}.zip`, 'manifest.json']);
});

t.test('a folder that is too large uncompressed is compressed', async (t) => {
  const { folder } = await place(t);
  const big = Buffer.alloc(27 * 1024 * 1024);
  // Two different bytes in no order: it shrinks to about a fifth.
  for (let at = 0, seed = 1; at < big.length; at += 1) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    big[at] = 97 + ((seed >> 16) & 1);
  }
  const source = await authored(join(folder, 'source'), {
    'manifest.json': JSON.stringify(skillManifest),
    'SKILL.md': '---\nname: a\ndescription: b\n---\n',
    'assets/one.txt': big.toString(),
    'assets/two.txt': big.toString(),
  });
  const { bytes, bundle } = await pack(source, { file: join(folder, 'out.zip') });
  t.ok(bundle.unpacked_bytes > 53 * 1024 * 1024 && bytes < 20 * 1024 * 1024, `${bytes} bytes`);
});

/** An operation that lists failures. */
const failing = (...codes: string[]) => operations.replace('tool: true,', `tool: true, failures: ${JSON.stringify(codes)},`);
const table =
  "import { failures } from 'platform/contract';\nexport const codes = { hello_refused: 409 } as const;\nexport const fail = failures(codes);\n";

t.test('a failure that an operation lists must be in the table of codes, or one of the kernel', async (t) => {
  const { folder } = await place(t);
  const examined = async (files: Files, name: string) =>
    examineFolder(await authored(join(folder, name), { ...plugin, ...files })).then(
      ({ faults }) => faults,
      (fault: Failure) => [fault],
    );
  t.strictSame(await examined({ 'operations.ts': failing('hello_refused', 'rate_limited'), 'codes.ts': table }, 'good'), []);
  const [fault] = await examined({ 'operations.ts': failing('hello_refused', 'hello_lost'), 'codes.ts': table }, 'bad');
  t.match(fault, {
    code: 'manifest_invalid',
    message:
      /^The plugin would not start: "contributes\.operations\.acme\.hello\.greet\.failures" lists 'hello_lost', which .*as hello_lost: 404$/,
    details: [{ path: 'contributes.operations.acme.hello.greet.failures' }],
  });
  const inCode = { 'operations.ts': failing('hello_refused', 'hello_lost') };
  t.strictSame(await examined(inCode, 'none'), [], 'without a table only the start can detect it');
  const other = "import { readFileSync } from 'node:fs'; export const read = readFileSync;";
  t.strictSame(await examined({ ...inCode, 'codes.ts': other }, 'other'), [], 'a file of that name may have another purpose');
});

const refused: Readonly<Record<string, readonly [code: string, files: Files]>> = {
  'without a manifest': ['manifest_missing', { 'index.ts': '' }],
  'with a wrong manifest': ['manifest_invalid', { ...plugin, 'manifest.json': '{}' }],
  'without code': ['main_missing', { 'manifest.json': JSON.stringify(pluginManifest) }],
  'with a reserved id': [
    'id_reserved',
    { ...plugin, 'manifest.json': JSON.stringify({ ...pluginManifest, id: 'members' }), 'operations.ts': '', 'commands.ts': '' },
  ],
  'with code that does not parse': ['pack_failed', { ...plugin, 'index.ts': 'export default {' }],
  'with a package that is not there': ['pack_failed', { ...plugin, 'index.ts': "import 'absent';" }],
  'with native code': ['pack_failed', { ...plugin, 'index.ts': "import './addon.node';", 'addon.node': '\x7fELF' }],
  'with native code among its assets': ['bundle_native_code', { ...plugin, 'assets/addon.node': '\x7fELF' }],
  'with a table that throws': ['pack_failed', { ...plugin, 'operations.ts': "throw new Error('no table');" }],
  'with a table that reads files': [
    'pack_failed',
    { ...plugin, 'operations.ts': "import { readFileSync } from 'node:fs'; readFileSync('/etc/passwd');" },
  ],
  'with a table that ends the process': ['pack_failed', { ...plugin, 'operations.ts': 'process.exit(0);' }],
  'with a table that starts programs': ['pack_failed', { ...plugin, 'operations.ts': "process.binding('spawn_sync');" }],
  'with an operation of another extension': [
    'manifest_invalid',
    { ...plugin, 'operations.ts': operations.replaceAll('acme.hello', 'members') },
  ],
  'with a failure that its table of codes lacks': [
    'manifest_invalid',
    { ...plugin, 'operations.ts': failing('hello_lost'), 'codes.ts': table },
  ],
  'with a schema that is no data': [
    'pack_failed',
    { ...plugin, 'operations.ts': operations.replace('j.string().max(longest)', 'j.string().custom((value) => value)') },
  ],
  'with a command of an operation that it has not': [
    'manifest_invalid',
    { ...plugin, 'commands.ts': "export const commands = [{ operation: 'acme.hello.other', command: 'other' }];" },
  ],
};

for (const [what, [code, files]] of Object.entries(refused)) {
  t.test(`a folder ${what} is rejected with ${code}, and nothing is written`, async (t) => {
    const { folder } = await place(t);
    const source = await authored(join(folder, 'source'), files);
    t.equal(await codeOf(pack(source, { file: join(folder, 'out.zip'), builtin: ['members'] })), code);
    t.strictSame(await readdir(folder), ['source']);
    const { faults } = await examineFolder(source, { builtin: ['members'] }).catch((fault: unknown) => ({
      faults: [fault as { code: string }],
    }));
    t.equal(faults[0]?.code, code);
  });
}

t.test('a link in the folder is rejected, because it would include foreign files', async (t) => {
  const { folder } = await place(t);
  const source = await authored(join(folder, 'source'), { 'manifest.json': JSON.stringify(skillManifest), 'SKILL.md': 'x' });
  await symlink('/etc/passwd', join(source, 'passwd'));
  t.equal(await codeOf(pack(source, { file: join(folder, 'out.zip') })), 'bundle_special_entry');
});

t.test('packing gives up on a table of operations that exhausts memory', async (t) => {
  const { folder } = await place(t);
  const source = await authored(join(folder, 'source'), {
    ...plugin,
    'operations.ts': 'const all = []; for (;;) all.push(new Array(100_000).fill(all.length));',
  });
  t.equal(await codeOf(pack(source, { file: join(folder, 'out.zip') })), 'pack_failed');
  t.strictSame(await readdir(folder), ['source']);
});

/** In the shape of the public ones: a folded description, further keys, references, scripts, a licence of its own. */
const publicSkill: Files = {
  'SKILL.md': `---
name: table-reports
description: >-
  Builds reports from tables (CSV, XLSX): totals, charts and a summary. Use when the user mentions spreadsheets,
  figures of a quarter, or asks "how did we do?" – even without the word report.
license: Complete terms in LICENSE.txt
compatibility: Requires Python 3.11+ and pandas
metadata:
  author: example-org
  version: "1.0"
allowed-tools: Bash(python3 scripts/*.py) Read
argument-hint: [file]
---

# 📊 Table reports

See [the format](references/FORMAT.md), then run \`scripts/report.py\`.

---

Never guess a figure.
`,
  'LICENSE.txt': 'Terms.\r\nMore terms.\r\n',
  'references/FORMAT.md': '# Format\n\n| a | b |\n|---|---|\n',
  'references/deep/examples.json': '{"a": [1, 2, 3]}\n',
  'scripts/report.py': '#!/usr/bin/env python3\nprint("report")\n',
  'scripts/__init__.py': '',
  'assets/template with spaces (1).html': '<!doctype html>\n',
};

t.test('a skill in the public format is packed and unpacked unchanged', async (t) => {
  const { folder } = await place(t);
  const files = { ...publicSkill, 'manifest.json': JSON.stringify({ ...skillManifest, id: 'acme.table-reports' }) };
  const source = await authored(join(folder, 'source'), files);
  const { file } = await pack(source, { file: join(folder, 'out.zip') });
  const { skill } = await unpack(file, join(folder, 'unpacked'), { type: 'skill' });
  t.strictSame(await contentsOf(join(folder, 'unpacked')), await contentsOf(source));
  t.strictSame(skill, {
    name: 'table-reports',
    description:
      'Builds reports from tables (CSV, XLSX): totals, charts and a summary. Use when the user mentions spreadsheets, ' +
      'figures of a quarter, or asks "how did we do?" – even without the word report.',
    license: 'Complete terms in LICENSE.txt',
    compatibility: 'Requires Python 3.11+ and pandas',
    metadata: { author: 'example-org', version: '1.0' },
    allowed_tools: ['Bash(python3 scripts/*.py)', 'Read'],
    body: publicSkill['SKILL.md']?.split('---\n').slice(2).join('---\n'),
  });
  await checkEqual(t, source, file);
});

/** Asserts that packing a folder gives what the ZIP holds. */
async function checkEqual(t: Test, folder: string, file: string): Promise<void> {
  const { bundle, faults } = await examineFolder(folder);
  t.strictSame(faults, []);
  t.strictSame(bundle, await check(file));
}
