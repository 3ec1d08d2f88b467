import type {
  BundleSignature,
  Contract,
  FileAnswer,
  InstalledExtension,
  Manifest,
  Permissions,
  Released,
} from '../../kernel/contract/index.js';
import type { TrustedKeysApi } from './signatures/contract.js';

/** Publishes, reviews, finds and installs skills and plugins. */
export interface Marketplace extends Contract {
  id: 'marketplace';
  api: MarketplaceApi;
  service: object;
  events: MarketplaceEvents;
}

export type MarketplaceApi = {
  'marketplace.search': { input: SearchInput; answer: SearchPage };
  'marketplace.get': { input: { id: string; upstream: boolean }; answer: ExtensionDetail };
  'marketplace.version': { input: VersionName & { upstream: boolean }; answer: VersionDetail };
  'marketplace.download': { input: VersionName; answer: FileAnswer };
  'marketplace.publish': { input: PublishInput; answer: Published };
  'marketplace.install': { input: InstallInput; answer: Installed };
  'marketplace.uninstall': { input: { id: string; purge: boolean }; answer: Uninstalled };
  'marketplace.installed': { input: object; answer: InstalledPage };
  'marketplace.reviews': { input: ReviewQuery; answer: ReviewPage };
  'marketplace.review': { input: VersionName; answer: ReviewDetail };
  'marketplace.approve': { input: Approval; answer: Review };
  'marketplace.reject': { input: VersionName & { reason: string }; answer: Review };
  'marketplace.yank': { input: VersionName & { reason: string }; answer: Review };
  'marketplace.transfer': { input: { id: string; member_id: number }; answer: Ownership };
} & TrustedKeysApi;

export type ExtensionType = Manifest['type'];

/**
 * State of a version. `under_review` becomes `approved` or `rejected`, `approved` becomes `yanked`; nothing else. A
 * yanked version stays installed, but can't be installed any more. The number of a rejected version may be published
 * again.
 */
export type VersionStatus = 'under_review' | 'approved' | 'rejected' | 'yanked';

export interface VersionName {
  id: string;
  version: string;
}

/** Publisher of an id, stored as it was, even if the member changes or is deleted. */
export interface Publisher {
  member_id: number;
  username: string;
}

export interface SearchInput {
  /** Words; each must be part of the id, name, description, author or a tag, in any case. */
  query?: string;
  type?: ExtensionType | '';
  category?: string;
  /** Comma-separated; an extension must have all of them. */
  tags?: string;
  /** Whether to search the sources too. */
  upstream: boolean;
  limit: number;
  offset: number;
}

/** Newest approved version of an extension. Timestamps are ISO 8601, UTC, milliseconds. */
export interface SearchItem {
  id: string;
  name: string;
  type: ExtensionType;
  author: string;
  version: string;
  description: string;
  /** Empty if it has none. */
  category: string;
  tags: string[];
  /** Installations here that changed something. */
  downloads: number;
  /** `sha256:` and the hex digest of the ZIP. */
  content_hash: string;
  /** Versions of the platform it works with. */
  engines: { platform?: string };
  permissions: Permissions;
  /** Null if unsigned. */
  signature: BundleSignature | null;
  /** Times of this version's publication and last review. Null if a source doesn't report them. */
  created_at: string | null;
  updated_at: string | null;
  /** Source it comes from; null if it was published here. */
  source: string | null;
  /** Null if it isn't installed here. */
  installed_version: string | null;
}

export interface SearchPage {
  /** Extensions of this platform before those of sources; the most installed first, then by id. */
  items: SearchItem[];
  total: number;
  /** Sources that were unavailable or too slow: their extensions are missing. */
  unavailable: string[];
}

/** Names of what an extension contributes. */
export interface ContributionSummary {
  operations: string[];
  /** Operations whose audience is `members`: AI employees use those freely in rooms. */
  for_members: string[];
  actions: string[];
  tools: string[];
  topics: string[];
  channels: string[];
  commands: string[];
  panels: string[];
}

export interface VersionSummary {
  version: string;
  content_hash: string;
  signature: BundleSignature | null;
  created_at: string | null;
  updated_at: string | null;
}

export interface VersionDetail extends SearchItem {
  /** Status. Members see approved versions, and their own. */
  status: VersionStatus;
  /** Reason for the rejection or the yank. */
  reason: string | null;
  /** Markdown; empty if there is none. */
  readme: string;
  license: string | null;
  homepage: string | null;
  /** By id, as semver ranges. */
  dependencies: Readonly<Record<string, string>>;
  /** Null for a version of a source that has not been fetched yet. */
  contributes: ContributionSummary | null;
  /** Null for a version from a source. */
  publisher: Publisher | null;
  /** Name under which the key of its signature is trusted here; null if it isn't. */
  signed_by: string | null;
}

