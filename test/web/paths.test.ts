import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

const sources = readSources();

function readSources(): { file: string; text: string }[] {
  const folders = readdirSync('extensions').map((name) => join('extensions', name, 'web'));
  const files = folders.filter(existsSync).flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  return files.filter((file) => file.endsWith('.tsx')).map((file) => ({ file, text: readFileSync(file, 'utf8') }));
}

/** A path in the code that a link or a button leads to: `to="/a"`, ``to={`/a/${id}`}``, `go('/a')`, `to: '/a'`. */
const led = /\b(?:to=\{?|to: |back=\{?|go\()(["'`])(\/[^"'`]*)\1/g;

function segmentsOf(path: string): string[] {
  const [plain = ''] = path.replaceAll(/\$\{[^}]*\}/g, '*').split('?');
  return plain.split('/').slice(1);
}

function fits(path: readonly string[], pattern: readonly string[]): boolean {
  return path.length === pattern.length && pattern.every((part, n) => part.startsWith(':') || part === path[n]);
}

t.test('each address that a page leads to is the address of a view', async (t) => {
  const pages = sources.filter(({ file }) => file.endsWith('page.tsx'));
  const patterns = pages.flatMap(({ text }) => [...text.matchAll(/'(\/[^']*)': [A-Z]/g)].map(([, pattern = '']) => segmentsOf(pattern)));
  t.ok(patterns.length > 20, 'views are found');
  const paths = sources.flatMap(({ file, text }) => [...text.matchAll(led)].map(([, , path = '']) => ({ file, path })));
  t.ok(paths.length > 30, 'links are found');
  const dead = paths.filter(({ path }) => !patterns.some((pattern) => fits(segmentsOf(path), pattern)));
  t.same(dead, []);
});
