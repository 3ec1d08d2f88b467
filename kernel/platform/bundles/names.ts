import { fail } from './codes.js';
import { bundle_entries, name_bytes, path_bytes, path_depth } from './limits.js';

/**
 * Characters that a terminal or a reviewer's screen interprets instead of showing: control characters, bidirectional
 * marks, and tags, which are invisible but read as letters by models.
 */
const unshown = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u;

/** Device names of Windows, with any extension. */
const device = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

/** Hint that fixes most ZIPs of other programs. */
export const packHint = 'Pack it with: platform extension pack <folder>';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes an entry's name from UTF-8 and normalises it to NFC: systems may write the same name in either form. */
export function decodeName(raw: Buffer): string {
  try {
    return decoder.decode(raw).normalize('NFC');
  } catch (cause) {
    throw fail(
      'bundle_path_unsafe',
      `A name in the bundle is not UTF-8: '${raw.toString('latin1').replace(/[^ -~]/g, '?')}'. ${packHint}`,
      {
        cause,
      },
    );
  }
}

/**
 * Fails with `bundle_path_unsafe` unless a path is safe below the bundle's folder on every system.
 * A folder's path ends with a slash.
 */
export function assertSafe(path: string): void {
  const reason = fault(path);
  if (reason !== undefined) throw fail('bundle_path_unsafe', `The path '${shown(path)}' in the bundle ${reason}`);
}

function fault(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (unshown.test(path)) return 'has control characters';
  if (path.startsWith('/')) return 'is absolute';
  if (path.includes('\\'))
    return `has a backslash, as Compress-Archive of Windows PowerShell 5 writes: folders are divided by /. ${packHint}`;
  if (path.includes(':')) return 'has a colon, as drives have';
  if (Buffer.byteLength(path) > path_bytes) return `is longer than ${path_bytes} bytes`;
  const names = namesOf(path);
  if (names.length > path_depth) return `is deeper than ${path_depth} folders`;
  for (const name of names) {
    const wrong = nameFault(name);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function nameFault(name: string): string | undefined {
  if (name === '') return 'has an empty name';
  if (name === '..') return "leaves its folder by '..'";
  if (/[. ]$/.test(name)) return 'has a name that ends with a dot or a space';
  if (device.test(name)) return 'has a name that is a device on some systems';
  return Buffer.byteLength(name) > name_bytes ? `has a name of more than ${name_bytes} bytes` : undefined;
}

function namesOf(path: string): string[] {
  return (path.endsWith('/') ? path.slice(0, -1) : path).split('/');
}

/** Formats a path for a message: without control characters, truncated. */
export function shown(path: string): string {
  const plain = path.replace(new RegExp(unshown, 'gu'), '?');
  return plain.length > 120 ? `${plain.slice(0, 120)}…` : plain;
}

/** Folds a path so that names that some system treats as equal become equal: ignores case and Unicode form. */
function folded(path: string): string {
  return path.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}

interface Named {
  path: string;
  isFolder: boolean;
}

function collision({ path, isFolder }: Named, present: Named): string {
  if (path !== present.path) return `'${shown(path)}' and '${shown(present.path)}' in the bundle would be one file on some systems`;
  return isFolder === present.isFolder
    ? `'${shown(path)}' is in the bundle twice`
    : `'${shown(path)}' is both a file and a folder in the bundle`;
}

/** Tracks the names in a bundle, so that no two become the same file on any system. */
export class Names {
  readonly #taken = new Map<string, Named & { isListed: boolean }>();
  readonly #max: number;

  /** @param max limit of files and folders */
  constructor(max = bundle_entries) {
    this.#max = max;
  }

  /**
   * Adds the path of an entry and its parent folders.
   *
   * @throws `bundle_name_collision`, `bundle_too_many_entries`
   */
  take(path: string): void {
    const names = namesOf(path);
    for (let depth = 1; depth < names.length; depth += 1) this.#take(names.slice(0, depth).join('/'), { isFolder: true, isListed: false });
    this.#take(names.join('/'), { isFolder: path.endsWith('/'), isListed: true });
  }

  #take(path: string, { isFolder, isListed }: { isFolder: boolean; isListed: boolean }): void {
    const key = folded(path);
    const present = this.#taken.get(key);
    const same = present?.path === path && present.isFolder && isFolder && !(present.isListed && isListed);
    if (present !== undefined && !same) throw fail('bundle_name_collision', collision({ path, isFolder }, present));
    this.#taken.set(key, { path, isFolder, isListed: isListed || present?.isListed === true });
    if (this.#taken.size > this.#max) throw fail('bundle_too_many_entries', `The bundle has more than ${this.#max} files and folders`);
  }
}