export interface ExtensionDetail extends VersionDetail {
  /** Approved versions, newest first; at most 100. */
  versions: VersionSummary[];
}

export interface PublishInput {
  /** Must match the bundle. */
  type: ExtensionType;
  /** The ZIP: its location on this machine. */
  file: { path: string; bytes: number };
  /** Base64 of an Ed25519 key's 32 bytes. */
  public_key?: string;
  /** Base64 of the key's 64-byte signature over id, version and content hash. */
  signature?: string;
}

/** Finding of a check. Findings that are not `ok` are for the reviewer to judge. */
export interface Check {
  code: 'archive' | 'manifest' | 'engine' | 'permissions' | 'signature' | 'left_out' | 'text';
  ok: boolean;
  /** Finding as a sentence. */
  message: string;
}

export interface Published {
  id: string;
  version: string;
  type: ExtensionType;
  status: 'under_review';
  content_hash: string;
  checks: Check[];
}

export interface InstallInput {
  id: string;
  /** If omitted or empty: the newest approved version. */
  version?: string;
  /** Permits more permissions than the replaced version has. Default false. */
  accept_permissions: boolean;
  /**
   * Name of the source to install from, even if the id has come from another one. Sources never replace an id published
   * here. If omitted: from here, from the id's source so far, or from any source if it is new.
   */
  source?: string;
}

export interface Installed {
  id: string;
  type: ExtensionType;
  version: string;
  status: 'installed';
  /** Time of the first installation. */
  installed_at: string;
  /** All its permissions. */
  permissions: Permissions;
  /** False if exactly this was already installed. */
  changed: boolean;
  /** Replaced version. */
  previous: string | null;
}

export interface Uninstalled {
  id: string;
  status: 'uninstalled';
  released: Released;
}

export interface InstalledItem extends Omit<InstalledExtension, 'folder'> {
  has_update: boolean;
  /** Newest approved version; the installed one if there is none. */
  latest_version: string;
  /** Whether this version was yanked. */
  yanked: boolean;
  /** Source it came from; null if it was published here or its origin is unknown. */
  source: string | null;
  /** Name under which the key of its signature is trusted here; null if it isn't. */
  signed_by: string | null;
}

export interface InstalledPage {
  items: InstalledItem[];
  total: number;
}

export interface ReviewQuery {
  status?: VersionStatus;
  limit: number;
  offset: number;
}

/** Version as reviewers see it. */
export interface Review extends VersionName {
  name: string;
  type: ExtensionType;
  author: string;
  description: string;
  status: VersionStatus;
  reason: string | null;
  content_hash: string;
  /** Size of the ZIP. */
  bytes: number;
  /** Null for a version from a source. */
  publisher: Publisher | null;
  source: string | null;
  created_at: string;
  /** Null while under review. */
  reviewed_at: string | null;
  reviewed_by: Publisher | null;
}

export interface ReviewPage {
  /** Newest first. */
  items: Review[];
  total: number;
}

export interface Approval extends VersionName {
  /** Hash of the reviewed content: a rejected number may have been published again since. If omitted, the current content is approved. */
  content_hash?: string;
}

/** One permission, such as `network` and `example.org`; the value of a switch is `true`. */
export interface PermissionChange {
  permission: keyof Permissions;
  value: string;
}

export interface ReviewDetail extends Review {
  /** Full `manifest.json`. */
  manifest: Manifest;
  files: { name: string; bytes: number }[];
  unpacked_bytes: number;
  readme: string;
  /** Version it is compared with: the newest other approved one. Null if it is the first. */
  compared_with: string | null;
  permissions: { added: PermissionChange[]; removed: PermissionChange[] };
  signature: BundleSignature | null;
  /** Compared with that version. */
  signature_change: 'none' | 'added' | 'removed' | 'changed';
  /** Name under which the key is trusted here; null if it isn't. */
  signed_by: string | null;
  contributes: ContributionSummary;
  checks: Check[];
}

export interface Ownership {
  id: string;
  owner: Publisher;
}

/** A version awaits review. */
export interface VersionPublished extends VersionName {
  name: string;
  type: ExtensionType;
  publisher: Publisher;
}

/** A version was approved, rejected or yanked. */
export interface VersionReviewed extends VersionName {
  name: string;
  type: ExtensionType;
  status: Exclude<VersionStatus, 'under_review'>;
  reason: string | null;
  /** Null for a version from a source. */
  publisher: Publisher | null;
  reviewer: Publisher;
}

export type MarketplaceEvents = {
  'marketplace.published': VersionPublished;
  'marketplace.reviewed': VersionReviewed;
};
