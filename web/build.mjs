/**
 * Bundles what browsers load. The shell and the kit are one build with shared parts; the pages of each extension are a build of their own
 * and import `react` and `@platform/kit` by name, which the document's import map resolves: so an extension's pages can be replaced while
 * the shell stays, and the other way round. Every file is named by its content.
 */
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { build } from 'esbuild';
import { fitPackages } from './packages.mjs';

const require = createRequire(import.meta.url);

/** Names by which pages import the kit, and their sources below `web/kit`. */
const kitModules = ['index', 'forms', 'markdown', 'charts', 'terminal'];
const kitName = (module) => (module === 'index' ? '@platform/kit' : `@platform/kit/${module}`);

/** The module that the shell loads once a member is logged in. */
const app = 'web/shell/app.tsx';

/** Packages that pages share with the shell. They are CommonJS, whose exports must be listed. */
const shared = ['react', 'react/jsx-runtime'];

/** Endings of the copies of each file, with the function that makes the copy. */
export const compressions = { '': async (bytes) => bytes, '.br': promisify(brotliCompress), '.gz': promisify(gzip) };

const common = {
  bundle: true,
  write: false,
  minify: true,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  // Browsers with import maps (WHATWG HTML): since March 2023.
  target: ['chrome111', 'firefox111', 'safari16.4'],
  jsx: 'automatic',
  entryNames: '[name]-[hash]',
  chunkNames: 'part-[hash]',
  assetNames: '[name]-[hash]',
  define: { 'process.env.NODE_ENV': '"production"' },
  metafile: true,
  logLevel: 'silent',
  legalComments: 'none',
};

/**
 * Returns the files of an extension for browsers, by name, and what its manifest says of them; no files if the extension has no pages.
 */
export async function bundleForBrowsers(root, folder) {
  if (basename(folder) === 'web') return bundleShell(root);
  const own = join(root, folder, 'web');
  const found = await filesIn(own);
  if (!found.includes('page.tsx')) return { files: [] };
  const styles = found.filter((file) => file.endsWith('.css'));
  const external = [...shared, ...kitModules.map(kitName)];
  const { files, entries, importsOf } = await bundle({ page: join(own, 'page.tsx'), ...styleEntry(own, styles) }, { root, external });
  const { parts, names } = importsOf(entries.page);
  return {
    files,
    manifest: { module: entries.page, ...(entries.style && { style: entries.style }), parts: { [entries.page]: parts }, uses: names },
  };
}

/** Returns the folders of the packages that the files for browsers contain. Pages contain none: they share the shell's. */
export async function packagesForBrowsers(root) {
  const { packages = [] } = await bundleShell(root);
  return packages;
}

async function bundleShell(root) {
  const web = join(root, 'web');
  const found = await filesIn(web);
  if (!found.includes(join('shell', 'main.tsx'))) return { files: [] };
  const kit = kitModules.filter((module) => found.includes(join('kit', `${module}.ts`)));
  const frames = found.filter((file) => /^frames[\\/][^\\/]+\.tsx?$/.test(file));
  const isFrame = (file) => file.startsWith(`frames${sep}`);
  const styles = found.filter((file) => file.endsWith('.css') && !isFrame(file));
  const entryPoints = {
    main: join(web, 'shell', 'main.tsx'),
    ...styleEntry(web, [...styles].sort(byOrder)),
    ...Object.fromEntries(kit.map((module) => [`kit-${module}`, join(web, 'kit', `${module}.ts`)])),
    ...Object.fromEntries(shared.map((name) => [name.replace('/', '-'), `shared:${name}`])),
    ...Object.fromEntries(frames.map((file) => [`frame-${basename(file).split('.')[0]}`, join(web, file)])),
  };
  const alias = Object.fromEntries(kit.map((module) => [kitName(module), join(web, 'kit', `${module}.ts`)]));
  const { files, entries, styleOf, packages, importsOf } = await bundle(entryPoints, { root, alias, framesFolder: join(web, 'frames') });
  const imports = {
    ...Object.fromEntries(shared.map((name) => [name, entries[name.replace('/', '-')]])),
    ...Object.fromEntries(kit.map((module) => [kitName(module), entries[`kit-${module}`]])),
  };
  const framed = frames.map((file) => {
    const name = basename(file).split('.')[0];
    const style = styleOf[`frame-${name}`];
    return [name, { module: entries[`frame-${name}`], ...(style && { style }) }];
  });
  const { main: module, app, style } = entries;
  const parts = Object.fromEntries([module, app, ...Object.values(imports)].map((file) => [file, importsOf(file).parts]));
  return { files, packages, manifest: { module, app, style, imports, parts, frames: Object.fromEntries(framed) } };
}

