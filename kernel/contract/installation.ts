import type { Manifest, Permissions } from './manifest.js';

/** The content of a bundle that has passed every check. */
export interface CheckedBundle {
  manifest: Manifest;
  /** Its files by path. */
  files: readonly { name: string; bytes: number }[];
  unpacked_bytes: number;
  /** `sha256:` and the hex digest of the ZIP's bytes. */
  content_hash: string;
  /** Markdown; empty if it has none. */
  readme: string;
  /** Paths of files that other programs left in the ZIP, such as `.DS_Store`. They are neither unpacked nor shown. */
  left_out?: readonly string[];
  /** Sentences about content that is valid but most likely a mistake. */
  warnings?: readonly string[];
  /** Front matter and text of a skill's `SKILL.md`. */
  skill?: object;
}

/** A publisher's signature of a bundle: Ed25519 over `platform-bundle-v1`, its id, version and content hash, each followed by a line feed. */
export interface BundleSignature {
  /** Base64 of the key's 32 bytes. */
  public_key: string;
  /** Base64 of 64 bytes. */
  signature: string;
}

export interface InstallRequest {
  /** Hash of the ZIP, from `blobs.put`. The kernel holds the blob while the version is installed. */
  blob: string;
  /** Whether the version may have more permissions than the one that it replaces. Default false. */
  accept_permissions?: boolean | undefined;
}

export interface Installation {
  id: string;
  type: Manifest['type'];
  version: string;
  /** All permissions that it has now. */
  permissions: Permissions;
  /** Time of its first installation, ISO 8601. */
  installed_at: string;
  /** False if the same bundle was already installed and running. */
  changed: boolean;
  /** The replaced version; null if there was none. */
  previous: string | null;
}

/** Numbers of released contributions. */
export interface Released {
  operations: number;
  actions: number;
  tools: number;
  subscriptions: number;
  /** Processes that were ended. */
  process: number;
}

export interface InstalledExtension {
  id: string;
  name: string;
  type: Manifest['type'];
  version: string;
  /** SHA-256 of its ZIP. */
  content_hash: string;
  permissions: Permissions;
  state: 'loading' | 'active' | 'disabled' | 'restarting' | 'failed';
  /** Why it is not active on this instance, as a sentence; null if it is. */
  error: string | null;
  installed_at: string;
  /** Its unpacked, read-only folder on this instance; removed with the version. */
  folder: string | null;
}

/** A skill on this instance, with the content of its `SKILL.md` (https://agentskills.io/specification). */
export interface InstalledSkill {
  id: string;
  version: string;
  /** SHA-256 of its ZIP. */
  content_hash: string;
  /** Its unpacked, read-only folder; removed with the version. */
  folder: string;
  /** Name from its author, which needn't be unique: lower-case words joined by dashes, at most 64 characters. */
  name: string;
  /** Purpose, and when to use it; at most 1,024 characters. */
  description: string;
  /** Requirements on its environment; at most 500 characters. */
  compatibility?: string;
  /** Tools that its author would like to be allowed without approval. Grants nothing. */
  allowed_tools?: readonly string[];
  /** The instructions in Markdown, without the front matter. At most 512 KiB. */
  body: string;
  /** All files in its folder, sorted by path (with slashes), at most 2,000. */
  files: readonly { name: string; bytes: number }[];
}

/** Installs and removes third parties' extensions, for the marketplace. Only the platform's own extensions get it. */
export interface Extensions {
  /** The platform's version, which must satisfy `engines.platform` of a manifest. */
  readonly platform_version: string;
  /** Reads and checks a whole ZIP file without writing anything. Fails with the codes for bundles. */
  check(file: string, signal?: AbortSignal): Promise<CheckedBundle>;
  /** Returns whether a signature is valid for this bundle and made by its key; false if the signature or the key is malformed. */
  isSigned(bundle: { id: string; version: string; content_hash: string }, signature: BundleSignature): boolean;
  /** Returns whether a text is the base64 of an Ed25519 public key of 32 bytes, and not a weak key for which everybody can sign. */
  isSigningKey(public_key: string): boolean;
  /**
   * Installs a ZIP, or replaces the installed version by it: on this instance before it resolves, on the others within a second. If the
   * version can't be started, nothing changes. Not inside a transaction.
   *
   * Fails with the codes for bundles, `bundle_not_found`, `id_reserved`, `engine_mismatch`, `dependency_missing`,
   * `permissions_not_accepted` (its `details` name the new ones), `extension_conflict` and `extension_failed`.
   */
  install(request: InstallRequest): Promise<Installation>;
  /**
   * Stops an extension and removes it on all instances. Its data stays unless `purge` is set: storage, files, settings and its own member.
   * Fails with `plugin_not_found`, with `extension_required` for the platform's own, and with `extension_conflict` if another extension
   * depends on it. Not inside a transaction.
   */
  uninstall(id: string, options?: { purge?: boolean | undefined }): Promise<Released>;
  /** Lists the installed extensions of third parties, sorted by id. */
  installed(): Promise<InstalledExtension[]>;
  /**
   * Reads an active skill from its folder on this instance; undefined if there is none with this id. Fails with `skill_invalid` if the
   * folder's content has changed since the installation.
   */
  skill(id: string): Promise<InstalledSkill | undefined>;
}
