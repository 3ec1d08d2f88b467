import { access, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';

interface Build {
  readonly assemble: (root: string) => Promise<string[]>;
}

const { assemble } = (await import(pathToFileURL(join(process.cwd(), 'esbuild.config.mjs')).href)) as Build;
const contract = { 'index.ts': 'export const fail = (code: string) => new Error(code);\n' };

/** A project with the contract and these extensions. */
const project = (extensions: Record<string, Record<string, string>>) => ({
  kernel: { contract, core: { host: { 'loader.ts': 'export const load = 1;\n' } } },
  extensions,
});

const manifest = (id: string, more: object = {}) => JSON.stringify({ id, version: '1.0.0', ...more });

t.test("bundles an extension's own files but not the contract, Node and granted packages", async (t) => {
  const index = [
    "import { readFile } from 'node:fs/promises';",
    "import { fail } from '../../kernel/contract/index.js';",
    "import type { load } from '../../kernel/core/host/loader.js';",
    "import { greeting } from './greeting.js';",
    "export default { activate: async () => [readFile, fail, greeting, await import('openai'), 1 as typeof load] };",
  ];
  const root = t.testdir(
    project({
      hello: {
        'index.ts': index.join('\n'),
        'greeting.ts': "export const greeting = 'hi';\n",
        'manifest.json': manifest('hello', { requires: ['openai'] }),
      },
    }),
  );
  await assemble(root);
  const bundle = await readFile(join(root, 'dist/extensions/hello/index.cjs'), 'utf8');
  const required = [...bundle.matchAll(/require\("([^"]+)"\)/g)].map((match) => match[1]);
  t.same(required.sort(), ['node:fs/promises', 'openai', 'platform/contract']);
  t.match(bundle, /greeting = "hi"/);
  t.match(bundle, /sourceMappingURL=index\.cjs\.map/);
});

const refusals: Readonly<Record<string, readonly [statement: string, message: RegExp]>> = {
  'an npm package that the manifest does not require': [
    "import 'openai';",
    /requires 'openai', which its manifest's 'requires' doesn't name/,
  ],
  "a package's part, by the package's name": ["import '@hapi/hapi/lib/server.js';", /requires '@hapi\/hapi'/],
  'a value of a sibling': ["import '../chat/service.js';", /imports a value from extensions\/chat\/service\.js/],
  'a value of the kernel beside its contract': [
    "export * from '../../kernel/core/host/loader.js';",
    /imports a value from kernel\/core\/host\/loader\.js/,
  ],
};

for (const [what, [statement, message]] of Object.entries(refusals)) {
  t.test(`the build rejects ${what}`, async (t) => {
    const root = t.testdir(project({ hello: { 'index.ts': statement, 'manifest.json': manifest('hello') }, chat: { 'service.ts': '' } }));
    await t.rejects(assemble(root), { message });
  });
}

t.test("the built manifest has the extension's operations and commands as data", async (t) => {
  const root = t.testdir({
    ...project({ hello: { 'index.ts': 'export default {};', 'operations.ts': '', 'commands.ts': '', 'manifest.json': manifest('hello') } }),
    dist: {
      'package.json': '{"type":"module"}',
      kernel: {
        core: { host: { 'describe-operation.js': 'export const describeOperation = ({ summary }) => ({ summary, status: 200 });' } },
      },
      extensions: {
        hello: {
          'operations.js': "export const operations = { 'hello.greet': { summary: 'Greets.', input: (j) => j } };",
          'commands.js': "export const commands = [{ operation: 'hello.greet', command: 'greet' }];",
        },
      },
    },
  });
  t.same(await assemble(root), ['extensions/hello']);
  t.same(JSON.parse(await readFile(join(root, 'dist/extensions/hello/manifest.json'), 'utf8')), {
    id: 'hello',
    version: '1.0.0',
    contributes: {
      operations: { 'hello.greet': { summary: 'Greets.', status: 200 } },
      commands: [{ operation: 'hello.greet', command: 'greet' }],
    },
  });
});

t.test('an extension that is a plain bundle is copied unchanged', async (t) => {
  const broken = { 'index.cjs': 'this is ( no code', 'manifest.json': manifest('broken') };
  const root = t.testdir({ test: { fixtures: { extensions: { broken } } } });
  t.same(await assemble(root), []);
  t.equal(await readFile(join(root, 'dist/test/fixtures/extensions/broken/index.cjs'), 'utf8'), broken['index.cjs']);
  t.equal(await readFile(join(root, 'dist/test/fixtures/extensions/broken/manifest.json'), 'utf8'), broken['manifest.json']);
});

t.test('the build removes outputs without a source and does not rewrite unchanged ones', async (t) => {
  const files = { 'index.ts': 'export default {};', 'manifest.json': manifest('hello') };
  const root = t.testdir(project({ hello: files, gone: { ...files, 'manifest.json': manifest('gone') } }));
  await assemble(root);
  const written = await stat(join(root, 'dist/extensions/hello/index.cjs'));
  await rm(join(root, 'extensions/gone'), { recursive: true });
  await assemble(root);
  await t.rejects(access(join(root, 'dist/extensions/gone')), { code: 'ENOENT' });
  t.equal((await stat(join(root, 'dist/extensions/hello/index.cjs'))).mtimeMs, written.mtimeMs);
});
