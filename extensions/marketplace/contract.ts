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

/** Where skills and plugins are published, reviewed, found and installed. */
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
 * `under_review` becomes `approved` or `rejected`, `approved` becomes `yanked`; nothing else. A yanked version stays where it
 * is installed, and is installed nowhere else any more. The number of a rejected one may be published anew.
 */
export type VersionStatus = 'under_review' | 'approved' | 'rejected' | 'yanked';

export interface VersionName {
  id: string;
  version: string;
}

/** Who publishes under an id; kept as it was, whatever becomes of the member. */
export interface Publisher {
  member_id: number;
  username: string;
}

export interface SearchInput {
  /** Words, each of them a part of the id, name, description, author or a tag, in any case. */
  query?: string;
  type?: ExtensionType | '';
  category?: string;
  /** Separated by commas; an extension has them all. */
  tags?: string;
  /** Whether sources are asked as well. */
  upstream: boolean;
  limit: number;
  offset: number;
}

/** The newest approved version of an extension. Timestamps are ISO 8601, UTC, milliseconds. */
export interface SearchItem {
  id: string;
  name: string;
  type: ExtensionType;
  author: string;
  version: string;
  description: string;
  /** Empty where it names none. */
  category: string;
  tags: string[];
  /** Installations here that have changed something. */
  downloads: number;
  /** `sha256:` and the hex digest of the ZIP's bytes. */
  content_hash: string;
  /** Which versions of the platform it works with. */
  engines: { platform?: string };
  permissions: Permissions;
  /** Null where it isn't signed. */
  signature: BundleSignature | null;
  /** Of this version: when it was published, and when it was last judged. Null where a source doesn't say. */
  created_at: string | null;
  updated_at: string | null;
  /** The source that it comes from; null: it was published here. */
  source: string | null;
  /** Null where it isn't installed here. */
  installed_version: string | null;
}

export interface SearchPage {
  /** Those of this platform before those of sources; the most installed first, else by id. */
  items: SearchItem[];
  total: number;
  /** The sources that could not be asked, or not in time: what they have is missing here. */
  unavailable: string[];
}

/** What an extension adds, by name. */
export interface ContributionSummary {
  operations: string[];
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
  /** Members see approved ones, and their own. */
  status: VersionStatus;
  /** Why it was rejected or yanked. */
  reason: string | null;
  /** Markdown; empty where there is none. */
  readme: string;
  license: string | null;
  homepage: string | null;
  /** By id, as semver ranges. */
  dependencies: Readonly<Record<string, string>>;
  /** Null of what a source has and this platform has not yet fetched. */
  contributes: ContributionSummary | null;
  /** Null of what comes from a source. */
  publisher: Publisher | null;
  /** As whose the key of its signature is trusted here; null where it isn't. */
  signed_by: string | null;
}

export interface ExtensionDetail extends VersionDetail {
  /** The approved ones, the newest first; at most 100. */
  versions: VersionSummary[];
}

export interface PublishInput {
  /** As the bundle says it is. */
  type: ExtensionType;
  /** The ZIP: where it waits on this machine. */
  file: { path: string; bytes: number };
  /** Base64 of an Ed25519 key's 32 bytes. */
  public_key?: string;
  /** Base64 of the 64 bytes by which that key signs id, version and content hash. */
  signature?: string;
}

/** Something that was looked at. What is not `ok` is for the reviewer to judge. */
export interface Check {
  code: 'archive' | 'manifest' | 'engine' | 'permissions' | 'signature' | 'left_out' | 'text';
  ok: boolean;
  /** What was found, as a sentence. */
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
  /** Left out, or empty: the newest approved one. */
  version?: string;
  /** Lets it have more permissions than the version that it replaces. Default false. */
  accept_permissions: boolean;
  /**
   * The name of the source that it shall come from, also where the id has come from another so far. What was published here
   * no source replaces. Left out: from here, or from the source that the id came from, or from any where it is new.
   */
  source?: string;
}

export interface Installed {
  id: string;
  type: ExtensionType;
  version: string;
  status: 'installed';
  /** When it was first installed. */
  installed_at: string;
  /** All that it may do. */
  permissions: Permissions;
  /** False where just this was installed already. */
  changed: boolean;
  /** The version that it has replaced. */
  previous: string | null;
}

export interface Uninstalled {
  id: string;
  status: 'uninstalled';
  released: Released;
}

export interface InstalledItem extends Omit<InstalledExtension, 'folder'> {
  has_update: boolean;
  /** The newest approved one; its own where there is none. */
  latest_version: string;
  /** Whether this version was withdrawn since. */
  yanked: boolean;
  /** The source that it came from; null: it was published here, or nothing is known of it. */
  source: string | null;
  /** As whose the key of its signature is trusted here; null where it isn't. */
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

/** A version as reviewers see it. */
export interface Review extends VersionName {
  name: string;
  type: ExtensionType;
  author: string;
  description: string;
  status: VersionStatus;
  reason: string | null;
  content_hash: string;
  /** Of the ZIP. */
  bytes: number;
  /** Null of what came from a source. */
  publisher: Publisher | null;
  source: string | null;
  created_at: string;
  /** Null while it waits. */
  reviewed_at: string | null;
  reviewed_by: Publisher | null;
}

export interface ReviewPage {
  /** The latest first. */
  items: Review[];
  total: number;
}

export interface Approval extends VersionName {
  /** What was looked at: a number that was rejected may have been published anew meanwhile. Left out: whatever is there. */
  content_hash?: string;
}

/** One permission, as `network` and `example.org`; the value of one that is a switch is `true`. */
export interface PermissionChange {
  permission: keyof Permissions;
  value: string;
}

export interface ReviewDetail extends Review {
  /** All of `manifest.json`. */
  manifest: Manifest;
  files: { name: string; bytes: number }[];
  unpacked_bytes: number;
  readme: string;
  /** The approved version that it is compared with: the newest beside it. Null where it is the first. */
  compared_with: string | null;
  permissions: { added: PermissionChange[]; removed: PermissionChange[] };
  signature: BundleSignature | null;
  /** Beside the version that it is compared with. */
  signature_change: 'none' | 'added' | 'removed' | 'changed';
  /** As whose the key is trusted here; null where it isn't. */
  signed_by: string | null;
  contributes: ContributionSummary;
  checks: Check[];
}

export interface Ownership {
  id: string;
  owner: Publisher;
}

/** A version waits for its review. */
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
  /** Null of what came from a source. */
  publisher: Publisher | null;
  reviewer: Publisher;
}

export type MarketplaceEvents = {
  'marketplace.published': VersionPublished;
  'marketplace.reviewed': VersionReviewed;
};
