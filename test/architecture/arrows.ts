import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Findings } from './findings.js';
import { sourcesBelow } from './sources.js';

/** Extensions whose types an extension may import. An extension without a row may import none. */
const siblings: Readonly<Record<string, readonly string[]>> = {
  chat: ['members'],
  agents: ['members', 'chat', 'nodes', 'notifications'],
  nodes: ['members'],
  notifications: ['members', 'chat', 'agents', 'schedules', 'nodes', 'marketplace'],
  schedules: ['members', 'agents'],
};

interface Import {
  /** The file that imports, and the one that is imported, from the root; `.ts` of both. */
  readonly from: string;
  readonly to: string;
  /** The whole statement says `type`. */
  readonly typeOnly: boolean;
}

interface Rule {
  readonly name: string;
  readonly breaks: (arrow: Import) => boolean;
}

const inside = (folder: string) => (file: string) => file.startsWith(`${folder}/`);
const inContract = inside('kernel/contract');
const inKernel = inside('kernel');
const inCore = inside('kernel/core');
const inKit = inside('tui/kit');
const anyOf =
  (...folders: string[]) =>
  (file: string) =>
    folders.some((folder) => inside(folder)(file));

/** `chat` of `extensions/chat/store.ts`. */
const extensionOf = (file: string): string | undefined => /^extensions\/([^/]+)\//.exec(file)?.[1];

/** `panel.tsx`, and what lies in the folder `panel`: it runs in the dashboard. */
const isPanel = (file: string) => /^extensions\/[^/]+\/panel(\/|\.tsx$)/.test(file);

const isExtensionContract = (file: string) => /^extensions\/[^/]+\/contract\.ts$/.test(file);

const isSibling = ({ from, to }: Import) => {
  const [own, other] = [extensionOf(from), extensionOf(to)];
  return own !== undefined && other !== undefined && own !== other;
};

const rules: readonly Rule[] = [
  { name: 'contract-alone', breaks: ({ from, to }) => inContract(from) && !inContract(to) },
  { name: 'core-alone', breaks: ({ from, to }) => inCore(from) && !inCore(to) && !inContract(to) },
  { name: 'kernel-below', breaks: ({ from, to }) => inKernel(from) && anyOf('extensions', 'cli', 'tui', 'test')(to) },
  {
    name: 'config-below',
    breaks: ({ from, to }) => inside('config')(from) && !inside('config')(to) && !inContract(to),
  },
  {
    name: 'extension-knows-contract',
    breaks: ({ from, to }) => extensionOf(from) !== undefined && !extensionOf(to) && !inContract(to) && !(isPanel(from) && inKit(to)),
  },
  { name: 'sibling-by-contract', breaks: (arrow) => isSibling(arrow) && arrow.to !== `extensions/${extensionOf(arrow.to)}/contract.ts` },
  { name: 'sibling-as-type', breaks: (arrow) => isSibling(arrow) && !arrow.typeOnly },
  {
    name: 'sibling-allowed',
    breaks: (arrow) => isSibling(arrow) && !siblings[extensionOf(arrow.from) ?? '']?.includes(extensionOf(arrow.to) ?? ''),
  },
  { name: 'contract-as-types', breaks: ({ from, typeOnly }) => isExtensionContract(from) && !typeOnly },
  { name: 'cli-beside-extensions', breaks: ({ from, to }) => inside('cli')(from) && anyOf('extensions', 'test')(to) },
  { name: 'tui-beside-extensions', breaks: ({ from, to }) => inside('tui')(from) && anyOf('extensions', 'cli', 'test')(to) },
];

/** The names of all rules, for the test that proves each. */
export const ruleNames: readonly string[] = [...rules.map(({ name }) => name), 'no-folder-circles', 'contract-without-values'];

/** Checks the import statements of the sources below `root`, types included. */
export function checkTypes(root: string): Findings {
  const texts = sourcesBelow(root).map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  const arrows = texts.flatMap(importsOf);
  const broken = arrows.flatMap((arrow) =>
    rules.filter(({ breaks }) => breaks(arrow)).map(({ name }) => `${name}: ${arrow.from} → ${arrow.to}`),
  );
  const values = texts.filter(({ file, text }) => isExtensionContract(file) && valueExport.test(text));
  return {
    read: arrows.length,
    // Counted another way, so that an import that the statements' pattern misses shows.
    expected: texts.reduce((sum, { text }) => sum + [...text.matchAll(modulePath)].length, 0),
    violations: [...broken, ...folderCircles(arrows), ...values.map(({ file }) => `contract-without-values: ${file}`)],
  };
}

/** The kernel's parts and their folders, each extension, and each face are one folder here, with all that lies below. */
function folderOf(file: string): string {
  const folders = file.split('/').slice(0, -1);
  const depth = { kernel: 3, extensions: 2 }[folders[0] ?? ''] ?? 1;
  return folders.slice(0, depth).join('/');
}

/** Every import that closes a circle between folders: from where it leads, a way goes back. Imports of types count too. */
function folderCircles(arrows: readonly Import[]): string[] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of arrows) {
    const [here, there] = [folderOf(from), folderOf(to)];
    if (here !== there) next.set(here, (next.get(here) ?? new Set()).add(there));
  }
  const reachable = new Map([...next.keys()].map((folder) => [folder, reachableFrom(folder, next)]));
  return arrows
    .filter(({ from, to }) => folderOf(from) !== folderOf(to) && reachable.get(folderOf(to))?.has(folderOf(from)))
    .map(({ from, to }) => `no-folder-circles: ${from} → ${to}`);
}

function reachableFrom(start: string, next: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const found = new Set<string>();
  const open = [start];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const below of next.get(folder) ?? []) if (!found.has(below)) open.push(below);
    for (const below of next.get(folder) ?? []) found.add(below);
  }
  return found;
}

const modulePath = /'\.\.?\/[^'\n]*\.js'/g;
const valueExport = /^export\s+(?:default|const|let|function|async|class|enum)\b/m;

/** Statements, and the `import('…')` of types and of values. */
const statement = /^\s*(?:import|export)\s+(?<type>type\s)?(?:[^'";]*?\sfrom\s+)?['"](?<path>\.[^'"]+)['"]/gm;
const inline = /\bimport\(\s*['"](?<path>\.[^'"]+)['"]/g;

function importsOf({ file, text }: { file: string; text: string }): Import[] {
  const found = [...text.matchAll(statement), ...text.matchAll(inline)];
  return found.map(({ groups }) => ({
    from: file,
    to: posix.join(posix.dirname(file), groups?.path ?? '').replace(/\.js(x?)$/, '.ts$1'),
    typeOnly: groups?.type !== undefined,
  }));
}
