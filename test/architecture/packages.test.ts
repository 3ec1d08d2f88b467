import t from 'tap';
import { isBlind } from './findings.js';
import { checkPackages, modules, packageRules } from './packages.js';
import { tree } from './tree.js';

/** A tree in which all is as it should be. */
const sound: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(modules).map(([name, module], index) => [module.endsWith('/') ? `${module}use-${index}.test.ts` : module, uses(name)]),
  ),
  'extensions/notes/manifest.json': JSON.stringify({ requires: ['semver'] }),
  'extensions/notes/index.ts': "const { parse } = await import('semver/functions/parse.js');\n",
  'kernel/bundled.ts': "const all = require('./bundled.cjs') as typeof import('bundled');\n",
  'package.json': dependencies(...Object.keys(modules).filter((name) => name !== 'tap'), 'semver', 'bundled'),
};

/** Rule → what breaks it in the sound tree, and how that is reported. */
const planted: Readonly<Record<(typeof packageRules)[number], readonly [files: Readonly<Record<string, string>>, violation: string]>> = {
  'requires-imported': [
    {
      'extensions/other/manifest.json': JSON.stringify({ requires: ['semver'] }),
      'extensions/other/index.ts': "import type { S } from 'semver';",
    },
    'extensions/other/ → semver',
  ],
  'requires-listed': [
    { 'extensions/other/manifest.json': JSON.stringify({ requires: ['absent'] }), 'extensions/other/index.ts': uses('absent') },
    'extensions/other/ → absent',
  ],
  'dependency-imported': [
    {
      'package.json': dependencies(...Object.keys(modules).filter((name) => name !== 'tap'), 'semver', 'bundled', 'unused'),
      'cli/typed.ts': "import type { Unused } from 'unused';\ntype Other = typeof import('unused');\n",
    },
    'package.json → unused',
  ],
  'module-imports': [{ 'tui/screen.tsx': "import type { Box } from 'ink';\n", 'tui/other.tsx': uses('ink') }, 'tui/screen.tsx → ink'],
};

for (const rule of packageRules)
  t.test(`${rule} finds only its planted violation`, async (t) => {
    const [files, violation] = planted[rule];
    const { violations } = checkPackages(t.testdir(tree({ ...sound, ...files })));
    t.same(violations, [`${rule}: ${violation}`]);
  });

t.test('a correct tree has no violations, and one without imports is not correct', async (t) => {
  t.same(checkPackages(t.testdir(tree(sound))).violations, []);
  const blind = { 'package.json': dependencies('semver'), 'extensions/notes/manifest.json': '{}', 'test/empty.test.ts': '' };
  t.ok(isBlind(checkPackages(t.testdir(tree(blind)))));
});

function uses(name: string): string {
  return `import * as it from '${name}';\n`;
}

function dependencies(...names: string[]): string {
  return JSON.stringify({ dependencies: Object.fromEntries(names.map((name) => [name, '1'])) });
}
