import { type Caller, type FileAnswer, mayAdminister } from '../../kernel/contract/index.js';
import { fail } from './codes.js';
import type { ExtensionDetail, VersionDetail, VersionName } from './contract.js';
import type { LookupRequest } from './lookup.js';
import { newestFirst } from './newest.js';
import type { Parts } from './parts.js';
import { detailOf, sourceDetailOf, summaryOf } from './records.js';
import type { StoredVersion } from './store/version-row.js';

type Dependencies = Pick<Parts, 'lookup' | 'bundles' | 'extensions' | 'versions' | 'trust' | 'installed'>;

const max_versions = 100;

/** Shows single extensions. Unapproved versions are visible only to their publisher and to administrators. */
export class DetailService {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** Shows the newest approved version; a stored one takes precedence over sources. */
  async extension(id: string, { upstream, signal }: { upstream: boolean; signal: AbortSignal }): Promise<ExtensionDetail> {
    const { lookup, versions } = this.#parts;
    const stored = await lookup.here({ id, version: undefined });
    if (!stored) {
      const detail = await this.#atSources({ id, version: undefined, signal }, upstream);
      const { version, content_hash, signature, created_at, updated_at } = detail;
      return { ...detail, versions: [{ version, content_hash, signature, created_at, updated_at }] };
    }
    const [detail, approved] = await Promise.all([this.#detail(stored), versions.approved(id)]);
    return { ...detail, versions: newestFirst(approved).slice(0, max_versions).map(summaryOf) };
  }

  async version(
    { id, version }: VersionName,
    caller: Caller,
    { upstream, signal }: { upstream: boolean; signal: AbortSignal },
  ): Promise<VersionDetail> {
    const stored = await this.#parts.versions.find({ id, version });
    return stored && maySee(stored, caller) ? this.#detail(stored) : this.#atSources({ id, version, signal }, upstream);
  }

  async zip({ id, version }: VersionName, caller: Caller): Promise<FileAnswer> {
    const { versions, bundles } = this.#parts;
    const stored = await versions.find({ id, version });
    if (!stored || !maySee(stored, caller)) throw versionNotFound({ id, version });
    const bytes = stored.status === 'rejected' ? undefined : await bundles.read(stored.content_hash);
    if (!bytes) throw fail('version_gone', `The bundle of version ${version} of '${id}' is no longer available: it is ${stored.status}`);
    return { mime_type: 'application/zip', bytes, etag: stored.content_hash };
  }

  async #detail(stored: StoredVersion): Promise<VersionDetail> {
    const { versions, extensions, trust } = this.#parts;
    const [whole, extension, installed, signed_by] = await Promise.all([
      versions.full(stored),
      extensions.find(stored.id),
      this.#parts.installed(),
      trust.nameOf(stored.signature),
    ]);
    if (!whole) throw versionNotFound(stored);
    return detailOf(whole, { downloads: extension?.downloads ?? 0, installed: installed.get(stored.id), signed_by });
  }

  async #atSources(request: LookupRequest, upstream: boolean): Promise<VersionDetail> {
    const { lookup, trust } = this.#parts;
    const candidate = upstream ? await lookup.find(request) : undefined;
    if (!candidate) throw versionNotFound(request);
    if ('stored' in candidate) return this.#detail(candidate.stored);
    const { item, source } = candidate.found;
    const installed = (await this.#parts.installed()).get(item.id);
    return sourceDetailOf(item, source.name, { installed, signed_by: await trust.nameOf(trust.validSignatureOf(item)) });
  }
}

function maySee({ status, publisher }: StoredVersion, caller: Caller): boolean {
  return status === 'approved' || mayAdminister(caller) || publisher?.member_id === caller.member_id;
}

function versionNotFound({ id, version }: { id: string; version: string | undefined }) {
  if (version === undefined) return fail('extension_not_found', `There is no approved version of an extension '${id}'`);
  return fail('version_not_found', `There is no version ${version} of an extension '${id}' that you may see`);
}
