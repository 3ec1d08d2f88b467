/** Folders that systems, version control and tools leave behind. */
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

/** Files of the same kind, by their whole name. */
const files = new Set(['.ds_store', 'thumbs.db', 'ehthumbs.db', 'desktop.ini', 'icon\r', '.lsoverride']);

/** Resource forks of macOS, compiled Python, locks of Office and Emacs, backups, and Vim's swap files. */
const patterns = [/^\._/, /\.py[cod]$/i, /^~\$/, /^\.#/, /^#.*#$/, /.~$/, /^\..*\.sw[a-p]$/i];

/**
 * Whether a path within a bundle is something that a program left behind: it stays in the ZIP, whose hash counts, but is
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

/** How many paths are named in a sentence. */
const max_named = 5;

/** Names what was left out, for people. */
export function quotedPaths(paths: readonly string[]): string {
  const named = paths.slice(0, max_named).map((path) => `'${path.replace(/\p{Cc}/gu, '?').slice(0, 120)}'`);
  const more = paths.length > max_named ? ` and ${paths.length - max_named} more` : '';
  return `${named.join(', ')}${more}`;
}
