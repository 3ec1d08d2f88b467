import { randomBytes } from 'node:crypto';
import { lstat, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { coreCodes } from '../../contract/failure.js';
import type { Manifest } from '../../contract/manifest.js';
import { parseForeignManifest } from '../../core/host/foreign-manifest.js';
import { assertPlainJson } from '../../core/host/manifest.js';
import { bundleCode } from './bundler.js';
import { fail } from './codes.js';
import { bundle_bytes, manifest_bytes } from './limits.js';
import { assertSafe } from './names.js';
import { type Bundle, check, type Examination, examine, type ReadOptions } from './reader.js';
import { sourcesIn } from './sources.js';
import { type Evaluated, evaluateTables } from './tables.js';
import { type Piece, writeZip } from './zip-writer.js';

export interface Packed {
  bundle: Bundle;
  /** Path of the ZIP; `bytes` is its size. */
  file: string;
  bytes: number;
  /** Paths of the author's folder that were not packed. */
  left_out: readonly string[];
  /** Warnings of the bundler. */
  warnings: readonly string[];
}

export interface PackOptions extends Pick<ReadOptions, 'builtin' | 'signal'> {
  /** Path of the ZIP; an existing file is replaced. Default: `<id>-<version>.zip` in the working folder. */
  file?: string | undefined;
}

/**
 * Packs an author's folder: a skill as it is; a plugin as one file with its code and packages, the manifest with its
 * contributions, the readme, licences and `assets`. The same folder always gives the same bytes.
 *
 * @throws any code of `bundleCodes`: a bundle that a reader would reject is not packed
 */
export async function pack(folder: string, { file, ...options }: PackOptions = {}): Promise<Packed> {
  const prepared = await prepare(folder);
  const target = resolve(file ?? `${prepared.manifest.id}-${prepared.manifest.version}.zip`);
  const temporary = `${target}.${randomBytes(6).toString('hex')}.new`;
  try {
    await writePieces(temporary, prepared);
    const bundle = await check(temporary, options);
    const { size: bytes } = await lstat(temporary);
    await rename(temporary, target);
    return { bundle, file: target, bytes, left_out: prepared.left_out, warnings: prepared.warnings };
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Examines the bundle that an author's folder would make, with all its faults; leaves no files. */
export async function examineFolder(folder: string, options: Pick<ReadOptions, 'builtin' | 'signal'> = {}): Promise<Examination> {
  const prepared = await prepare(folder);
  const temporary = await mkdtemp(join(tmpdir(), 'platform-check-'));
  try {
    const file = join(temporary, 'bundle.zip');
    await writePieces(file, prepared);
    return await examine(file, options);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

interface Prepared {
  folder: string;
  manifest: Manifest;
  pieces: readonly Piece[];
  left_out: readonly string[];
  warnings: readonly string[];
}

async function prepare(given: string): Promise<Prepared> {
  const folder = resolve(given);
  const manifest = await readSource(folder);
  const { files, left_out } = await sourcesIn(folder, manifest.id);
  const parts = manifest.type === 'plugin' ? await preparePlugin(folder, manifest, files) : { manifest, files, made: [], warnings: [] };
  const names = new Set(parts.made.map(({ name }) => name));
  const copied = parts.files
    .filter((name) => !names.has(name))
    .map((name) => ({ name: name.normalize('NFC'), content: undefined, from: name }));
  const pieces = [...parts.made, ...copied].sort((one, other) => (one.name < other.name ? -1 : 1));
  return { folder, manifest: parts.manifest, pieces, left_out, warnings: parts.warnings };
}

/**
 * Reads the manifest of an author's folder.
 *
 * @throws `manifest_missing`, `manifest_invalid`
 */
export async function readSource(folder: string): Promise<Manifest> {
  const path = join(folder, 'manifest.json');
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw fail('manifest_missing', `There is no readable ${path}`, { cause });
  });
  if (bytes.length > manifest_bytes) throw fail('manifest_invalid', `${path} has more than ${manifest_bytes} bytes`);
  const source = bytes.toString();
  assertPlainJson(source);
  return parseForeignManifest(source);
}

const beginnings = ['index.ts', 'index.mts', 'index.js', 'index.mjs', 'index.cjs'];
const endings = ['ts', 'mts', 'js', 'mjs', 'cjs'];
const papers = /^(licen[cs]e|notice|copying|changelog)(\.[a-z]+)?$/i;

async function preparePlugin(folder: string, source: Manifest, files: readonly string[]) {
  const { main = 'index.cjs', readme = 'README.md' } = source;
  assertSafe(main);
  const candidates = [...new Set([...beginnings, main])];
  const entry = candidates.find((name) => files.includes(name));
  if (entry === undefined) throw fail('main_missing', `${folder} has none of ${candidates.join(', ')}`);
  const { code, warnings } = await bundled(folder, entry);
  const evaluated = await contributes(folder, files);
  const manifest = { ...source, contributes: { ...source.contributes, ...evaluated.contributes } };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  assertFailureCodes(parseForeignManifest(text), evaluated.codes);
  const made: Piece[] = [
    { name: 'manifest.json', content: Buffer.from(text) },
    { name: main, content: Buffer.from(code) },
  ];
  const kept = files.filter((name) => name === readme || name.startsWith('assets/') || papers.test(name));
  return { manifest, files: kept, made, warnings };
}

/** Returns the contributions of the tables, and the codes of the table of failures. */
async function contributes(folder: string, files: readonly string[]): Promise<Evaluated> {
  const fileOf = (table: string) => endings.map((ending) => `${table}.${ending}`).find((name) => files.includes(name));
  const tables = ['operations', 'commands', 'panels'].map(fileOf).filter((name) => name !== undefined);
  const failureTable = fileOf('codes');
  if (tables.length === 0 && failureTable === undefined) return { contributes: {} };
  const codes: string[] = [];
  for (const table of tables) codes.push((await bundled(folder, table)).code);
  return evaluateTables(codes, failureTable && (await bundled(folder, failureTable)).code);
}

/** Fails if an operation lists a failure that the table of codes lacks: the plugin could be published, and would not start. */
function assertFailureCodes({ contributes: { operations = {} } = {} }: Manifest, codes: readonly string[] | undefined): void {
  if (codes === undefined) return;
  const faults = Object.entries(operations).flatMap(([id, { failures = [] }]) =>
    failures
      .filter((code) => !codes.includes(code) && !Object.hasOwn(coreCodes, code))
      .map((code) => ({
        path: `contributes.operations.${id}.failures`,
        message: `lists '${code}', which the table 'codes' lacks: add it there with its status, as ${code}: 404`,
      })),
  );
  const [first] = faults;
  if (first === undefined) return;
  throw fail('manifest_invalid', `The plugin would not start: "${first.path}" ${first.message}`, { details: faults });
}

async function bundled(folder: string, entry: string, testing?: string): Promise<{ code: string; warnings: string[] }> {
  const isAlone = testing !== undefined;
  const contract = fileURLToPath(new URL('../../contract', import.meta.url));
  try {
    const { files, warnings } = await bundleCode({
      root: folder,
      entry: join(folder, entry),
      outfile: join(folder, 'index.cjs'),
      contract,
      sourcemap: isAlone ? 'inline' : undefined,
      isAlone,
      testing,
    });
    return { code: files[0]?.text ?? '', warnings };
  } catch (cause) {
    throw fail('pack_failed', `${entry} can't be bundled: ${reasonOf(cause)}`, { cause });
  }
}

/** Returns the bundler's first error, with its location. */
function reasonOf(cause: unknown): string {
  const { errors = [] } = cause as { errors?: { text: string; location: { file: string; line: number } | null }[] };
  const [first] = errors;
  if (first === undefined) return cause instanceof Error ? cause.message : String(cause);
  return first.location === null ? first.text : `${first.location.file}:${first.location.line}: ${first.text}`;
}

async function writePieces(file: string, { folder, pieces }: Prepared): Promise<void> {
  let bytes = 0;
  for (const { name, content, from = name } of pieces) bytes += content?.length ?? (await lstat(join(folder, from))).size;
  // Small bundles are not compressed, so that the bytes are the same on every machine.
  await writeZip(file, pieces, { folder, compress: bytes > bundle_bytes - 1024 * 1024 });
}

/**
 * Bundles an author's test for Node with all its imports, including the platform's contract.
 *
 * @param testing the file that the test imports as `platform/testing`
 */
export async function testBundle(folder: string, file: string, testing: string): Promise<string> {
  return (await bundled(folder, file, testing)).code;
}
