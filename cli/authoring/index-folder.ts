import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import semver from 'semver';
import { Failure, failures, isFailure } from '../../kernel/contract/failure.js';
import type { BundleSignature } from '../../kernel/contract/installation.js';
import type { Manifest } from '../../kernel/contract/manifest.js';
import { check } from '../../kernel/platform/bundles/reader.js';
import { isSigned } from '../../kernel/platform/bundles/signature.js';
import type { Context } from '../command.js';
import { UsageError } from '../exit.js';
import { assertFields, print } from '../output.js';
import { builtinWords } from './builtin-words.js';
import { reportingFaults } from './faults.js';
import { readSidecar, replace, sidecarOf } from './sidecar.js';

const fail = failures({ signature_invalid: 400, version_exists: 409, index_too_large: 413 });

/** Limits of a platform that reads the index. */
const max_items = 20_000;
const max_bytes = 10 * 1024 * 1024;

type IndexedField = 'id' | 'name' | 'type' | 'author' | 'version' | 'description';

interface Item extends Pick<Manifest, IndexedField> {
  content_hash: string;
  signature?: BundleSignature | undefined;
  category: string;
  tags: readonly string[];
  engines: object;
  permissions: object;
  /** Name of the ZIP beside the index. */
  file: string;
}

/** Writes the `index.json` of a folder of ZIPs, so that any web server can serve it; the same ZIPs give the same index. */
export async function indexFolder(path: string, command: Command, context: Context): Promise<void> {
  const { json } = command.opts<{ json?: boolean | string }>();
  assertFields(json, ['id', 'version', 'type', 'file', 'signed']);
  const folder = resolve(path);
  const items: Item[] = [];
  for (const file of await zipsIn(folder)) items.push(await reportingFaults(itemOf(folder, file, context.signal), context.terminal));
  items.sort(
    (one, other) => compare(one.id, other.id) || semver.compare(one.version, other.version) || compare(one.version, other.version),
  );
  assertDistinct(items);
  const text = `{"platform_index":1,"items":[${items.map((item) => `\n${JSON.stringify(item)}`).join(',')}\n]}\n`;
  if (items.length > max_items || Buffer.byteLength(text) > max_bytes) {
    throw fail('index_too_large', `An index may list ${max_items} versions in ${max_bytes} bytes; split the folder`);
  }
  await replace(join(folder, 'index.json'), text);
  const rows = items.map(({ id, version, type, file, signature }) => ({ id, version, type, file, signed: signature !== undefined }));
  print({ items: rows, total: rows.length }, { json }, context.terminal);
}

/** Lists the ZIPs of a folder by name; ignores links and folders. */
async function zipsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((fault: NodeJS.ErrnoException) => {
    throw new UsageError(`The folder ${folder} can't be read (${fault.code ?? 'unknown'})`, 'name one that holds ZIPs');
  });
  const files = entries.filter((entry) => entry.isFile() && entry.name.toLowerCase().endsWith('.zip')).map(({ name }) => name);
  return files.sort(compare);
}

async function itemOf(folder: string, file: string, signal: AbortSignal): Promise<Item> {
  const path = join(folder, file);
  const { manifest, content_hash } = await withFileName(file, check(path, { builtin: builtinWords(), signal }));
  const { id, name, type, author, version, description, category = '', tags = [], engines = {}, permissions = {} } = manifest;
  const signature = await readSidecar(path);
  if (signature !== undefined && !isSigned({ id, version, content_hash }, signature)) {
    throw fail('signature_invalid', `${sidecarOf(file)} is not a signature of ${file}: sign it again, or delete the signature file`);
  }
  return { id, name, type, author, version, description, category, tags, engines, permissions, content_hash, signature, file };
}

/** Prefixes a failure's message with the file name, because a folder may have a hundred. */
async function withFileName<T>(file: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (fault) {
    if (!isFailure(fault)) throw fault;
    const { code, message, status, details } = fault;
    throw new Failure(code, `${file}: ${message}`, { status, details, cause: fault });
  }
}

function assertDistinct(items: readonly Item[]): void {
  for (const [index, item] of items.entries()) {
    const before = items[index - 1];
    if (before === undefined || before.id !== item.id || before.version !== item.version) continue;
    throw fail('version_exists', `${before.file} and ${item.file} are both ${item.id} ${item.version}: keep one of them`);
  }
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
