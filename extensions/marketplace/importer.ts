import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Call } from '../../kernel/contract/index.js';
import { fail } from './codes.js';
import type { Parts } from './parts.js';
import { receiveBundle } from './sources/receive-bundle.js';
import type { StoredExtension } from './store/extensions.js';
import type { FullVersion, StoredVersion } from './store/version-row.js';
import type { NewVersion } from './store/versions.js';
import type { SourceMatch } from './upstream.js';

type Dependencies = Pick<Parts, 'db' | 'clock' | 'installer' | 'trust' | 'bundles' | 'ids' | 'extensions' | 'versions' | 'folder'>;

/** Maximum age of a download; older files were left by a process that died. */
const abandoned_ms = 3_600_000;

/** Downloaded version. */
interface Download extends Pick<NewVersion, 'bundle' | 'bytes' | 'signature'> {
  source: string;
  changes_source: boolean;
}

/** Result of an import. */
interface ImportResult {
  stored: StoredVersion;
  /** Whether this request imported it, rather than a concurrent one. */
  isNew: boolean;
  /** Source it comes from. */
  source: string;
  /** Previous owner of the id; undefined if it was free. */
  before: StoredExtension | undefined;
}

/**
 * Imports versions from sources: downloads, verifies and checks them, and stores them as approved, because an
 * administrator requested them.
 */
export class Importer {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** Imports a version. `changes_source`: even if the id came from another source so far. */
  async import(
    found: SourceMatch,
    { changes_source, signal, progress }: { changes_source: boolean } & Pick<Call, 'signal' | 'progress'>,
  ): Promise<ImportResult> {
    const { installer, bundles, trust } = this.#parts;
    const file = join(await this.#incoming(), `${randomUUID()}.zip`);
    try {
      const { item, source } = found;
      const bundle = await receiveBundle(source, item, { file, extensions: installer, signal, progress });
      await trust.assertTrusted({ ...item, signature: item.signature ?? null });
      const { size } = await stat(file);
      const download = { bundle, bytes: size, signature: item.signature ?? null, source: source.name, changes_source };
      return await bundles.store(file, bundle.content_hash, () => this.#record(download));
    } finally {
      await rm(file, { force: true });
    }
  }

  /** Restores the record of an installed version that another request has removed meanwhile. */
  async restore(installed: FullVersion, source: string): Promise<void> {
    const { db, extensions, versions } = this.#parts;
    await db.transaction(async () => {
      await extensions.lock(installed.id);
      if (await versions.find(installed)) return;
      const { bytes, signature } = installed;
      await this.#record({ bundle: installed, bytes, signature, source, changes_source: false });
    });
  }

  /**
   * Undoes {@link import} after a failed installation: deletes the version and restores the id's previous owner. A
   * version installed by someone else meanwhile stays.
   */
  async undo({ stored, isNew, source, before }: ImportResult): Promise<void> {
    const { db, bundles, ids, extensions, versions } = this.#parts;
    const { id, number } = stored;
    await db.transaction(async () => {
      const current = await extensions.lock(id);
      if (!current || (await this.#isInstalled(stored))) return;
      if (isNew) {
        await versions.delete(number);
        await bundles.release(number);
      }
      if (await versions.isEmpty(id)) return extensions.delete(id);
      if (before?.source && current.source === source) await extensions.transfer(id, before.type, { owner: null, source: before.source });
      await ids.updateNewest(id);
    });
  }

  /** Deletes abandoned downloads of dead processes; returns their number. */
  async deleteAbandoned(): Promise<number> {
    const folder = await this.#incoming();
    let removed = 0;
    for (const name of await readdir(folder)) {
      const file = join(folder, name);
      const stats = await stat(file).catch(() => undefined);
      if (!stats || stats.mtimeMs >= Date.now() - abandoned_ms) continue;
      await rm(file, { force: true });
      removed += 1;
    }
    return removed;
  }

  async #record({ bundle, source, changes_source, ...rest }: Download): Promise<ImportResult> {
    const { clock, bundles, ids, versions } = this.#parts;
    const { id, version, type } = bundle.manifest;
    const now = clock.iso();
    const from = (taken: { source: string | null }) => taken.source === source || (changes_source && taken.source !== null);
    const before = await ids.claim(id, type, { owner: null, source, now }, from);
    const result = { source, before };
    const existing = await versions.find({ id, version });
    if (existing?.status === 'approved' && existing.content_hash === bundle.content_hash)
      return { stored: existing, isNew: false, ...result };
    if (existing && existing.status !== 'rejected')
      throw fail('version_exists', `Version ${version} of '${id}' already exists here with different content`);
    if (existing) await versions.delete(existing.number);
    const number = await versions.insert({ bundle, status: 'approved', publisher: null, source, now, ...rest });
    await bundles.hold(number, bundle.content_hash);
    await ids.updateNewest(id);
    return { stored: (await versions.find({ id, version })) as StoredVersion, isNew: true, ...result };
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
