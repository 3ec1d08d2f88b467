import { posix } from 'node:path';
import { shown } from './names.js';

const max_warnings = 20;

/**
 * Warns about relative links in a skill's Markdown that lead to no file of its bundle, at most 20. Links in code are
 * examples and are not checked.
 *
 * @param paths Paths of the bundle's files
 */
export function brokenLinks(body: string, paths: Iterable<string>): string[] {
  const files = new Set(paths);
  const folders = new Set([...files].flatMap(foldersAbove));
  const isThere = (path: string) => files.has(path) || folders.has(path);
  const broken = targetsIn(body).filter((target) => !isThere(pathOf(target)));
  return [...new Set(broken)].slice(0, max_warnings).map((target) => `SKILL.md links to '${shown(target)}', which is not in the bundle`);
}

function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
}

/** Returns the targets of inline links and images (CommonMark 0.31, 6.3) that are neither URLs, anchors nor absolute paths. */
function targetsIn(body: string): string[] {
  const text = body.replaceAll(/^ {0,3}(```|~~~).*?^ {0,3}\1/gms, '').replaceAll(/`[^`\n]*`/g, '');
  const links = text.matchAll(/\]\((?:<([^<>\n]{1,400})>|([^\s()<>]{1,400}))[\s)]/g);
  return [...links]
    .map(([, bracketed, plain]) => bracketed ?? plain ?? '')
    .filter((target) => !/^(?:[a-z][a-z0-9+.-]*:|[/#?])/i.test(target));
}

function pathOf(target: string): string {
  const path = target.replace(/[?#].*$/s, '');
  return posix.normalize(decoded(path)).replace(/\/$/, '').normalize('NFC');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
