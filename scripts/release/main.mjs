/**
 * Makes a release of what is built, `npm run release`: the package, its bill of materials (SBOM), licence notices, checksums, and the name of
 * the image. An argument names another folder than `release/`; `--image` builds the image with docker too.
 */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { packagesForBrowsers } from '../../web/build.mjs';
import { noticesOf } from './notices.mjs';
import { pack, stage } from './package.mjs';
import { billOfMaterials } from './sbom.mjs';

const root = resolve(import.meta.dirname, '../..');

async function release(folder, { image }) {
  const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await assertInChangelog(version);
  await warnOfChanges();
  const aside = await mkdtemp(join(tmpdir(), 'platform-release-'));
  try {
    // The folder's name, because npm names the product in the SBOM after it.
    const staged = join(aside, name);
    const packages = await stage({ root, folder: staged });
    const notices = await noticesOf({
      root,
      packages: [...packages, ...(await bundled(packages))],
      extra: join(import.meta.dirname, 'licences'),
    });
    await writeFile(join(staged, 'THIRD-PARTY-NOTICES.txt'), notices);
    const tag = `${name}:${version}`;
    const files = {
      [`${name}-${version}.tgz`]: await pack(staged, aside),
      [`${name}-${version}.cdx.json`]: await billOfMaterials({ root, folder: staged, packages }),
      'THIRD-PARTY-NOTICES.txt': notices,
      IMAGE: `${tag}\n`,
    };
    await mkdir(folder, { recursive: true });
    for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content);
    await writeFile(join(folder, 'SHA256SUMS'), checksums(files));
    print(folder, files, packages);
    await buildImage(['build', '-f', 'deploy/Dockerfile', '--build-arg', `VERSION=${version}`, '-t', tag, '.'], image);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** Returns the packages that the web app's files contain, as entries of the lock, without those that are installed anyway. */
async function bundled(installed) {
  const known = new Set(installed.map(({ path }) => path));
  const paths = (await packagesForBrowsers(root)).filter((path) => !known.has(path));
  return Promise.all(
    paths.map(async (path) => {
      const { name, version, license } = JSON.parse(await readFile(join(root, path, 'package.json'), 'utf8'));
      return { path, name, version, license };
    }),
  );
}

/** Refuses a version of which users could not read what changed. */
async function assertInChangelog(version) {
  const text = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
  if (text.split('\n').some((line) => line.startsWith(`## ${version} - `))) return;
  throw new Error(
    `CHANGELOG.md has no section '## ${version} - <date>': give Unreleased that heading, or correct the version in package.json`,
  );
}

async function warnOfChanges() {
  const { stdout } = await promisify(execFile)('git', ['status', '--porcelain'], { cwd: root });
  if (stdout !== '') console.warn('Warning: the release contains changes that are not committed');
}

/** Lines for `sha256sum --check`. */
function checksums(files) {
  const digest = (content) => createHash('sha256').update(content).digest('hex');
  return Object.entries(files)
    .map(([file, content]) => `${digest(content)}  ${file}\n`)
    .join('');
}

function print(folder, files, packages) {
  console.log(`${relative('', folder) || '.'}: ${packages.length} packages to install`);
  for (const [file, content] of Object.entries(files)) console.log(`  ${file}  ${Math.ceil(content.length / 1024)} KiB`);
  console.log('  SHA256SUMS');
}

async function buildImage(args, wanted) {
  console.log(`${wanted ? 'Building the image' : 'To build the image'}: docker ${args.join(' ')}`);
  if (!wanted) return;
  const [code] = await once(spawn('docker', args, { cwd: root, stdio: 'inherit' }), 'exit');
  if (code !== 0) throw new Error(`docker build ended with ${code ?? 'a signal'}`);
}

try {
  const { values, positionals } = parseArgs({ options: { image: { type: 'boolean', default: false } }, allowPositionals: true });
  await release(resolve(positionals[0] ?? join(root, 'release')), values);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
