import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Installation, InstalledExtension, Released } from '../../../../kernel/contract/index.js';
import type { PluginDetail } from '../../../../kernel/contract/system.js';
import { removeFolder } from '../../../../kernel/platform/bundles/folder.js';
import { callerOf, fixture, type PlatformOptions, startPlatform, type TestPlatform, temporaryFolder } from '../../../helpers/platform.js';
import { failureOf } from '../../platform/sandbox/world.js';

export const admin = callerOf();
export const ann = callerOf({ member_id: 7, username: 'ann', role: 'member' });

/** A platform that third parties' bundles are installed on. */
export interface World extends TestPlatform {
  install: (zip: Buffer, options?: { accept_permissions?: boolean }) => Promise<Installation>;
  uninstall: (id: string, options?: { purge?: boolean }) => Promise<Released>;
  installed: () => Promise<InstalledExtension[]>;
  record: (name: string) => Promise<PluginDetail>;
  /** Asks an operation of the guest as `ann`; gives its body, or its failure. */
  ask: (operation: string, input?: object) => Promise<unknown>;
  /** The folders in which guests lie. */
  folders: () => Promise<string[]>;
}

export const extensions = [fixture('market'), fixture('hello')];

/** So that tests run where namespaces are refused. */
export const trusting = { 'plugins.trusted': ['guest', 'other', 'far', 'moody', 'damaged', 'needy', 'told', 'plain'] };

export async function startWorld(t: Test, options: PlatformOptions = {}): Promise<World> {
  const data_dir = (options.settings?.data_dir as string | undefined) ?? (await temporaryFolder(t));
  const settings = { ...trusting, ...options.settings, data_dir };
  const platform = await startPlatform(t, { extensions, strict: false, ...options, settings });
  // Only root removes what can only be read.
  t.teardown(() => removeFolder(join(data_dir, 'extensions')));
  return worldOf(platform);
}

export function worldOf(platform: TestPlatform): World {
  const { kernel, data_dir } = platform;
  const as = async <T>(operation: string, input: object) => (await kernel.invoke(operation, input, admin)).body as T;
  return {
    ...platform,
    install: (zip, options = {}) => as<Installation>('market.install', { zip: zip.toString('base64'), ...options }),
    uninstall: (id, options = {}) => as<Released>('market.uninstall', { id, ...options }),
    installed: async () => (await as<{ items: InstalledExtension[] }>('market.installed', {})).items,
    record: (name) => as<PluginDetail>('plugins.get', { name }),
    ask: (operation, input = {}) => kernel.invoke(operation, input, ann).then(({ body }) => body, failureOf),
    folders: () => foldersOf(data_dir),
  };
}

/** `<id>/<first digits of the hash>` of each folder of a guest, and whatever else lies there. */
export async function foldersOf(data_dir: string): Promise<string[]> {
  const parent = join(data_dir, 'extensions');
  const list = (folder: string) => readdir(folder).catch(() => []);
  const found: string[] = [];
  for (const id of await list(parent)) {
    const within = await list(join(parent, id));
    if (!id.startsWith('.') && within.length === 0) found.push(id);
    found.push(...within.map((name) => `${id}/${name.slice(0, 8)}`));
  }
  return found.sort();
}
