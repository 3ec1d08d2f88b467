import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, posix } from 'node:path';
import type { Findings } from './findings.js';
import { sourcesBelow } from './sources.js';

/** Sources that run in browsers: the web app, the extensions' pages, and the client for them. Everything that they import does too. */
const entry = /^(?:web\/|extensions\/[^/]+\/web\/|kernel\/client\/browser\/)/;

/** Globals that only Node has. */
const nodeGlobal = /\b(Buffer|process)\s*\.|\b(require)\(/g;

/** The names of the rules, for the test that proves each. */
export const browserRules = ['browser-without-node', 'browser-without-node-globals'] as const;

/** Checks that no value that the web app reaches needs Node. Packages are checked by bundling (`bundle.test`). */
export function checkBrowserSafe(root: string): Findings {
  const open = sourcesBelow(root, ['web', 'kernel', 'extensions']).filter((file) => entry.test(file));
  const reached = new Set(open);
  const violations: string[] = [];
  let [read, expected] = [0, 0];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    const text = withoutComments(readFileSync(join(root, file), 'utf8'));
    for (const path of imports(text)) {
      if (needsNode(path)) violations.push(`browser-without-node: ${file} → ${path}`);
      if (!path.startsWith('.')) continue;
      expected += 1;
      const target = resolve(root, posix.join(posix.dirname(file), path));
      if (target === undefined) continue;
      read += 1;
      if (/\.tsx?$/.test(target) && !reached.has(target)) open.push(target);
      reached.add(target);
    }
    const globals = withoutTexts(text).matchAll(nodeGlobal);
    violations.push(...[...globals].map(([, name, call]) => `browser-without-node-globals: ${file} → ${name ?? call}`));
  }
  return { read, expected, violations };
}

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|(?<=^|[\s;,{}()])\/\/.*$/gm, '');
const withoutTexts = (text: string) => text.replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''");

/** Statements that import more than types, and `import('…')`. */
const statement = /^\s*(?:import|export)\s+(?!type\s)(?:[^'";]*?\sfrom\s+)?['"](?<path>[^'"\n]+)['"]/gm;
const call = /(?<!typeof )\bimport\(\s*['"](?<path>[^'"\n]+)['"]/g;

function imports(text: string): string[] {
  return [...text.matchAll(statement), ...text.matchAll(call)].map(({ groups }) => groups?.path ?? '');
}

function needsNode(path: string): boolean {
  const [name = ''] = path.split('/');
  return path.startsWith('node:') || name === 'ws' || builtinModules.includes(name);
}

/** Returns the source of an import, as the compiler or the bundler finds it; undefined if there is none. */
function resolve(root: string, path: string): string | undefined {
  const bare = path.replace(/\.jsx?$/, '');
  const candidates = [path, `${bare}.ts`, `${bare}.tsx`, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`];
  return candidates.find((candidate) => /\.\w+$/.test(candidate) && existsSync(join(root, candidate)));
}
