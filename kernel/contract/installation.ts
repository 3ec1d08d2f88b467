import type { Manifest, Permissions } from './manifest.js';

/** The content of a bundle that has passed every check. */
export interface CheckedBundle {
  manifest: Manifest;
  /** Its files, by their paths within it. */
  files: readonly { name: string; bytes: number }[];
  unpacked_bytes: number;
  /** `sha256:` and the hex digest of the ZIP's bytes. */
  content_hash: string;
  /** Markdown; empty where it brings none. */
  readme: string;
  /** Paths in the ZIP of what programs left behind, such as `.DS_Store`: it is neither unpacked nor shown. */
  left_out?: readonly string[];
  /** Sentences about content that is valid, but most likely not meant so. */
  warnings?: readonly string[];
  /** Front matter and text of a skill's `SKILL.md`. */
  skill?: object;
}

/** A publisher's signature of a bundle: Ed25519 over `platform-bundle-v1`, its id, version and content hash, each with a line feed behind it. */
export interface BundleSignature {
  /** Base64 of the key's 32 bytes. */
  public_key: string;
  /** Base64 of 64 bytes. */
  signature: string;
}

export interface InstallRequest {
  /** The hash of the ZIP, as `blobs.put` gave it. The kernel holds it for as long as it is installed. */
  blob: string;
  /** Lets a version have more permissions than the one that it replaces. Default false. */
  accept_permissions?: boolean | undefined;
}

export interface Installation {
  id: string;
  type: Manifest['type'];
  version: string;
  /** All that it may do now. */
  permissions: Permissions;
  /** ISO 8601: of its first installation. */
  installed_at: string;
  /** False where this very bundle was installed already, and ran. */
  changed: boolean;
  /** The version that it has replaced. */
  previous: string | null;
}

/** Counts of what was released. */
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
  /** Why it is not active here, as a sentence. */
  error: string | null;
  installed_at: string;
  /** Where it lies, unpacked, on this instance. It can only be read, and goes with the version. */
  folder: string | null;
}

/** A skill as it lies on this instance, and what its `SKILL.md` says (https://agentskills.io/specification). */
export interface InstalledSkill {
  id: string;
  version: string;
  /** SHA-256 of its ZIP. */
  content_hash: string;
  /** Where it lies, unpacked. It can only be read, and goes with the version. */
  folder: string;
  /** By which its author calls it; others may call theirs the same. Lower-case words joined by dashes, at most 64 characters. */
  name: string;
  /** Purpose, and when to use it; at most 1,024 characters. */
  description: string;
  /** Requirements on its surroundings; at most 500 characters. */
  compatibility?: string;
  /** Tools that it would like to use without asking. A wish: it grants nothing. */
  allowed_tools?: readonly string[];
  /** The instructions in Markdown, without the front matter. At most 512 KiB. */
  body: string;
  /** All of its files in the order of their paths, with slashes, below the folder. At most 2,000. */
  files: readonly { name: string; bytes: number }[];
}

/** Third parties' extensions: what the marketplace installs from. For the platform's own extensions alone. */
export interface Extensions {
  /** The platform's version: `engines.platform` of a manifest is compared with it. */
  readonly platform_version: string;
  /** Reads a ZIP file to its end and checks it, writing nothing. Fails with any of the codes for bundles. */
  check(file: string, signal?: AbortSignal): Promise<CheckedBundle>;
  /** Whether a signature is its key's, of this very bundle; false as well where it or the key is malformed. */
  isSigned(bundle: { id: string; version: string; content_hash: string }, signature: BundleSignature): boolean;
  /** Whether a text is the base64 of an Ed25519 key's 32 bytes, and no key for which everybody can sign. */
  isSigningKey(public_key: string): boolean;
  /**
   * Installs a ZIP, or puts it in the place of the version that is installed; on this instance when it resolves, on
   * the others within a second. If it can't be started, nothing has changed. Not inside a transaction.
   *
   * Fails with the codes for bundles, `bundle_not_found`, `id_reserved`, `engine_mismatch`, `dependency_missing`,
   * `permissions_not_accepted` (its `details` name what is new), `extension_conflict` and `extension_failed`.
   */
  install(request: InstallRequest): Promise<Installation>;
  /**
   * Stops it and removes it everywhere; its data stays, unless `purge` removes it as well: storage, files, settings and
   * its own member. Fails with `plugin_not_found`, `extension_required` for the platform's own, and
   * `extension_conflict` where another depends on it. Not inside a transaction.
   */
  uninstall(id: string, options?: { purge?: boolean | undefined }): Promise<Released>;
  /** All that is installed of third parties, by id. */
  installed(): Promise<InstalledExtension[]>;
  /**
   * A skill that is active on this instance, read from its folder; undefined where there is none of this id. Fails with
   * `skill_invalid` where that folder holds no more what was installed.
   */
  skill(id: string): Promise<InstalledSkill | undefined>;
}
