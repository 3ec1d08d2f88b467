import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { link, mkdir, open, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { failures } from '../../kernel/contract/failure.js';
import { readInputFile } from '../file-source.js';
import { profilesFile } from '../profiles.js';
import type { Terminal } from '../terminal.js';

const fail = failures({ key_unreadable: 400 });

const max_bytes = 16_384;

/**
 * Returns the key that signs a publication: from a named file, or the user's own key, which is stored beside the logins and created
 * if there is none. Messages about it go to standard error.
 *
 * @param admit Called before a key is created; no key is created if it fails.
 */
export async function publisherKey(path: string | undefined, terminal: Terminal, admit?: () => Promise<unknown>): Promise<KeyObject> {
  if (path !== undefined && (path === '-' || (await isPipe(path)))) return keyOf(await pipedKey(path, terminal), path);
  const file = path ?? join(dirname(profilesFile(terminal.env)), 'publisher-key.pem');
  const found = await readKey(file, terminal);
  if (found !== undefined) return found;
  if (path !== undefined) throw fail('key_unreadable', `There is no key ${path}`);
  await admit?.();
  const created = (await createKey(file)) ?? (await readKey(file, terminal));
  if (created === undefined) throw fail('key_unreadable', `The key ${file} no longer exists`);
  terminal.stderr.write(`created a signing key: ${file}\nback it up and keep it secret: anyone who has it can publish as you\n`);
  return created;
}

/** Reads a key from another program, such as a password store. */
async function pipedKey(path: string, terminal: Terminal): Promise<string> {
  return (await readInputFile(path, { terminal, max_bytes: max_bytes })).toString('utf8');
}

async function isPipe(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFIFO() === true;
}

/** Reads a key file; undefined if there is none. Warns if others may read it. */
async function readKey(file: string, { stderr }: Terminal): Promise<KeyObject | undefined> {
  const handle = await open(file, 'r').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw fail('key_unreadable', `The key ${file} can't be read (${cause.code ?? 'unknown'})`, { cause });
  });
  if (handle === undefined) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > max_bytes) throw fail('key_unreadable', `${file} is not a key`);
    if ((stats.mode & 0o077) !== 0) stderr.write(`warning: other users may read the key ${file}; fix it with: chmod 600\n`);
    return keyOf(await handle.readFile('utf8'), file);
  } finally {
    await handle.close();
  }
}

function keyOf(text: string, file: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(text);
  } catch (cause) {
    throw fail('key_unreadable', `${file} is not a private key in PEM without a passphrase`, { cause });
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw fail('key_unreadable', `${file} is a key of type ${key.asymmetricKeyType ?? 'unknown'}, not Ed25519`);
  return key;
}

/** Creates a key file atomically; undefined if another process has created one in the meantime. */
async function createKey(file: string): Promise<KeyObject | undefined> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const temporary = `${file}.${randomBytes(6).toString('hex')}.new`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(temporary, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600, flag: 'wx' });
    await link(temporary, file);
    return privateKey;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw fail('key_unreadable', `Can't create a key at ${file} (${(fault as NodeJS.ErrnoException).code ?? 'unknown'})`, { cause: fault });
  } finally {
    await rm(temporary, { force: true });
  }
}
