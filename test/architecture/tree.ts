/** `{'a/b.js': text}` as the nested folders that `t.testdir` takes. */
export function tree(files: Readonly<Record<string, string>>): Folder {
  const top: Folder = {};
  for (const [path, text] of Object.entries(files)) {
    const names = path.split('/');
    const name = names.pop() ?? '';
    const folder = names.reduce<Folder>((above, step) => descend(above, step), top);
    folder[name] = text;
  }
  return top;
}

interface Folder {
  [name: string]: Folder | string;
}

function descend(above: Folder, name: string): Folder {
  const below = above[name];
  if (typeof below === 'object') return below;
  const made: Folder = {};
  above[name] = made;
  return made;
}
