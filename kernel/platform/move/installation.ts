import { existsSync } from 'node:fs';
import { join } from 'node:path';
import semver from 'semver';
import type { Migration } from '../../contract/data.js';
import type { Clock, Log } from '../../contract/extension.js';
import { Disposables } from '../../core/host/disposables.js';
import { OwnBundles, ownExtensions } from '../../core/plugins/own-bundles.js';
import { parseAddress } from '../data/address.js';
import { claimFile } from '../data/claim-file.js';
import { openFolder } from '../data/folder.js';
import { kernelMigrations } from '../data/migrations.js';
import { failMove } from './codes.js';
import { type Moved, moveToPostgres } from './move.js';
import type { Source } from './source-sql.js';

export interface MoveRequest {
  data_dir: string;
  /** Where the SQLite file is: `sqlite:` or `sqlite:<path>`. */
  from: string;
  /** An empty database, `postgres://…`. */
  to: string;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  /** Reports how many rows of how many are done: each is copied and compared. */
  progress?: (done: number, total: number) => void;
  /** Folders of the platform's own extensions. Default: all built-in ones. */
  extensions?: readonly string[];
}

/**
 * Moves the installation of a data folder from SQLite to PostgreSQL, while no server runs on it. Afterwards the same
 * folder, with its key and with what extensions keep in it, is served with the other database.
 *
 * Fails as {@link moveToPostgres} does, as the data folder does (`data_dir_locked`, `data_dir_unwritable`), and with
 * `database_in_use`.
 */
export async function moveInstallation(request: MoveRequest): Promise<Moved> {
  const { data_dir, from, to } = request;
  assertTarget(to);
  const address = parseAddress(from, data_dir);
  // Opening a missing folder would create it.
  if (address.dialect !== 'sqlite' || !existsSync(address.file))
    throw failMove('move_source_missing', `There is no SQLite database in ${data_dir} to move`, {
      fix: 'name the folder of the installation with: --data-dir <folder>',
    });
  const resources = new Disposables();
  try {
    const folder = resources.own(await openFolder({ path: data_dir, lock: true }));
    resources.own(await claimFile(address.file));
    const migrations = (source: Source) => migrationsOf(source, request);
    return await moveToPostgres({ ...request, file: address.file, url: to, data_dir: folder.path, migrations });
  } finally {
    await resources.dispose();
  }
}

function assertTarget(url: string): void {
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return;
  throw failMove(
    'move_target_invalid',
    'The address of the database to move to must have the form postgres://user:password@host:5432/name',
  );
}

/** Migrations of the kernel and the platform's own extensions, each in the running version: that of its folder, or a newer one installed in its place. */
async function migrationsOf(source: Source, { data_dir, log, extensions }: MoveRequest): Promise<Map<string, readonly Migration[]>> {
  const ownBundles = new OwnBundles({ folder: join(data_dir, 'extensions'), log });
  const bundles = new Map<string, Awaited<ReturnType<OwnBundles['read']>>>();
  for (const folder of extensions ?? ownExtensions()) {
    const bundle = await ownBundles.read(folder);
    bundles.set(bundle.manifest.id, bundle);
  }
  for (const { id, hash } of await source.ownBundles()) {
    const bundle = await ownBundles.find(ownBundles.folderOf(id, hash));
    const builtIn = bundles.get(id);
    if (bundle && !(builtIn && semver.gt(builtIn.manifest.version, bundle.manifest.version))) bundles.set(id, bundle);
  }
  const byOwner = new Map<string, readonly Migration[]>([['kernel', kernelMigrations]]);
  for (const [id, bundle] of bundles) {
    const { migrations } = bundle.evaluate();
    if (migrations) byOwner.set(id, migrations);
  }
  return byOwner;
}
