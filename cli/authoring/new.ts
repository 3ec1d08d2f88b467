import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { failures } from '../../kernel/contract/failure.js';
import { isReserved } from '../../kernel/core/host/reserved-ids.js';
import type { Context } from '../command.js';
import { UsageError } from '../exit.js';
import { asTyped } from '../invocation.js';
import { builtinWords } from './builtin-words.js';
import { linkPlatform } from './links.js';

const fail = failures({ folder_exists: 409, id_reserved: 409 });

const types = ['plugin', 'skill'];
/** Suffix of template files, so that compiler and linter don't treat them as part of this program. */
const ending = '.template';

/** Writes a template into a new or empty folder. */
export async function createExtension(path: string, command: Command, { terminal }: Context): Promise<void> {
  const { type } = command.opts<{ type: string }>();
  if (!types.includes(type)) throw new UsageError(`There is no type '${type}'`, `there are: ${types.join(', ')}`);
  const folder = resolve(path);
  const id = idOf(folder);
  await assertEmpty(folder);
  const template = fileURLToPath(new URL(`templates/${type}`, import.meta.url));
  const words = { id, name: nameOf(id), skill: skillOf(id), platform: await platformVersion() };
  const written: string[] = [];
  for (const file of await filesIn(template)) {
    const target = join(folder, file.slice(0, -ending.length));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, filled(await readFile(join(template, file), 'utf8'), words), { flag: 'wx' });
    written.push(relative(folder, target));
  }
  if (type === 'plugin') await linkPlatform(folder);
  terminal.stdout.write(`${written.map((file) => join(path, file)).join('\n')}\n`);
  terminal.stderr.write(
    asTyped(`${type === 'plugin' ? `Try it: platform extension test ${path}\n` : ''}Pack it: platform extension pack ${path}\n`, terminal),
  );
}

function idOf(folder: string): string {
  const id = basename(folder);
  if (!/^[a-z0-9][a-z0-9._-]{1,63}$/.test(id) || skillOf(id) === '') {
    throw new UsageError(
      `The folder's name becomes the id, and '${id}' can't be one`,
      'use 2 to 64 lower-case letters, digits, dots, dashes and underscores',
    );
  }
  if (isReserved(id, builtinWords())) throw fail('id_reserved', `The id '${id}' is reserved for the platform`);
  return id;
}

const wordsOf = (id: string) => id.split(/[._-]+/).filter((word) => word !== '');
const skillOf = (id: string) => wordsOf(id).join('-');

/** Returns the name for an id: `Acme Daily Report` for `acme.daily-report`. */
function nameOf(id: string): string {
  return wordsOf(id)
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join(' ');
}

async function assertEmpty(folder: string): Promise<void> {
  const present = await readdir(folder).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT') return [];
    throw fail('folder_exists', `${folder} is not a folder that can be written to`, { cause: fault });
  });
  if (present.length > 0) throw fail('folder_exists', `The folder ${folder} is not empty`);
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  return files.filter((file) => file.endsWith(ending)).sort();
}

function filled(text: string, words: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_mark, word: string) => words[word] as string);
}

async function platformVersion(): Promise<string> {
  const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
