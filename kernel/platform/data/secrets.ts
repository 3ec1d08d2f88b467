import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Secrets } from '../../contract/data.js';
import { codeOf, failData, reasonOf } from './failures.js';
import type { Data } from './hub.js';

export interface SecretsOptions {
  /** `PLATFORM_SECRET_KEY` (at least 32 characters by its setting), or the content of a key file. Default: the file `secret.key` of the data folder, created if missing. */
  key?: string | undefined;
  data_dir: string;
}

export interface MasterSecrets extends Secrets {
  /** Origin of the key. */
  readonly source: 'given' | 'file' | 'made';
  /** Key file that was just created. */
  readonly made?: string;
}

/** Opens the installation's master key. Fails with `secret_key_wrong` if it is malformed. */
export async function openSecrets({ key, data_dir }: SecretsOptions): Promise<MasterSecrets> {
  if (key !== undefined && key !== '') return { source: 'given', ...sealing(await derive(key.trim())) };
  const file = join(data_dir, 'secret.key');
  const found = await readKey(file);
  if (found) return { source: 'file', ...sealing(found) };
  const made = await makeKey(file);
  return { source: 'made', made: file, ...sealing(made) };
}

/**
 * Checks that the database was sealed with this key, or claims a new database for it. Fails with `secret_key_missing` if no key was given
 * and the one just created doesn't match, and with `secret_key_wrong` if the given or stored key doesn't match.
 */
export async function proveKey(data: Data, secrets: MasterSecrets): Promise<void> {
  const sealed = await findOrStore(data, 'secret_canary', () => secrets.seal(Buffer.from(canary)));
  try {
    compare(secrets, sealed);
  } catch (fault) {
    // A useless key file would later be taken for the installation's key.
    if (secrets.made) await rm(secrets.made, { force: true });
    throw fault;
  }
}

/** Returns a random key of 32 bytes, created on first use and stored sealed; the same on every instance. */
export async function installationKey(data: Data, secrets: Secrets, name: string): Promise<Buffer> {
  return secrets.open(await findOrStore(data, name, () => secrets.seal(randomBytes(32))));
}

const canary = 'platform';

/** Reads a setting, or stores it and reads it again, because another instance may have been first. */
async function findOrStore({ models: { settings } }: Data, key: string, make: () => string): Promise<string> {
  const find = async () => (await settings.findOne({ where: { key }, raw: true }))?.value;
  const found = await find();
  if (found) return found;
  const value = make();
  await settings.bulkCreate([{ key, value }], { ignoreDuplicates: true });
  return (await find()) ?? value;
}

function compare(secrets: MasterSecrets, sealed: string): void {
  try {
    secrets.open(sealed);
  } catch (cause) {
    const { code, found } = mismatch[secrets.source];
    throw failData(
      code,
      `${found}; give every instance the same PLATFORM_SECRET_KEY, or the content of the secret.key that the first one made`,
      {
        cause,
      },
    );
  }
}

const mismatch = {
  given: { code: 'secret_key_wrong', found: 'The given PLATFORM_SECRET_KEY is not the key that this database was sealed with' },
  file: { code: 'secret_key_wrong', found: "The data folder's secret.key is not the key that this database was sealed with" },
  made: { code: 'secret_key_missing', found: 'This database was sealed with a key that is not here' },
} as const;

/** Derives the key. The content of a key file is used as it is; anything else may be a passphrase and goes through scrypt. */
function derive(key: string): Promise<Buffer> {
  if (/^[A-Za-z0-9+/]{43}=$/.test(key)) return Promise.resolve(Buffer.from(key, 'base64'));
  if (key.length < 16) throw failData('secret_key_wrong', `PLATFORM_SECRET_KEY must have at least 16 characters, but has ${key.length}`);
  return new Promise((resolve, reject) => {
    scrypt(key, 'platform master key', 32, (error, derived) => (error ? reject(error) : resolve(derived)));
  });
}

async function readKey(file: string): Promise<Buffer | undefined> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw failData('data_dir_unwritable', `The key file ${file} can't be read: ${reasonOf(cause)}`, { cause });
  });
  if (text === undefined) return undefined;
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== 32) throw failData('secret_key_wrong', `The key file ${file} must hold 32 bytes in base64, but holds ${key.length}`);
  return key;
}

/** Creates the key file atomically, and never over one that another process created first. */
async function makeKey(file: string): Promise<Buffer> {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true });
  try {
    await link(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return (await readKey(file)) as Buffer;
}

/** Seals with AES-256-GCM: `v1.` and base64url of nonce (12 bytes), tag (16) and ciphertext. */
function sealing(key: Buffer): Secrets {
  return {
    seal(plain) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const text = Buffer.concat([cipher.update(plain), cipher.final()]);
      return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')}`;
    },
    open(sealed) {
      const bytes = Buffer.from(sealed.replace(/^v1\./, ''), 'base64url');
      if (!sealed.startsWith('v1.') || bytes.length < 28) throw new Error('This is not a sealed secret');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
    },
  };
}
