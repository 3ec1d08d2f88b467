import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Upload } from './form.js';

/** The input of an upload as its handler wants it: the file's bytes in a file of their own, until `remove`. */
export async function spool(input: object): Promise<{ input: unknown; remove: () => Promise<void> }> {
  const { file, ...rest } = input as { file: Upload };
  const folder = await mkdtemp(join(tmpdir(), 'platform-upload-'));
  const path = join(folder, 'file');
  await writeFile(path, file.bytes);
  const spooled = { filename: basename(file.name), path, bytes: file.bytes.length };
  return {
    input: { ...(JSON.parse(JSON.stringify(rest)) as object), file: spooled },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
