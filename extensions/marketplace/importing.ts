import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Call } from '../../kernel/contract/index.js';
import { fail } from './codes.js';
import type { Parts } from './parts.js';
import { receive } from './sources/arrival.js';
import type { StoredExtension } from './store/extensions.js';
import type { StoredVersion, WholeVersion } from './store/version-row.js';
import type { NewVersion } from './store/versions.js';
import type { Found } from './upstream.js';

type Own = Pick<Parts, 'db' | 'clock' | 'installer' | 'trust' | 'shelf' | 'ids' | 'extensions' | 'versions' | 'folder'>;

/** No download takes so long: what is older was left by a process that ended in between. */
const abandoned_ms = 3_600_000;

/** What a source has given. */
interface Arrival extends Pick<NewVersion, 'bundle' | 'bytes' | 'signature'> {
  source: string;
  takes_over: boolean;
}

/** What came of it. */
interface Brought {
  stored: StoredVersion;
  /** Whether it was brought by this, and not by another request meanwhile. */
  fresh: boolean;
  /** The source from which it comes. */
  source: string;
  /** Whose the id was before; undefined where it was free. */
  before: StoredExtension | undefined;
}

/** Brings versions from sources: downloaded, proven, checked, and kept as approved, since an administrator wants them here. */
export class Importing {
  readonly #parts: Own;

  constructor(parts: Own) {
    this.#parts = parts;
  }

  /** `takes_over`: also where the id has come from another source so far. */
  async bring(
    found: Found,
    { takes_over, signal, progress }: { takes_over: boolean } & Pick<Call, 'signal' | 'progress'>,
  ): Promise<Brought> {
    const { installer, shelf, trust } = this.#parts;
    const file = join(await this.#incoming(), `${randomUUID()}.zip`);
    try {
      const { item, source } = found;
      const bundle = await receive(source, item, { file, extensions: installer, signal, progress });
      await trust.assertTrusted({ ...item, signature: item.signature ?? null });
      const { size } = await stat(file);
      const arrival = { bundle, bytes: size, signature: item.signature ?? null, source: source.name, takes_over };
      return await shelf.store(file, bundle.content_hash, () => this.#record(arrival));
    } finally {
      await rm(file, { force: true });
    }
  }

  /** Makes the record of a version that is installed, where another has forgotten it meanwhile. */
  async keep(installed: WholeVersion, source: string): Promise<void> {
    const { db, extensions, versions } = this.#parts;
    await db.transaction(async () => {
      await extensions.lock(installed.id);
      if (await versions.find(installed)) return;
      const { bytes, signature } = installed;
      await this.#record({ bundle: installed, bytes, signature, source, takes_over: false });
    });
  }

  /**
   * Undoes what {@link bring} has made and nobody could use: the version goes, and the id is whose it was. What somebody else has
   * installed meanwhile stays.
   */
  async forget({ stored, fresh, source, before }: Brought): Promise<void> {
    const { db, shelf, ids, extensions, versions } = this.#parts;
    const { id, number } = stored;
    await db.transaction(async () => {
      const there = await extensions.lock(id);
      if (!there || (await this.#isInstalled(stored))) return;
      if (fresh) {
        await versions.delete(number);
        await shelf.release(number);
      }
      if (await versions.isEmpty(id)) return extensions.delete(id);
      if (before?.source && there.source === source) await extensions.give(id, before.type, { owner: null, source: before.source });
      await ids.settleNewest(id);
    });
  }

  /** Removes what downloads have left that were cut off with their process; gives how many. */
  async sweep(): Promise<number> {
    const folder = await this.#incoming();
    let removed = 0;
    for (const name of await readdir(folder)) {
      const file = join(folder, name);
      const about = await stat(file).catch(() => undefined);
      if (!about || about.mtimeMs >= Date.now() - abandoned_ms) continue;
      await rm(file, { force: true });
      removed += 1;
    }
    return removed;
  }

  async #record({ bundle, source, takes_over, ...how }: Arrival): Promise<Brought> {
    const { clock, shelf, ids, versions } = this.#parts;
    const { id, version, type } = bundle.manifest;
    const now = clock.iso();
    const from = (taken: { source: string | null }) => taken.source === source || (takes_over && taken.source !== null);
    const before = await ids.take(id, type, { owner: null, source, now }, from);
    const brought = { source, before };
    const there = await versions.find({ id, version });
    if (there?.status === 'approved' && there.content_hash === bundle.content_hash) return { stored: there, fresh: false, ...brought };
    if (there && there.status !== 'rejected')
      throw fail('version_exists', `Version ${version} of '${id}' is here already, with another content`);
    if (there) await versions.delete(there.number);
    const number = await versions.insert({ bundle, status: 'approved', publisher: null, source, now, ...how });
    await shelf.hold(number, bundle.content_hash);
    await ids.settleNewest(id);
    return { stored: (await versions.find({ id, version })) as StoredVersion, fresh: true, ...brought };
  }

  async #isInstalled({ id, content_hash }: StoredVersion): Promise<boolean> {
    return (await this.#parts.installer.installed()).some((each) => each.id === id && each.content_hash === content_hash);
  }

  async #incoming(): Promise<string> {
    const folder = join(await this.#parts.folder(), 'incoming');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }
}
