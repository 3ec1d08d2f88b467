/** Something in a folder. */
export interface Entry {
  /** Below the folder that was asked for. */
  path: string;
  type: 'file' | 'folder' | 'link' | 'other';
  /** Of a file, in bytes; else 0. */
  size: number;
}

/** The file types of `stat`'s mode (POSIX `sys/stat.h`, as Linux numbers them). */
const types: Readonly<Record<number, Entry['type']>> = { 8: 'file', 4: 'folder', 10: 'link' };

/** Reads what the script `list` writes after its first line, sorted by path. What vanished meanwhile is left out. */
export function entriesOf(text: string, folder: string): Entry[] {
  const fields = text.split('\0');
  const entries: Entry[] = [];
  for (let at = 0; at < fields.length - 1; at += 1) {
    let told = fields[at] ?? '';
    for (at += 1; at < fields.length && fields[at] !== ''; at += 1) {
      const name = fields[at] as string;
      const [, mode, size] = /^([0-9a-f]+) (\d+) /.exec(told) ?? [];
      const line = `${mode} ${size} ${name}\n`;
      if (mode === undefined || !told.startsWith(line)) continue;
      told = told.slice(line.length);
      const type = types[Number.parseInt(mode, 16) >> 12] ?? 'other';
      entries.push({ path: below(name, folder), type, size: type === 'file' ? Number(size) : 0 });
    }
  }
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function below(name: string, folder: string): string {
  const base = folder.replace(/\/$/, '');
  return name.slice(base.length + 1);
}
