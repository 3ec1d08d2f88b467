import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { npm } from './npm.mjs';

const run = promisify(execFile);

/** Parts of `dist` that run. Panels, templates, manifests and migrations lie among them. */
const BUILT = ['cli', 'config', 'extensions', 'kernel', 'tui'];
/** Sources that the program reads, or a person who has no repository. */
const SOURCES = ['config/default.json', 'deploy', 'docs', 'examples', 'CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md'];
/** Tests, maps, and files that build the image from the sources. */
const LEFT_OUT = /\.map$|\.test\.ts$|^deploy\/(Dockerfile|compose\.yaml|secrets\.sh)$/;
/** Entry points of plugins, whose types their authors need. */
const TYPED = { './contract': 'kernel/contract/index', './testing': 'cli/authoring/testing/contract' };

/** Puts everything that the package contains into a new folder. Returns the packages that it depends on, as in its shrinkwrap. */
export async function stage({ root, folder }) {
  await mkdir(folder, { recursive: true });
  for (const part of BUILT) {
    await cp(join(root, 'dist', part), join(folder, 'dist', part), { recursive: true, filter: (path) => !LEFT_OUT.test(path) });
  }
  for (const file of await tracked(root)) await cp(join(root, file), join(folder, file));
  await declareTypes(root, folder);
  const source = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await writeJson(join(folder, 'package.json'), manifestOf(source));
  return shrinkwrap(root, folder);
}

/** Makes the tarball. Equal content gives equal bytes: npm writes no times into it. */
export async function pack(folder, aside) {
  const [{ filename }] = JSON.parse(await npm(folder, 'pack', '--json', '--pack-destination', aside));
  return readFile(join(aside, filename));
}

/** Lists sources as git has them: a folder may also contain secrets of this machine. */
async function tracked(root) {
  const { stdout } = await run('git', ['ls-files', '--', ...SOURCES], { cwd: root });
  return stdout.split('\n').filter((file) => file !== '' && !LEFT_OUT.test(file));
}

/** Writes declarations of the entry points, and of whatever these mention. */
async function declareTypes(root, folder) {
  const options = join(folder, 'tsconfig.json');
  await writeJson(options, {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      declaration: true,
      emitDeclarationOnly: true,
      sourceMap: false,
      rootDir: root,
      outDir: join(folder, 'dist'),
      typeRoots: [join(root, 'node_modules/@types')],
    },
    include: [],
    files: Object.values(TYPED).map((entry) => join(root, `${entry}.ts`)),
  });
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', options]);
  await rm(options);
}

/**
 * Returns the released package.json. It stays private, because the registry knows another `platform`. The repository's own has no
 * `bin`, see `linkProgram` in esbuild.config.mjs, and its scripts need sources.
 */
function manifestOf(source) {
  const { exports } = source;
  const typed = Object.entries(TYPED).map(([entry, file]) => [entry, { types: `./dist/${file}.d.ts`, default: exports[entry].default }]);
  const manifest = { ...source, bin: { platform: 'dist/cli/main.js' }, exports: { ...exports, ...Object.fromEntries(typed) } };
  delete manifest.devDependencies;
  delete manifest.scripts;
  return manifest;
}

/** Locks the versions that were tested. npm leaves out what only development needs, because the manifest no longer names it. */
async function shrinkwrap(root, folder) {
  const file = join(folder, 'npm-shrinkwrap.json');
  await cp(join(root, 'package-lock.json'), file);
  await npm(folder, 'install', '--package-lock-only', '--omit-lockfile-registry-resolved');
  const lock = JSON.parse(await readFile(file, 'utf8'));
  // npm 10 keeps packages that are here for development and elsewhere only optional peers.
  const needed = Object.entries(lock.packages).filter(([, { optional, peer }]) => !(optional && peer));
  await writeJson(file, { ...lock, packages: Object.fromEntries(needed) });
  return needed
    .filter(([path]) => path !== '')
    .map(([path, { name = path.split('node_modules/').at(-1), ...rest }]) => ({ path, name, ...rest }));
}

async function writeJson(file, value) {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`);
}
