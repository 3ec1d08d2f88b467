import { stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { max_file_bytes } from '../../kernel/client/attachments.js';
import { checkLocalFile, expandHome } from '../../kernel/client/local-file.js';
import { completePath } from '../../kernel/client/path-completion.js';
import { isFailure } from '../../kernel/contract/failure.js';
import { mention_sign, withoutCode } from '../../kernel/contract/mentions.js';
import { UsageError } from '../exit.js';

/** A file that a message names as `@path`. */
export interface ReferencedFile {
  path: string;
  /** Whether it is hidden or outside of the current folder. A text from elsewhere may name such a file without the sender's knowledge. */
  isUnusual: boolean;
}

export interface References {
  /** The text with the file's name in place of each reference; empty if it consists of references. */
  content: string;
  /** Each file once. */
  files: ReferencedFile[];
}

/** Matches a reference. A path with a blank or an `@` is in double quotation marks, or has `\` before that character. */
const reference = new RegExp(String.raw`${mention_sign}(?:"(?<quoted>[^"\n]+)"|(?<bare>(?:\\.|[^\s\\"@])+))`, 'gu');
const unfinished = new RegExp(String.raw`${mention_sign}(?:"(?<quoted>[^"\n]*)|(?<bare>(?:\\.|[^\s\\"@])*))$`, 'u');
/** Matches a path that can't be a member's name, because it begins with a folder. */
const rooted = /^(?:~|\.{0,2})\//;
const member = /^[A-Za-z0-9._-]{2,64}$/;
/** Matches punctuation that may end a sentence behind a path. */
const closing = /[.,;:!?)\]}…。，、！？：；）]+$/u;

/**
 * Finds the files that a text names as `@path`, outside of code. A name stays text if it is a member's or if there is no such file.
 * Fails with a {@link UsageError} if a file can't be sent whose path is in quotation marks or begins with a folder.
 */
export async function findReferences(text: string, isMember: (name: string) => Promise<boolean>): Promise<References> {
  const files = new Map<string, ReferencedFile>();
  let [content, rest, end] = ['', '', 0];
  for (const match of withoutCode(text).matchAll(reference)) {
    const found = await fileOf(match, isMember);
    if (found === undefined) continue;
    const between = text.slice(end, match.index);
    content += between + found.name;
    rest += between;
    end = match.index + found.length;
    files.set(resolve(found.path), { path: found.path, isUnusual: isUnusual(found.path) });
  }
  const tail = text.slice(end);
  return { content: files.size > 0 && (rest + tail).trim() === '' ? '' : content + tail, files: [...files.values()] };
}

interface Found {
  path: string;
  name: string;
  /** Length of the reference in the text, with the `@`. */
  length: number;
}

async function fileOf(match: RegExpExecArray, isMember: (name: string) => Promise<boolean>): Promise<Found | undefined> {
  const { quoted, bare = '' } = match.groups ?? {};
  const written = quoted === undefined ? [...new Set([bare, bare.replace(closing, '')])] : [quoted];
  for (const one of written.filter((each) => each !== '')) {
    const path = pathIn(one, quoted !== undefined);
    if (!(await isFile(path))) continue;
    if (quoted === undefined && member.test(one) && (await isMember(one))) return undefined;
    return { path, name: await nameOf(path), length: quoted === undefined ? 1 + one.length : match[0].length };
  }
  const last = written.at(-1) ?? '';
  if (quoted !== undefined || rooted.test(last)) await nameOf(pathIn(last, quoted !== undefined));
  return undefined;
}

function pathIn(written: string, isQuoted: boolean): string {
  return expandHome(isQuoted ? written : unescaped(written));
}

function unescaped(written: string): string {
  return written.replace(/\\(.)/gu, '$1');
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** Returns the name that a file is sent with. Fails if it can't be sent. */
async function nameOf(path: string): Promise<string> {
  try {
    return (await checkLocalFile(path, max_file_bytes)).name;
  } catch (fault) {
    if (!isFailure(fault)) throw fault;
    throw new UsageError(fault.message, 'to send the path as text, put it in backticks');
  }
}

function isUnusual(path: string): boolean {
  const below = relative(process.cwd(), resolve(path));
  return isAbsolute(below) || below.split(sep).some((part) => part.startsWith('.'));
}

/** Returns the unfinished reference at the end of a text; undefined if there is none. */
export function unfinishedReference(before: string): string | undefined {
  return unfinished.exec(before)?.[0];
}

/** Completes the path at the end of a text. A file that is called like a member gets `./` before its name. */
export async function completeReference(before: string, isMember: (name: string) => boolean): Promise<{ matches: string[]; more: number }> {
  const { quoted, bare = '' } = unfinished.exec(before)?.groups ?? {};
  const { paths, more } = await completePath(quoted ?? unescaped(bare));
  return { matches: paths.map((path) => `@${referenceTo(isMember(path) ? `./${path}` : path, quoted !== undefined)}`), more };
}

/** Returns the text of a path after the `@`. That of a folder stays open, because a name follows. */
function referenceTo(path: string, isQuoted: boolean): string {
  const isFolder = path.endsWith('/');
  if (!isQuoted && !/[\s@]/u.test(path)) return isFolder ? path : `${path} `;
  return isFolder ? `"${path}` : `"${path}" `;
}
