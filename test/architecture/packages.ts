import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Findings } from './findings.js';
import { sourcesBelow } from './sources.js';

/** The packages that the product is asked to build on → the module (a file, or a folder) that uses each for what it is known for. */
export const modules: Readonly<Record<string, string>> = {
  '@hapi/hapi': 'kernel/platform/http/',
  '@hapi/inert': 'kernel/platform/http/docs/',
  '@hapi/jwt': 'extensions/members/access-tokens.ts',
  commander: 'cli/program.ts',
  'cron-parser': 'extensions/schedules/triggers/',
  dockerode: 'extensions/nodes/engines/',
  'hapi-swagger': 'kernel/platform/http/docs/',
  ink: 'tui/screen.tsx',
  joi: 'kernel/core/host/operation-schema.ts',
  mammoth: 'kernel/platform/documents/',
  'pdfjs-dist': 'kernel/platform/documents/',
  pg: 'kernel/platform/data/postgres/',
  sequelize: 'kernel/platform/data/',
  sqlite3: 'kernel/platform/data/sqlite/',
  tap: 'test/',
  'toad-scheduler': 'kernel/core/events/repeats.ts',
  ws: 'kernel/platform/http/socket/',
  yauzl: 'kernel/platform/bundles/',
};

/** The names of the rules, for the test that proves each. */
export const packageRules = ['requires-imported', 'requires-listed', 'dependency-imported', 'module-imports'] as const;

interface Use {
  file: string;
  /** `@scope/name` of `@scope/name/part`. */
  name: string;
}

/**
 * Checks which packages the sources below `root` import as values: that an extension imports what its manifest requires, which
 * package.json has to list, that the program imports each dependency, and that each of `modules` imports its package.
 */
export function checkPackages(root: string): Findings {
  const texts = sourcesBelow(root).map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  const uses = texts.flatMap(usesOf);
  const listed = dependenciesOf(root);
  const used = (name: string, module: string) => uses.some((use) => use.name === name && use.file.startsWith(module));
  const requires = manifestsBelow(root).flatMap(({ folder, requires }) => requires.map((name) => ({ folder, name })));
  const broken: Readonly<Record<(typeof packageRules)[number], readonly string[]>> = {
    'requires-imported': requires.filter(({ folder, name }) => !used(name, folder)).map(({ folder, name }) => `${folder} → ${name}`),
    'requires-listed': requires.filter(({ name }) => !listed.includes(name)).map(({ folder, name }) => `${folder} → ${name}`),
    'dependency-imported': listed.filter((name) => !used(name, '')).map((name) => `package.json → ${name}`),
    'module-imports': Object.entries(modules)
      .filter(([name, module]) => !(module === 'test/' ? testsUse(root, name) : used(name, module)))
      .map(([name, module]) => `${module} → ${name}`),
  };
  return {
    read: uses.length,
    // Each package has to be found at least once.
    expected: listed.length,
    violations: packageRules.flatMap((rule) => broken[rule].map((violation) => `${rule}: ${violation}`)),
  };
}

/** Statements that import more than types, and calls: `createRequire`'s too, also for a file that the build makes of a whole package. */
const statement = /^(?:import|export)\s+(?!type\s)(?:[^'";]*?\sfrom\s+)?'(?<path>[^.'][^']*)'/gm;
const call = /(?<!typeof )\b(?:import|require|resolve)\(\s*'(?:(?<path>[^.'][^']*)|\.\/(?<bundled>[\w-]+)\.cjs)'/g;

function usesOf({ file, text }: { file: string; text: string }): Use[] {
  return [...text.matchAll(statement), ...text.matchAll(call)]
    .map(({ groups }) => groups?.path ?? groups?.bundled ?? '')
    .filter((path) => !path.startsWith('node:'))
    .map((path) => ({ file, name: path.split('/', path.startsWith('@') ? 2 : 1).join('/') }));
}

function dependenciesOf(root: string): string[] {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
  return Object.keys(dependencies);
}

function manifestsBelow(root: string): { folder: string; requires: readonly string[] }[] {
  return readdirSync(join(root, 'extensions'))
    .map((id) => `extensions/${id}/`)
    .filter((folder) => existsSync(join(root, folder, 'manifest.json')))
    .map((folder) => ({ folder, requires: [], ...JSON.parse(readFileSync(join(root, folder, 'manifest.json'), 'utf8')) }));
}

/** Whether some test imports a package; those are read here alone. */
function testsUse(root: string, name: string): boolean {
  const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
  return tests.some((file) => usesOf({ file, text: readFileSync(join(root, 'test', file), 'utf8') }).some((use) => use.name === name));
}
