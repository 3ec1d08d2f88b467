import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { forBrowsers, sourcesBelow } from './sources.js';

/** They act as soon as they are loaded. */
const programs = [
  'cli/main.ts',
  'kernel/platform/bundles/tables-child.ts',
  'kernel/platform/documents/child.ts',
  'kernel/platform/sandbox/child.ts',
  'kernel/platform/thumbnails/child.ts',
  'kernel/platform/thumbnails/preload.ts',
];

// Also makes sources that no other test loads count as uncovered.
t.test('every source loads on its own', async (t) => {
  const sources = sourcesBelow(process.cwd()).filter((file) => !programs.includes(file) && !forBrowsers.test(file));
  for (const file of sources) {
    const built = join(process.cwd(), 'dist', file.replace(/\.tsx?$/, '.js'));
    await t.resolves(import(pathToFileURL(built).href), file);
  }
});
