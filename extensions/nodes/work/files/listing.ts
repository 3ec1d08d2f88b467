/** Entry of a folder. */
export interface Entry {
  /** Path below the requested folder. */
  path: string;
  type: 'file' | 'folder' | 'link' | 'other';
  /** Size of a file in bytes; otherwise 0. */
  size: number;
}

/** File types of `stat`'s mode (POSIX `sys/stat.h`, numbered as on Linux). */
const types: Readonly<Record<number, Entry['type']>> = { 8: 'file', 4: 'folder', 10: 'link' };

/** Parses the output of the script `list` after its first line, sorted by path. Entries that have vanished are skipped. */
export function entriesOf(text: string, folder: string): Entry[] {
  const fields = text.split('\0');
  const entries: Entry[] = [];
  for (let at = 0; at < fields.length - 1; at += 1) {
    let stats = fields[at] ?? '';
    for (at += 1; at < fields.length && fields[at] !== ''; at += 1) {
      const name = fields[at] as string;
      const [, mode, size] = /^([0-9a-f]+) (\d+) /.exec(stats) ?? [];
      const line = `${mode} ${size} ${name}\n`;
      if (mode === undefined || !stats.startsWith(line)) continue;
      stats = stats.slice(line.length);
      const type = types[Number.parseInt(mode, 16) >> 12] ?? 'other';
      entries.push({ path: relativePath(name, folder), type, size: type === 'file' ? Number(size) : 0 });
    }
  }
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function relativePath(name: string, folder: string): string {
  const base = folder.replace(/\/$/, '');
  return name.slice(base.length + 1);
}
