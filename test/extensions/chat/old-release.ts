import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import type { loadConfig } from '../../../config/load.js';
import type { boot } from '../../../kernel/boot/boot.js';
import { temporaryFolder } from '../../helpers/platform.js';

/** The programs of a release that start a platform. */
export interface OldRelease {
  boot: typeof boot;
  loadConfig: typeof loadConfig;
}

/** Unpacks a release of `test/fixtures/releases`, to run in this process with the packages that are installed here. */
export async function unpackRelease(t: Test, version: string): Promise<OldRelease> {
  const file = fileURLToPath(new URL(`../../fixtures/releases/platform-${version}.tgz`, import.meta.url));
  const folder = await temporaryFolder(t);
  await promisify(execFile)('tar', ['-xzf', file, '-C', folder]);
  await symlink(fileURLToPath(new URL('../../../../node_modules', import.meta.url)), join(folder, 'package/node_modules'));
  const load = async (path: string): Promise<unknown> => import(pathToFileURL(join(folder, 'package/dist', path)).href);
  const [{ boot }, { loadConfig }] = (await Promise.all([load('kernel/boot/boot.js'), load('config/load.js')])) as [OldRelease, OldRelease];
  return { boot, loadConfig };
}
