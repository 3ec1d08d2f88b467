import { randomBytes } from 'node:crypto';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { failures } from '../../kernel/contract/failure.js';
import type { BundleSignature } from '../../kernel/contract/installation.js';
import type { SignedBundle } from '../../kernel/platform/bundles/signature.js';

const fail = failures({ signature_invalid: 400 });

const max_bytes = 4_096;

export const sidecarOf = (file: string) => `${file}.sig`;

/** Writes a signature beside its ZIP, with the id, version and hash that it signs; returns the path. */
export async function writeSidecar(file: string, bundle: SignedBundle, signature: BundleSignature): Promise<string> {
  const { id, version, content_hash } = bundle;
  const path = sidecarOf(file);
  await replace(path, `${JSON.stringify({ id, version, content_hash, ...signature }, undefined, 2)}\n`);
  return path;
}

/** Reads the signature beside a ZIP; undefined if there is none. */
export async function readSidecar(file: string): Promise<BundleSignature | undefined> {
  const path = sidecarOf(file);
  const handle = await open(path, 'r').catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT') return undefined;
    throw fault;
  });
  if (handle === undefined) return undefined;
  try {
    const { size } = await handle.stat();
    if (size > max_bytes) throw fail('signature_invalid', `${path} is not a signature: it has ${size} bytes`);
    return parseSignature(await handle.readFile('utf8'), path);
  } finally {
    await handle.close();
  }
}

function parseSignature(text: string, path: string): BundleSignature {
  try {
    const { public_key, signature } = JSON.parse(text) as Partial<BundleSignature>;
    if (typeof public_key === 'string' && typeof signature === 'string') return { public_key, signature };
  } catch {
    // Reported below with the other malformed files.
  }
  throw fail('signature_invalid', `${path} is not a signature: it needs public_key and signature`);
}

/** Writes a file atomically. */
export async function replace(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    await writeFile(temporary, text, { flag: 'wx' });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