/** The style sheets of the kit come first, its tokens and base before everything. */
function byOrder(one, other) {
  const rank = (file) => (file.endsWith('tokens.css') ? 0 : file.endsWith('base.css') ? 1 : file.startsWith(`kit${sep}`) ? 2 : 3);
  return rank(one) - rank(other) || (one < other ? -1 : 1);
}

/** All style sheets of a folder become one, whichever module imports them. */
function styleEntry(folder, styles) {
  return styles.length === 0 ? {} : { style: `styles:${JSON.stringify({ folder, styles })}` };
}

async function bundle(entryPoints, { root, external = [], alias = {}, framesFolder }) {
  const outdir = join(root, 'dist', 'assets');
  const { outputFiles, metafile } = await build({
    ...common,
    entryPoints,
    outdir,
    absWorkingDir: root,
    external,
    alias,
    plugins: [sharedModules(root), collectedStyles(framesFolder), fitPackages],
  });
  const entries = {};
  const styleOf = {};
  for (const [path, { entryPoint, cssBundle }] of Object.entries(metafile.outputs)) {
    if (entryPoint === undefined) continue;
    const name = entryPoint === app ? 'app' : basename(path).replace(/-[A-Z0-9]{8}\.\w+$/, '');
    entries[name] = basename(path);
    if (cssBundle) styleOf[name] = basename(cssBundle);
  }
  const packages = new Set(Object.keys(metafile.inputs).flatMap((file) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  const files = outputFiles.map(({ path, contents }) => [relative(outdir, path), contents]);
  return { files, entries, styleOf, packages: [...packages], importsOf: (file) => importsOf(file, metafile.outputs) };
}

/** Returns what a module imports at once, itself or by others: files of the same build, and names that the document resolves. */
function importsOf(file, outputs) {
  const byName = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  const parts = new Set();
  const names = new Set();
  const visit = (name) => {
    for (const { path, kind, external } of byName.get(name)?.imports ?? []) {
      if (kind !== 'import-statement') continue;
      if (external) names.add(path);
      else if (!parts.has(basename(path))) {
        parts.add(basename(path));
        visit(basename(path));
      }
    }
  };
  visit(file);
  return { parts: [...parts], names: [...names] };
}

/** Lists the exports of a CommonJS package by name. */
function sharedModules(root) {
  return {
    name: 'shared',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^shared:/ }, ({ path }) => ({ path: path.slice('shared:'.length), namespace: 'shared' }));
      onLoad({ filter: /./, namespace: 'shared' }, ({ path }) => {
        const names = Object.keys(require(path)).filter((name) => name !== 'default' && /^\w+$/.test(name));
        const contents = `import all from '${path}';\nexport default all;\nexport const { ${names.join(', ')} } = all;\n`;
        return { contents, resolveDir: root };
      });
    },
  };
}

/** Imports of style sheets by modules are left out, because the style entry has them all; frames keep their own. */
function collectedStyles(framesFolder) {
  return {
    name: 'styles',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^styles:/ }, ({ path }) => ({ path: path.slice('styles:'.length), namespace: 'styles' }));
      onLoad({ filter: /./, namespace: 'styles' }, ({ path }) => {
        const { folder, styles } = JSON.parse(path);
        const contents = styles.map((file) => `@import ${JSON.stringify(`./${file.split(sep).join('/')}`)};`).join('\n');
        return { contents, loader: 'css', resolveDir: folder };
      });
      onResolve({ filter: /\.css$/ }, ({ kind, importer }) => {
        const isLeftOut = kind !== 'import-rule' && kind !== 'entry-point' && !(framesFolder && importer.startsWith(framesFolder + sep));
        return isLeftOut ? { path: 'none', namespace: 'no-style' } : undefined;
      });
      onLoad({ filter: /./, namespace: 'no-style' }, () => ({ contents: '' }));
    },
  };
}

async function filesIn(folder) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
