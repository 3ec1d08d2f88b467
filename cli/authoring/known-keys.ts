import { createPublicKey } from 'node:crypto';
import { isSigningKey, publicText } from '../../kernel/platform/bundles/signature.js';
import { UsageError } from '../exit.js';
import { readInputFile } from '../file-source.js';
import type { Terminal } from '../terminal.js';

/** Above the size of a list of all keys. */
const max_bytes = 4 * 1024 * 1024;

export interface KnownKey {
  name: string;
  public_key: string;
}

/** Reads the keys that a signature is accepted from; undefined if none are named. */
export async function knownKeys(
  { key, trust }: { key?: string | undefined; trust?: string | undefined },
  terminal: Terminal,
): Promise<readonly KnownKey[] | undefined> {
  if (key !== undefined && trust !== undefined) throw new UsageError('--key and --trust exclude each other', 'pass only one of them');
  if (key !== undefined) return [{ name: '', public_key: isSigningKey(key) ? key : await keyIn(key, terminal) }];
  return trust === undefined ? undefined : keysIn(trust, terminal);
}

async function keyIn(file: string, terminal: Terminal): Promise<string> {
  const hint = 'pass the base64 of its 32 bytes, or a PEM file';
  const text = (
    await readInputFile(file, { terminal, max_bytes }).catch(() => {
      throw new UsageError(`'${file}' is neither a public key nor a file that can be read`, hint);
    })
  ).toString('utf8');
  try {
    const found = isSigningKey(text.trim()) ? text.trim() : publicText(createPublicKey(text));
    if (isSigningKey(found)) return found;
  } catch {
    // Reported below, like every file without a key.
  }
  throw new UsageError(`${file} has no Ed25519 key`, hint);
}

/** Reads a list of keys, as `extension keys --json` writes it. */
async function keysIn(file: string, terminal: Terminal): Promise<KnownKey[]> {
  const hint = 'create it with: platform extension keys --json > keys.json';
  const text = await readInputFile(file, { terminal, max_bytes }).catch(() => {
    throw new UsageError(`The list of keys ${file} can't be read`, hint);
  });
  const keys = parseKeys(text.toString('utf8'));
  if (keys === undefined) throw new UsageError(`${file} is not a list of keys, each with a name and an Ed25519 public_key`, hint);
  return keys;
}

function parseKeys(text: string): KnownKey[] | undefined {
  try {
    const found = JSON.parse(text) as { items?: unknown } | null;
    const items = Array.isArray(found) ? (found as unknown[]) : found?.items;
    if (!Array.isArray(items)) return undefined;
    const keys = items as (Partial<KnownKey> | null)[];
    const isGood = keys.every((one) => typeof one?.name === 'string' && typeof one.public_key === 'string' && isSigningKey(one.public_key));
    return isGood ? keys.map((one) => ({ name: one?.name ?? '', public_key: one?.public_key ?? '' })) : undefined;
  } catch {
    return undefined;
  }
}
