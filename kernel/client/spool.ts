import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fail } from '../contract/failure.js';
import type { Upload } from './form.js';

/** The input of an upload as its handler wants it: the file's bytes in a file of their own, until `remove`. */
export async function spool(input: object): Promise<{ input: unknown; remove: () => Promise<void> }> {
  const { file, ...rest } = asUpload(input);
  const folder = await mkdtemp(join(tmpdir(), 'platform-upload-'));
  const path = join(folder, 'file');
  await writeFile(path, file.bytes);
  const spooled = { filename: basename(file.name), path, bytes: file.bytes.length };
  return {
    input: { ...(JSON.parse(JSON.stringify(rest)) as object), file: spooled },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function asUpload(input: unknown): { file: Upload } {
  const { file } = (typeof input === 'object' && input !== null ? input : {}) as { file?: Partial<Upload> | null };
  if (typeof file === 'object' && file !== null && file.bytes instanceof Uint8Array && typeof file.name === 'string')
    return input as { file: Upload };
  const message = '"file" is required, with its name and its bytes';
  throw fail('invalid_input', `The input is not valid: ${message}`, { details: [{ path: 'file', message }] });
}
