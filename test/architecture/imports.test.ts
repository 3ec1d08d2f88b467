import { createRequire } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import { checkTypes, ruleNames } from './arrows.js';
import { browserRules, checkBrowserSafe } from './browser-safe.js';
import { checkValues } from './cruise.js';
import { isBlind } from './findings.js';
import { tree } from './tree.js';

const valueRules = join(process.cwd(), '.dependency-cruiser.cjs');

/** Rule → a file that breaks it and what it imports there. */
const plantedValues: Readonly<Record<string, readonly [from: string, to: string]>> = {
  'contract-alone': ['kernel/contract/planted.js', '../platform/log/log.js'],
  'core-alone': ['kernel/core/invoke/careless.js', '../../platform/log/log.js'],
  'kernel-below': ['kernel/client/reaching.js', '../../extensions/chat/service.js'],
  'config-below': ['config/planted.js', '../kernel/platform/log/log.js'],
  'extension-alone': ['extensions/agents/planted.js', '../chat/service.js'],
  'panel-in-kit': ['extensions/chat/panel.js', './service.js'],
  'panel-aside': ['extensions/nodes/planted.js', './panel.js'],
  'cli-beside-extensions': ['cli/planted.js', '../extensions/chat/service.js'],
  'tui-beside-extensions': ['tui/planted.js', '../cli/main.js'],
  'hapi-only-in-http': ['kernel/core/invoke/planted.js', '@hapi/hapi'],
  'jwt-where-it-is-made-or-read': ['extensions/chat/planted.js', '@hapi/jwt'],
  'sequelize-only-in-stores': ['extensions/chat/rules.js', 'sequelize'],
  'terminal-only-in-doors': ['kernel/platform/net/planted.js', 'commander'],
  'no-test-packages': ['kernel/platform/data/planted.js', 'tap'],
  'no-unlisted-packages': ['kernel/client/planted.js', 'unlisted'],
  resolvable: ['kernel/platform/sandbox/planted.js', './nowhere.js'],
  'no-cycles': ['kernel/boot/boot.js', '../platform/log/log.js'],
};

t.test('each rule for values reports only the violation planted for it', async (t) => {
  const stubs = ['@hapi/hapi', '@hapi/jwt', 'sequelize', 'commander', 'tap', 'unlisted'];
  const planted = tree({
    ...Object.fromEntries(stubs.map((name) => [`node_modules/${name}/index.js`, ''])),
    ...Object.fromEntries(Object.values(plantedValues).map(([from, to]) => [`dist/${from}`, `import '${to}';\n`])),
    'dist/extensions/chat/service.js': "import './store.js';\n",
    'dist/extensions/chat/store.js': "import 'sequelize';\nimport '../../kernel/contract/index.js';\n",
    'dist/kernel/contract/index.js': '',
    'dist/extensions/nodes/panel.js': "import '../../tui/kit/index.js';\n",
    'dist/tui/kit/index.js': '',
    'dist/kernel/platform/http/front.js': "import '@hapi/hapi';\n",
    'dist/kernel/platform/log/log.js': "import '../../boot/boot.js';\n",
    'dist/cli/main.js': "import '../kernel/platform/http/front.js';\nimport 'commander';\n",
    'package.json': JSON.stringify({
      dependencies: { '@hapi/hapi': '1', '@hapi/jwt': '1', sequelize: '1', commander: '1' },
      devDependencies: { tap: '1' },
    }),
  });
  const { violations } = await checkValues(t.testdir(planted), valueRules);
  const found = violations.map((violation) => violation.split(' → ')[0]).sort();
  const wanted = Object.entries(plantedValues).map(([rule, [from]]) => `${rule}: dist/${from}`);
  t.same(found, wanted.sort());
});

t.test('every rule for values has a planted violation', async (t) => {
  const { forbidden } = createRequire(import.meta.url)(valueRules) as { forbidden: { name: string }[] };
  t.same(forbidden.map(({ name }) => name).sort(), Object.keys(plantedValues).sort());
});

