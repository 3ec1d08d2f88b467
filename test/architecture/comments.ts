import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files whose comments are checked. */
const checked = /(?:\.(?:tsx?|[cm]?js|template|ya?ml|sh|cfg|service)|Dockerfile|\.ci\/run)$/;

/**
 * A comment's first words: after `/*`, after `//` or `#` unless the line before is a comment too. A subordinate clause there makes a reader
 * wait for the subject.
 */
const opening =
  /(?:\/\*\*?\s*(?:\n\s*\*)?|(?<!(?:^|\n)[^\S\n]*(?:\/\/|#)[^\n]*\n[^\S\n]*)(?:(?<=(?:^|\s))\/\/|(?<=(?:^|\n)[^\S\n]*)#))\s*(?:Of|What|Whose|Who|So many|As long as|Which)\b[^\n]*/g;

/** Lists the files of the project that git tracks and whose comments are checked. */
export function commentedFiles(root: string): string[] {
  const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8', maxBuffer: 1e8 });
  return tracked.split('\n').filter((file) => checked.test(file));
}

/** Returns the comments that open with a word that begins a subordinate clause, each with its file. */
export function checkComments(root: string, files: readonly string[]): string[] {
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [...text.matchAll(opening)].map(([comment]) => `${file}: ${comment.replace(/\s+/g, ' ')}`);
  });
}
