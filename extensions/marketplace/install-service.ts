import { type Call, type InstalledExtension, isFailure, KeyedLimiter } from '../../kernel/contract/index.js';
import { fail } from './codes.js';
import type { Installed, InstalledItem, InstalledPage, InstallInput, Uninstalled } from './contract.js';
import { isNewer } from './newest.js';
import type { Parts } from './parts.js';
import type { StoredVersion } from './store/version-row.js';

type Dependencies = Pick<Parts, 'db' | 'installer' | 'lookup' | 'importing' | 'extensions' | 'versions' | 'trust' | 'newest'>;

type CallOptions = Pick<Call, 'signal' | 'progress'>;

/** Installs and removes extensions with the kernel's installer. */
export class InstallService {
  readonly #parts: Dependencies;
  readonly #limiter = new KeyedLimiter<string>(1);

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** Installs an extension. Concurrent requests for one id run one at a time. */
  install(input: InstallInput, options: CallOptions): Promise<Installed> {
    return this.#limiter.run(input.id, () => this.#install(input, options));
  }

  async uninstall(id: string, purge: boolean): Promise<Uninstalled> {
    try {
      return { id, status: 'uninstalled', released: await this.#parts.installer.uninstall(id, { purge }) };
    } catch (fault) {
      if (isFailure(fault) && fault.code === 'plugin_not_found')
        throw fail('extension_not_found', `There is no extension '${id}' installed`);
      throw fault;
    }
  }

  /** Lists everything installed from third parties, by id. */
  async installed(): Promise<InstalledPage> {
    const { installer, versions, trust } = this.#parts;
    const found = await installer.installed();
    const ids = found.map(({ id }) => id);
    const hashes = found.map(({ content_hash }) => content_hash);
    const [newest, states, atSources] = await Promise.all([versions.newestOf(ids), versions.states(hashes), this.#atSources(ids)]);
    const items: InstalledItem[] = [];
    for (const each of found) {
      const known = states.find(({ id, content_hash }) => id === each.id && content_hash === each.content_hash);
      const latest = newer(newest.get(each.id), atSources.get(each.id));
      items.push(itemOf(each, latest, { ...known, signed_by: await trust.nameOf(known?.signature ?? null) }));
    }
    return { items, total: items.length };
  }

  /** Reads the newest versions at the ids' sources, except those yanked here. Each source is queried once, all in parallel. */
  async #atSources(ids: readonly string[]): Promise<Map<string, string>> {
    const { extensions, versions, newest } = this.#parts;
    const origins = await extensions.sourcesOf(ids);
    const names = [...new Set(origins.values())];
    const answers = new Map(await Promise.all(names.map(async (name) => [name, await newest(name)] as const)));
    const found = new Map<string, string>();
    for (const [id, source] of origins) {
      const version = answers.get(source)?.get(id);
      if (version === undefined) continue;
      if ((await versions.find({ id, version }))?.status !== 'yanked') found.set(id, version);
    }
    return found;
  }

  async #install({ id, version, accept_permissions, source }: InstallInput, { signal, progress }: CallOptions): Promise<Installed> {
    signal.throwIfAborted();
    const { lookup, importing } = this.#parts;
    const candidate = await lookup.find({ id, version: version || undefined, source, signal });
    const reportStart = () => progress?.({ doing: 'unpacking and starting', done: 0, total: 0 });
    if ('stored' in candidate) {
      reportStart();
      return this.#installStored(candidate.stored, accept_permissions);
    }
    const imported = await importing.import(candidate.found, { changes_source: source !== undefined, signal, progress });
    try {
      reportStart();
      return await this.#installStored(imported.stored, accept_permissions);
    } catch (fault) {
      await importing.undo(imported);
      throw fault;
    }
  }

  async #installStored(stored: StoredVersion, accept_permissions: boolean): Promise<Installed> {
    const { db, installer, extensions, versions, trust, importing } = this.#parts;
    await trust.assertTrusted(stored);
    // Another instance may fail to install an imported version meanwhile, and remove its record.
    const whole = stored.source === null ? undefined : await versions.full(stored);
    const installation = await installer.install({ blob: stored.content_hash, accept_permissions });
    const { id, type, version, installed_at, permissions, changed, previous } = installation;
    if (whole?.source) await importing.restore(whole, whole.source);
    if (changed) await db.transaction(() => extensions.countDownload(id));
    return { id, type, version, status: 'installed', installed_at, permissions, changed, previous };
  }
}

function newer(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || (other !== undefined && isNewer(other, one)) ? other : one;
}

function itemOf(
  { folder: _folder, ...installed }: InstalledExtension,
  newest: string | undefined,
  { status, source = null, signed_by }: Partial<Pick<StoredVersion, 'status' | 'source'>> & { signed_by: string | null },
): InstalledItem {
  const { version } = installed;
  const has_update = newest !== undefined && isNewer(newest, version);
  return {
    ...installed,
    has_update,
    latest_version: newest !== undefined && !isNewer(version, newest) ? newest : version,
    yanked: status === 'yanked',
    source,
    signed_by,
  };
}
