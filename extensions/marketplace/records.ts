import type { Manifest, OperationData } from '../../kernel/contract/index.js';
import type { ContributionSummary, SearchItem, VersionDetail, VersionSummary } from './contract.js';
import type { SourceItem } from './sources/source.js';
import type { FullVersion, StoredVersion } from './store/version-row.js';

interface Counts {
  downloads: number;
  /** Installed version, if any. */
  installed: string | undefined;
}

interface SignedCounts extends Counts {
  /** Name under which the key of its signature is trusted. */
  signed_by: string | null;
}

/** Builds the record of a version for lists. */
export function itemOf(version: StoredVersion, { downloads, installed }: Counts): SearchItem {
  const { about, content_hash, signature, source } = version;
  return {
    id: version.id,
    name: about.name,
    type: about.type,
    author: about.author,
    version: version.version,
    description: about.description,
    category: about.category ?? '',
    tags: [...(about.tags ?? [])],
    downloads,
    content_hash,
    engines: about.engines ?? {},
    permissions: about.permissions ?? {},
    signature,
    ...timesOf(version),
    source,
    installed_version: installed ?? null,
  };
}

export function detailOf(version: FullVersion, { signed_by, ...counts }: SignedCounts): VersionDetail {
  const { status, reason, readme, manifest, publisher } = version;
  const { license = null, homepage = null, dependencies = {} } = manifest;
  return {
    ...itemOf(version, counts),
    status,
    reason,
    readme,
    license,
    homepage,
    dependencies,
    contributes: contributionsOf(manifest),
    publisher,
    signed_by,
  };
}

export function summaryOf(
  version: Pick<StoredVersion, 'version' | 'content_hash' | 'signature' | 'created_at' | 'reviewed_at'>,
): VersionSummary {
  const { content_hash, signature } = version;
  return { version: version.version, content_hash, signature, ...timesOf(version) };
}

/** Builds the record of a source's version, as far as the source reports it. */
export function sourceItemOf(item: SourceItem, source: string, installed: string | undefined): SearchItem {
  const { id, name, type, author, version, description, category, tags, content_hash } = item;
  const { engines = {}, permissions = {}, signature = null, created_at = null, updated_at = null } = item;
  return {
    ...{ id, name, type, author, version, description, category, tags: [...tags], downloads: 0, content_hash },
    ...{ engines, permissions, signature, created_at, updated_at, source, installed_version: installed ?? null },
  };
}

export function sourceDetailOf(item: SourceItem, source: string, { installed, signed_by }: Omit<SignedCounts, 'downloads'>): VersionDetail {
  const unknown = { reason: null, license: null, homepage: null, dependencies: {}, contributes: null, publisher: null, signed_by };
  return { ...sourceItemOf(item, source, installed), status: 'approved', readme: item.readme ?? '', ...unknown };
}

function timesOf({ created_at, reviewed_at }: Pick<StoredVersion, 'created_at' | 'reviewed_at'>) {
  return { created_at, updated_at: reviewed_at ?? created_at };
}

/** Returns the names of what a bundle contributes. */
export function contributionsOf({ contributes = {} }: Manifest): ContributionSummary {
  const { operations = {}, actions = [], tools = [], topics = [], channels = [], commands = [], panels = [] } = contributes;
  const idsWhere = (test: (operation: OperationData) => boolean) =>
    Object.entries(operations).flatMap(([id, operation]) => (test(operation) ? [id] : []));
  return {
    operations: Object.keys(operations),
    for_members: idsWhere(({ audience }) => audience === 'members'),
    actions: [...new Set([...actions, ...idsWhere(({ schedulable }) => schedulable === true)])],
    tools: [...new Set([...tools, ...idsWhere(({ tool }) => tool === true)])],
    topics: topics.map(({ name }) => name),
    channels: [...channels],
    commands: commands.map(({ command }) => command),
    panels: panels.map(({ title }) => title),
  };
}
