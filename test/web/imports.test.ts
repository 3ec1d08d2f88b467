import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';

interface Import {
  /** A path from the root, or the name of a package. */
  to: string;
  isType: boolean;
}

/** Packages that pages get from the shell. Everything else comes through the kit. */
const ofPages = /^(react|@platform\/kit(\/(forms|markdown|charts|terminal))?)$/;

/** Packages that only parts of the kit load, so that the first view stays small. */
const heavy = /^(@tanstack\/|react-aria|virtua$|uplot|react-markdown|remark-gfm|highlight\.js|@xterm\/)/;

/** Values of the kernel that work in a browser. */
const inBrowsers = /^kernel\/(client\/(browser\/index|panel-(rows|input))|contract\/(authority|failure|time-zone|mentions))\.js$/;

function importsOf(file: string, text: string): Import[] {
  const found = [...text.matchAll(/^\s*(?:import|export)\s+(type\s+)?(?:[^'"]*?from\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm)];
  return found.map(([, type, from, lazily]) => {
    const named = from ?? lazily ?? '';
    return { to: named.startsWith('.') ? join(dirname(file), named) : named, isType: type !== undefined };
  });
}

/** Returns what is wrong with an import by a page of an extension. */
function faultOfPage(file: string, { to, isType }: Import): string | undefined {
  const [, extension = ''] = /^extensions\/([^/]+)\/web\//.exec(file) ?? [];
  if (to.startsWith(`extensions/${extension}/web/`) || ofPages.test(to)) return undefined;
  if (isType && (/^extensions\/[^/]+\/contract\.js$/.test(to) || to.startsWith('kernel/contract/'))) return undefined;
  return `${file} imports ${to}`;
}

/** Returns what is wrong with an import by the shell or the kit. */
function faultOfShell(file: string, { to, isType }: Import): string | undefined {
  if (/^node:|^ws$|^joi$/.test(to)) return `${file} imports ${to}, which no browser has`;
  if (!/^(kernel|extensions|cli|tui|test|config)\//.test(to)) return undefined;
  if (isType ? /^(kernel\/|extensions\/[^/]+\/contract\.js$)/.test(to) : inBrowsers.test(to)) return undefined;
  return `${file} imports ${to}`;
}

const all = ['web', 'extensions'].flatMap((top) => readdirSync(top, { recursive: true, encoding: 'utf8' }).map((file) => join(top, file)));
const sources = (pattern: RegExp) => all.filter((file) => /\.tsx?$/.test(file) && pattern.test(file));
const faultsIn = (files: readonly string[], faultOf: (file: string, each: Import) => string | undefined) =>
  files.flatMap((file) => importsOf(file, readFileSync(file, 'utf8')).flatMap((each) => faultOf(file, each) ?? []));

t.test('pages know the kit, React and contracts, and nothing else', async (t) => {
  const pages = sources(/^extensions\/[^/]+\/web\//);
  t.ok(pages.length > 20, `${pages.length} files`);
  t.strictSame(faultsIn(pages, faultOfPage), []);
});

t.test('the shell and the kit use of the kernel only what works in a browser', async (t) => {
  const files = sources(/^web\//);
  t.ok(files.length > 20, `${files.length} files`);
  t.strictSame(faultsIn(files, faultOfShell), []);
});

t.test('what is loaded before a log-in reaches no heavy package', async (t) => {
  const reached = new Set<string>();
  const visit = (file: string): string[] => {
    if (reached.has(file)) return [];
    reached.add(file);
    const text = readFileSync(file, 'utf8').replace(/\bimport\('[^']+'\)/g, '');
    return importsOf(file, text)
      .filter(({ isType }) => !isType)
      .flatMap(({ to }) =>
        to.startsWith('web/') && to.endsWith('.js') ? visit(sourceOf(to)) : heavy.test(to) ? [`${file} imports ${to}`] : [],
      );
  };
  t.strictSame(visit('web/shell/main.tsx'), []);
});

t.test('a planted import is found', async (t) => {
  const page = (text: string) =>
    importsOf('extensions/chat/web/page.tsx', text).map((each) => faultOfPage('extensions/chat/web/page.tsx', each));
  t.match(page("import { x } from '../service.js';"), [/imports extensions\/chat\/service\.js/]);
  t.match(page("import { Chat } from '../contract.js';"), [/contract/], 'a contract is a type');
  t.match(page("import uPlot from 'uplot';"), [/uplot/]);
  t.match(page("import type { A } from '../../members/store.js';"), [/members\/store/]);
  t.match(page("const late = import('../late.js');"), [/late/]);
  t.strictSame(page("import type { Chat } from '../contract.js';\nimport './page.css';\nimport { Page } from '@platform/kit';"), [
    undefined,
    undefined,
    undefined,
  ]);
  const [shell] = importsOf('web/shell/a.ts', "import { http } from '../../kernel/client/http.js';");
  t.match(faultOfShell('web/shell/a.ts', shell as Import), /http/);
});

/** Returns the source that a compiled name stands for. */
function sourceOf(compiled: string): string {
  const found = all.find((file) => file === compiled.replace(/\.js$/, '.ts') || file === compiled.replace(/\.js$/, '.tsx'));
  if (found === undefined) throw new Error(`${compiled} has no source`);
  return found;
}
