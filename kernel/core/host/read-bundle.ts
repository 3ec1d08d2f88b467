import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Bundle, loadBundle, usual_main } from './loader.js';
import { readManifest } from './manifest.js';

/** Reads the extension in `folder`: manifest and bundle side by side, as a replacement under load waits for each read. */
export async function readBundle(folder: string): Promise<Bundle> {
  const usual = readFile(join(folder, usual_main)).catch(() => undefined);
  const manifest = await readManifest(folder);
  return loadBundle(folder, manifest, manifest.main === usual_main ? await usual : undefined);
}