/** Rule → a file that breaks it, and its text. */
const plantedTypes: Readonly<Record<string, readonly [file: string, text: string]>> = {
  'contract-alone': ['kernel/contract/planted.ts', "import type { Log } from '../log.js';"],
  'core-alone': ['kernel/core/planted.ts', "import type { Data } from '../platform/data/hub.js';"],
  'no-folder-circles': ['kernel/platform/data/planted.ts', "import type { Backup } from '../backup/planted.js';"],
  'kernel-below': ['kernel/planted.ts', "import type { Chat } from '../extensions/chat/contract.js';"],
  'config-below': ['config/planted.ts', "export type { Log } from '../kernel/platform/log/log.js';"],
  'extension-knows-contract': ['extensions/chat/planted.ts', "import type {\n  Log,\n} from '../../kernel/platform/log/log.js';"],
  'sibling-by-contract': [
    'extensions/agents/reaching.ts',
    "type Reply = import('../chat/reply.js').Reply;\nimport type { A } from '../chat/reply.js';",
  ],
  'sibling-as-type': ['extensions/agents/importing.ts', "import { type Chat } from '../chat/contract.js';"],
  'sibling-allowed': ['extensions/members/planted.ts', "import type { Chat } from '../chat/contract.js';"],
  'contract-as-types': ['extensions/nodes/contract.ts', "import { failures } from '../../kernel/contract/index.js';"],
  'cli-beside-extensions': ['cli/planted.ts', "import type { Chat } from '../extensions/chat/contract.js';"],
  'tui-beside-extensions': ['tui/planted.tsx', "import type { Main } from '../cli/main.js';"],
  'contract-without-values': ['extensions/schedules/contract.ts', 'export const limit = 3;'],
};

t.test('each rule for types reports the violation planted for it', async (t) => {
  const planted = tree({
    ...Object.fromEntries(Object.values(plantedTypes).map(([file, text]) => [file, `${text}\n`])),
    'kernel/platform/backup/planted.ts': "import type { Data } from '../data/planted.js';\n",
    'extensions/agents/service.ts':
      "import type { Chat } from '../chat/contract.js';\nimport { fail } from '../../kernel/contract/index.js';\n",
  });
  const { violations } = checkTypes(t.testdir(planted));
  const found = new Set(violations.map((violation) => violation.split(' → ')[0]));
  // A circle has two ends, and one text breaks two rules.
  const besides = ['no-folder-circles: kernel/platform/backup/planted.ts', 'sibling-as-type: extensions/agents/reaching.ts'];
  const wanted = Object.entries(plantedTypes).map(([rule, [file]]) => `${rule}: ${file}`);
  t.same([...found].sort(), [...wanted, ...besides].sort());
});

t.test('every rule for types has a planted violation', async (t) => {
  t.same([...ruleNames].sort(), Object.keys(plantedTypes).sort());
});

/** Rule → files, of which the last breaks it, and what it names there. */
const plantedInBrowser: readonly (readonly [rule: string, files: Readonly<Record<string, string>>, name: string])[] = [
  ['browser-without-node', { 'web/shell/planted.ts': "import { join } from 'node:path';" }, 'node:path'],
  ['browser-without-node', { 'web/shell/old.tsx': "import * as fs from 'fs/promises';" }, 'fs/promises'],
  [
    'browser-without-node',
    {
      'kernel/client/browser/reaching.ts': "import { type Peer, peer } from '../peer.js';",
      'kernel/client/peer.ts': "export * from 'ws';",
    },
    'ws',
  ],
  [
    'browser-without-node',
    { 'extensions/chat/web/page.tsx': "const late = () => import('./late.js');", 'extensions/chat/web/late.ts': "import 'node:fs';" },
    'node:fs',
  ],
  ['browser-without-node-globals', { 'web/kit/bytes.ts': 'export const size = (text: string) => Buffer.byteLength(text);' }, 'Buffer'],
  ['browser-without-node-globals', { 'web/kit/flag.ts': 'export const flag = process.env.FLAG;' }, 'process'],
];

t.test('each rule for the web app reports only the violations planted for it', async (t) => {
  const planted = tree({
    ...Object.fromEntries(plantedInBrowser.flatMap(([, files]) => Object.entries(files).map(([file, text]) => [file, `${text}\n`]))),
    'web/shell/main.ts':
      "import type { Agent } from 'node:http';\nimport type { Server } from '../../kernel/client/server.js';\nexport const text = 'a process.env';\n// A Buffer.\n",
    'kernel/client/server.ts': "import { createServer } from 'node:http';\n",
  });
  const { violations, ...count } = checkBrowserSafe(t.testdir(planted));
  const wanted = plantedInBrowser.map(([rule, files, name]) => `${rule}: ${Object.keys(files).at(-1)} → ${name}`);
  t.same([...violations].sort(), wanted.sort());
  t.same(count, { read: 2, expected: 2 });
  t.same([...new Set(plantedInBrowser.map(([rule]) => rule))].sort(), [...browserRules].sort());
});

t.test('the client for pages is read with all that it reaches', async (t) => {
  const { read, violations } = checkBrowserSafe(process.cwd());
  t.same(violations, []);
  t.ok(read > 30, `${read} imports`);
});

t.test('an unreadable tree does not count as clean', async (t) => {
  const empty = t.testdir({ kernel: { boot: { 'boot.ts': "import('../platform/log/log.js')" } }, dist: { 'readme.txt': '' } });
  t.ok(isBlind(await checkValues(empty, valueRules)));
  t.ok(isBlind(checkBrowserSafe(empty)));
  t.ok(isBlind({ read: 1, expected: 2, violations: [] }));
});
