/**
 * Runs after the compiler in `npm run build`: each extension becomes one CommonJS file with a completed
 * manifest, whatever is not TypeScript is copied beside it, what has lost its source is removed, and `npx` finds the program.
 */
import { chmod, mkdir, readdir, readFile, readlink, rename, rm, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundleOwn } from './dist/kernel/platform/bundles/bundler.js';
import { contributionsOf } from './dist/kernel/platform/bundles/contributions.js';
import { bundleForBrowsers, compressions } from './web/build.mjs';

const SOURCES = ['kernel', 'extensions', 'cli', 'tui', 'config', 'test'];
const TYPESCRIPT = /\.tsx?$/;
const ORM = join('kernel', 'platform', 'data', 'orm.ts');

/** Builds what the tree at `root` holds into its `dist`, after `tsc` has run. */
export async function assemble(root) {
  const files = await sources(root);
  const dist = join(root, 'dist');
  const made = new Set(files.filter((file) => TYPESCRIPT.test(file)).flatMap(compiled));
  const write = async (file, bytes) => {
    made.add(file);
    await replace(join(dist, file), bytes);
  };
  /** Writes a file for browsers and its compressed copies. Its name changes with its content, so one that exists stays. */
  const writeForBrowsers = async (file, bytes) => {
    for (const [ending, compress] of Object.entries(compressions)) {
      const path = file + ending;
      if (await exists(join(dist, path))) made.add(path);
      else await write(path, await compress(bytes));
    }
  };
  const folders = files
    .filter((file) => file.endsWith(`${sep}manifest.json`) && files.includes(join(dirname(file), 'index.ts')))
    .map(dirname);
  for (const file of files) if (!TYPESCRIPT.test(file) && !isForBrowsers(file)) await write(file, await readFile(join(root, file)));
  for (const folder of folders) {
    const manifest = JSON.parse(await readFile(join(root, folder, 'manifest.json'), 'utf8'));
    for (const output of await bundleOwn({ root, folder, manifest })) await write(relative(dist, output.path), output.contents);
    const web = await bundleForBrowsers(root, folder);
    for (const [name, bytes] of web.files) await writeForBrowsers(join(folder, 'web', name), bytes);
    const contributes = { ...manifest.contributes, ...(await contributions(dist, folder)), ...(web.manifest && { web: web.manifest }) };
    await write(join(folder, 'manifest.json'), `${JSON.stringify({ ...manifest, contributes })}\n`);
  }
  if (files.includes(ORM)) await write(join(dirname(ORM), 'sequelize.cjs'), await bundleSequelize());
  await sweep(dist, made);
  await chmod(join(dist, 'cli/main.js'), 0o755).catch(ignoreMissing);
  return folders;
}

/**
 * Puts the built program where `npx platform` looks first. A `bin` in package.json would not do: npm then treats the project as
 * a package to install into its cache, builds it a second time, and fails for users who may not write here.
 */
export async function linkProgram(root) {
  const folder = join(root, 'node_modules', '.bin');
  await mkdir(folder, { recursive: true });
  if (process.platform === 'win32') {
    await replace(join(folder, 'platform'), '#!/bin/sh\nexec node "$(dirname "$0")/../../dist/cli/main.js" "$@"\n');
    await replace(join(folder, 'platform.cmd'), '@node "%~dp0..\\..\\dist\\cli\\main.js" %*\r\n');
    return;
  }
  const [link, target] = [join(folder, 'platform'), join('..', '..', 'dist', 'cli', 'main.js')];
  if ((await readlink(link).catch(() => undefined)) === target) return;
  const aside = `${link}.${process.pid}.new`;
  await symlink(target, aside);
  await rename(aside, link);
}

/**
 * Sequelize in one file without what nothing here uses: other dialects, dates and their time zones (times are text), validators
 * (Joi checks input) and geometry. The package is 308 files and would take 2.5 times as long at each start.
 */
async function bundleSequelize() {
  const unused = /^(\.\/dialects\/(mariadb|mssql|mysql|db2|snowflake|oracle)|moment(-timezone)?|validator|wkx)$/;
  const omit = {
    name: 'omit',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: unused }, ({ path }) => ({ path, namespace: 'omit' }));
      onLoad({ filter: /./, namespace: 'omit' }, () => ({ contents: 'module.exports = {};' }));
    },
  };
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'kernel/platform/data/sequelize-entry.ts')],
    external: ['pg', 'pg-hstore', 'sqlite3'],
    bundle: true,
    write: false,
    minify: true,
    keepNames: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
    plugins: [omit],
  });
  return outputFiles[0].contents;
}

/** Returns the contributions of an extension, as data, read from its compiled tables. */
async function contributions(dist, folder) {
  const { operations } = await load(join(dist, folder, 'operations.js'));
  const { commands } = await load(join(dist, folder, 'commands.js'));
  const { describeOperation } = await load(join(dist, 'kernel/core/host/describe-operation.js'));
  return contributionsOf({ operations: describeOperation && operations, commands }, describeOperation);
}

const load = async (file) => ((await exists(file)) ? import(pathToFileURL(file).href) : {});

const exists = (file) =>
  stat(file).then(
    () => true,
    () => false,
  );

/** Returns whether a source is for browsers: it is bundled. Modules that tests import are compiled too. */
const isForBrowsers = (file) => file.split(sep)[0] === 'extensions' && file.split(sep)[2] === 'web';

/** Every source file, as a path from the root. */
async function sources(root) {
  const found = [];
  for (const top of SOURCES) found.push(...(await walk(join(root, top))));
  return found.map((file) => relative(root, file));
}

async function walk(folder) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(ignoreMissing);
  return (entries ?? []).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Returns the compiled file of a source. */
function compiled(file) {
  if (file.endsWith('.d.ts')) return [];
  const script = file.replace(TYPESCRIPT, '.js');
  return [script, `${script}.map`];
}

/** Writes a file whole or not at all, and only where it differs: a running platform may be reading it. */
async function replace(file, bytes) {
  const wanted = Buffer.from(bytes);
  const present = await readFile(file).catch(ignoreMissing);
  if (present?.equals(wanted)) return;
  await mkdir(dirname(file), { recursive: true });
  const aside = `${file}.${process.pid}.new`;
  await writeFile(aside, wanted);
  await rename(aside, file);
}

/** Removes what no source accounts for any more, but for what another build is just writing. */
async function sweep(dist, made) {
  const stale = (await walk(dist)).filter((file) => !made.has(relative(dist, file)) && !file.endsWith('.new'));
  for (const file of stale) {
    await rm(file, { force: true });
    await prune(dirname(file), dist);
  }
}

/** Removes a folder that has become empty, and those above it. */
async function prune(folder, top) {
  if (folder === top || (await readdir(folder).catch(ignoreMissing))?.length !== 0) return;
  await rmdir(folder);
  await prune(dirname(folder), top);
}

function ignoreMissing(error) {
  if (error.code !== 'ENOENT') throw error;
}

if (process.argv[1] === import.meta.filename) {
  try {
    await assemble(import.meta.dirname);
    await linkProgram(import.meta.dirname);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
