import { imageHash, imageName, type MessageImage } from '../../kernel/client/message-image.js';
import { savedName, saveNewFile } from '../../kernel/client/save-file.js';
import { size } from '../../kernel/client/size.js';
import { UsageError } from '../exit.js';
import { cell } from '../table.js';
import type { Api } from './api.js';

/** The conversation whose files are saved. */
export interface FilePlace {
  api: Api;
  conversation: { readonly session_id: string | undefined };
}

/** A file or an image of a message. */
interface ShownFile {
  name: string;
  read: () => Promise<{ bytes: Buffer }>;
}

interface MessageRecord {
  images: readonly MessageImage[];
  files?: readonly { id: string; name: string }[];
}

/** Number of messages whose files can be saved. */
const recent_messages = 200;
/** Limit of the names that are listed. */
const max_names = 20;

/**
 * Saves the latest file with this name, or the only one whose name begins so. Asks for the place, and never replaces a file. Fails with a
 * {@link UsageError} that lists the names if there is no such file, and as {@link saveNewFile} does.
 */
export async function saveFile(
  wanted: string,
  place: FilePlace,
  { ask, say }: { ask: (question: string) => Promise<string>; say: (line: string) => void },
): Promise<void> {
  const { name, read } = find(wanted, await filesOf(place));
  const suggested = savedName(name);
  const path = (await ask(`Save as (${suggested}): `)).trim() || suggested;
  const { bytes } = await read();
  say(`Saved: ${cell(await saveNewFile(path, { name, bytes }))} (${size(bytes.length)})`);
}

/** Returns names of files that begin with a text, in any case, the latest first. */
export async function fileNames(text: string, place: FilePlace): Promise<{ matches: string[]; more: number }> {
  const begins = (name: string) => name.toLowerCase().startsWith(text.toLowerCase());
  const names = namesOf(await filesOf(place)).filter(begins);
  return { matches: names.slice(0, max_names), more: Math.max(0, names.length - max_names) };
}

function find(wanted: string, files: readonly ShownFile[]): ShownFile {
  const isSame = ({ name }: ShownFile) => cell(name).toLowerCase() === wanted.toLowerCase();
  const similar = files.filter(({ name }) => wanted !== '' && cell(name).toLowerCase().startsWith(wanted.toLowerCase()));
  const found = files.find(isSame) ?? (namesOf(similar).length === 1 ? similar[0] : undefined);
  if (found !== undefined) return found;
  const names = namesOf(similar.length > 0 ? similar : files).slice(0, max_names);
  if (names.length === 0) throw new UsageError(`The last ${recent_messages} messages here have no files`);
  throw new UsageError(
    wanted === '' ? ':save needs the name of a file' : `There is no file '${wanted}' here`,
    `there are: ${names.join(', ')}`,
  );
}

/** Returns each name once. */
function namesOf(files: readonly ShownFile[]): string[] {
  return [...new Set(files.map(({ name }) => cell(name)))];
}

/** Returns the files of the last messages, the latest first. */
async function filesOf({ api, conversation: { session_id } }: FilePlace): Promise<ShownFile[]> {
  if (session_id === undefined) return [];
  const messages = await api.call<MessageRecord[]>('messages.list', { session_id, limit: recent_messages });
  return messages.toReversed().flatMap(({ images, files = [] }) => [
    ...files.map(({ id, name }) => ({ name, read: () => api.call<{ bytes: Buffer }>('files.get', { file_id: id }) })),
    ...images.map((image) => ({
      name: imageName(image),
      read: () => api.call<{ bytes: Buffer }>('images.get', { hash: imageHash(image) }),
    })),
  ]);
}
