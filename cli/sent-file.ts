import { readGiven } from './file-source.js';
import type { Terminal } from './terminal.js';

/** The input's `file` of an upload. */
export interface SentFile {
  name: string;
  bytes: Uint8Array;
}

/** More than any server takes. */
const max_bytes = 256 * 1024 * 1024;

/** Reads the file that an upload sends; `-` is standard input. */
export async function readSentFile(path: string, terminal: Terminal): Promise<SentFile> {
  const bytes = await readGiven(path, { terminal, max_bytes, hint: 'name a file to send' });
  return { name: path === '-' ? 'stdin' : path, bytes };
}
