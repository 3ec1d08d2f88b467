/** Folders left behind by systems, version control and tools. */
const folders = new Set([
  '__macosx',
  '__pycache__',
  '.git',
  '.svn',
  '.hg',
  '.bzr',
  'cvs',
  '.appledouble',
  '.spotlight-v100',
  '.trashes',
  '.fseventsd',
  '.temporaryitems',
  '$recycle.bin',
  'system volume information',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.ipynb_checkpoints',
]);

/** Junk files by their full name. */
const files = new Set(['.ds_store', 'thumbs.db', 'ehthumbs.db', 'desktop.ini', 'icon\r', '.lsoverride']);

/** Junk files by pattern: macOS resource forks, compiled Python, locks of Office and Emacs, backups, and Vim's swap files. */
const patterns = [/^\._/, /\.py[cod]$/i, /^~\$/, /^\.#/, /^#.*#$/, /.~$/, /^\..*\.sw[a-p]$/i];

/**
 * Returns whether a path is a file that a program left behind. It stays in the ZIP, whose hash includes it, but is
 * neither unpacked nor shown.
 */
export function isJunk(path: string): boolean {
  const names = path.split('/').filter((name) => name !== '');
  const isFolder = path.endsWith('/');
  return names.some((name, at) => {
    const folded = name.toLowerCase();
    if (at < names.length - 1 || isFolder) return folders.has(folded);
    return files.has(folded) || patterns.some((pattern) => pattern.test(name));
  });
}

/** Limit of the paths named in a message. */
const max_named = 5;

/** Quotes paths for a message; counts those above the limit. */
export function quotedPaths(paths: readonly string[]): string {
  const named = paths.slice(0, max_named).map((path) => `'${path.replace(/\p{Cc}/gu, '?').slice(0, 120)}'`);
  const more = paths.length > max_named ? ` and ${paths.length - max_named} more` : '';
  return `${named.join(', ')}${more}`;
}
