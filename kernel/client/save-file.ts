import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fail } from '../contract/failure.js';
import { expandHome, localName } from './local-file.js';
import { systemReason } from './system-reason.js';
import { harmless } from './terminal-text.js';

/** Returns the name under which a file from elsewhere is saved: without folders, control characters, and dots that would hide it. */
export function savedName(name: string): string {
  return localName(name.replaceAll('\\', '/')).replace(/^[.~ ]+/, '') || 'file';
}

/**
 * Saves bytes as a new file; in a folder that exists under `name`. Returns its path. Never replaces a file and follows no link. Fails with
 * `invalid_input`, and then leaves nothing behind.
 */
export async function saveNewFile(path: string, { name, bytes }: { name: string; bytes: Uint8Array }): Promise<string> {
  const wanted = expandHome(path);
  const isFolder = (await stat(wanted).catch(() => undefined))?.isDirectory() === true;
  const target = isFolder ? join(wanted, savedName(name)) : wanted;
  const file = await open(target, 'wx').catch((fault: NodeJS.ErrnoException) => {
    throw unsaved(target, fault);
  });
  try {
    await writeAll(file, bytes);
  } catch (fault) {
    await rm(target, { force: true });
    throw unsaved(target, fault as NodeJS.ErrnoException);
  }
  return target;
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

function unsaved(path: string, fault: NodeJS.ErrnoException): Error {
  const shown = harmless(path);
  if (fault.code === 'EEXIST') return fail('invalid_input', `'${shown}' exists already; choose another name`);
  if (fault.code === 'ENOENT')
    return fail('invalid_input', `There is no folder '${harmless(dirname(path))}'; create it, or choose another place`);
  return fail('invalid_input', `'${shown}' can't be written: ${systemReason(fault)}`, { cause: fault });
}
