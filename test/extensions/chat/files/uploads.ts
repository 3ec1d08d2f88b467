import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MessageFile, Sent } from '../../../../extensions/chat/contract.js';
import type { PlatformClient } from '../world.js';

/** Uploads a file, whose content is a text or bytes. */
export function upload(client: PlatformClient, name: string, content: string | Buffer, options: object = {}): Promise<MessageFile> {
  return client.files.upload({ file: { name, bytes: Buffer.from(content) } } as never, options);
}

/** Uploads a file and sends it with no text, as a note or into a session. */
export async function sendFile(client: PlatformClient, name: string, more: object = {}): Promise<Sent & { file_id: string }> {
  const { id } = await upload(client, name, `The content of ${name}`);
  return { ...(await client.chat.send({ content: '', files: [id], target_type: '', ...more })), file_id: id };
}

/** Folders of a data folder that have no content of messages, or whose files come and go. */
const elsewhere: ReadonlySet<string> = new Set(['backups', 'extensions', 'views']);

/** Returns the paths of the files in a data folder that may have content of messages, except backups. */
export async function contentFiles(data_dir: string): Promise<string[]> {
  const top = (await readdir(data_dir, { withFileTypes: true })).filter(({ name }) => !elsewhere.has(name));
  const folders = top.filter((entry) => entry.isDirectory()).map(({ name }) => join(data_dir, name));
  const below = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true })));
  return [...top, ...below.flat()].filter((entry: Dirent) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}
