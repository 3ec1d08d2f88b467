import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { ActiveOperation } from '../catalog/catalog.js';

interface ReceivedFile {
  path: string;
  filename: string;
}

/**
 * Returns the input as it is compared with a retry's: the file of an upload by its name and content, because each request has it at another
 * path.
 */
export async function comparableInput({ operation }: Pick<ActiveOperation, 'operation'>, input: object): Promise<object> {
  if (operation.kind !== 'upload') return input;
  const { file, ...fields } = input as { file: ReceivedFile };
  return { ...fields, file: { filename: file.filename, sha256: await hashOf(file.path) } };
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}
