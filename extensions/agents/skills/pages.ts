import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from '../../../kernel/contract/index.js';
import { cleanText } from './clean-text.js';
import type { KnownSkill } from './skills.js';

/** Limit of one page, in bytes. */
export const max_page = 9_000;

export interface Page {
  /** Undefined if it isn't text. */
  text: string | undefined;
  /** End of the page and size of the file, in bytes. */
  end: number;
  size: number;
}

/** Reads a page of a skill's file. The file must be one of its list. */
export async function readPage(
  { folder, label }: KnownSkill,
  name: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<Page> {
  const file = await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause;
    throw fail('not_found', `The skill '${label}' was just removed or replaced; call use_skill again`, { cause });
  });
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.max(0, Math.min(limit, size - offset)));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
    return pageOf(bytes.subarray(0, bytesRead), offset, size);
  } finally {
    await file.close();
  }
}

/** Decodes a page. It may begin and end within a character; bytes of an incomplete one at the end belong to the next page. */
function pageOf(bytes: Buffer, offset: number, size: number): Page {
  const start = offset === 0 ? 0 : continuationBytes(bytes);
  for (let end = bytes.length; end >= Math.max(start, bytes.length - 3); end -= 1) {
    const piece = bytes.subarray(start, end);
    if (isUtf8(piece) && !piece.includes(0)) return { text: cleanText(piece.toString()), end: offset + end, size };
    if (offset + bytes.length === size) break;
  }
  return { text: undefined, end: offset + bytes.length, size };
}

function continuationBytes(bytes: Buffer): number {
  let count = 0;
  while (count < 3 && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}

/** Returns a note after a page that is not the last: where to continue. */
export function continuationNote({ end, size }: Pick<Page, 'end' | 'size'>, label: string, path: string): string {
  if (end >= size) return '';
  const input = JSON.stringify({ skill: label, path, offset: end });
  return `\n[… ${size - end} more bytes: continue with read_skill_file ${input} …]`;
}
