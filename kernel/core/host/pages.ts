import { join } from 'node:path';
import type { ExtensionPages } from '../../contract/site.js';
import type { Running } from './running.js';

/** Returns the files for browsers of running extensions. Plugins have none: their pages are data. */
export function pagesOf(running: Iterable<Running>): ExtensionPages[] {
  return [...running].flatMap(({ extension, version, bundle: { folder, manifest, plugin } }) => {
    const files = plugin ? undefined : manifest.contributes?.web;
    return files && folder !== undefined ? [{ extension, version, folder: join(folder, 'web'), files, entries: manifest.pages ?? [] }] : [];
  });
}
