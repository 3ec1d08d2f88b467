import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { link, mkdir, open, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { failures } from '../../kernel/contract/failure.js';
import { readGiven } from '../file-source.js';
import { profilesFile } from '../profiles.js';
import type { Terminal } from '../terminal.js';

const fail = failures({ key_unreadable: 400 });

const max_bytes = 16_384;

/**
 * The key by which you sign what you publish: that of a file, or your own, which lies beside the logins and is made where there is
 * none yet. What there is to know about it is told on standard error.
 */
export async function publisherKey(named: string | undefined, terminal: Terminal): Promise<KeyObject> {
  if (named !== undefined && (named === '-' || (await isPipe(named)))) return keyOf(await pipedKey(named, terminal), named);
  const file = named ?? join(dirname(profilesFile(terminal.env)), 'publisher-key.pem');
  const found = await readKey(file, terminal);
  if (found !== undefined) return found;
  if (named !== undefined) throw fail('key_unreadable', `There is no key ${named}`);
  const made = (await makeKey(file)) ?? (await readKey(file, terminal));
  if (made === undefined) throw fail('key_unreadable', `There is no key ${file} any more`);
  terminal.stderr.write(`made a key to sign with: ${file}\nkeep it, and keep it to yourself: whoever has it can publish as you\n`);
  return made;
}

/** A key that another program gives, such as a password store. */
async function pipedKey(path: string, terminal: Terminal): Promise<string> {
  return (await readGiven(path, { terminal, max_bytes })).toString('utf8');
}

async function isPipe(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFIFO() === true;
}

/** Undefined where there is no such file. */
async function readKey(file: string, { stderr }: Terminal): Promise<KeyObject | undefined> {
  const handle = await open(file, 'r').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw fail('key_unreadable', `The key ${file} can't be read (${cause.code ?? 'unknown'})`, { cause });
  });
  if (handle === undefined) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > max_bytes) throw fail('key_unreadable', `${file} is no key`);
    if ((stats.mode & 0o077) !== 0) stderr.write(`warning: others may read the key ${file}: chmod 600 it\n`);
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
    throw fail('key_unreadable', `${file} is no private key in PEM without a passphrase`, { cause });
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw fail('key_unreadable', `${file} is a key of ${key.asymmetricKeyType ?? 'no known kind'}, not of Ed25519`);
  return key;
}

/** Whole or not at all; undefined where another has made one meanwhile. */
async function makeKey(file: string): Promise<KeyObject | undefined> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const aside = `${file}.${randomBytes(6).toString('hex')}.new`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(aside, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600, flag: 'wx' });
    await link(aside, file);
    return privateKey;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw fail('key_unreadable', `No key can be made at ${file} (${(fault as NodeJS.ErrnoException).code ?? 'unknown'})`, { cause: fault });
  } finally {
    await rm(aside, { force: true });
  }
}
