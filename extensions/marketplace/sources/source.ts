import type { BundleSignature, Context, Manifest, Permissions } from '../../../kernel/contract/index.js';

/** Parts of the platform that a source needs. */
export type SourceContext = Pick<Context, 'extensions' | 'web' | 'log' | 'clock' | 'signal'>;

/** Search conditions. Omitted fields match everything. */
export interface SearchQuery {
  /** Words; each must be part of the id, name, description, author or a tag, in any case. */
  query?: string | undefined;
  type?: Manifest['type'] | undefined;
  category?: string | undefined;
  /** All of them must match. */
  tags?: readonly string[] | undefined;
}

/** Version as announced by a source: only its form is validated, and its content is not trusted before the download. */
export interface SourceItem {
  id: string;
  name: string;
  type: Manifest['type'];
  author: string;
  version: string;
  description: string;
  category: string;
  tags: readonly string[];
  /** `sha256:` and the hex digest of the ZIP. */
  content_hash: string;
  /** ISO 8601, UTC. */
  created_at?: string | undefined;
  updated_at?: string | undefined;
  /** Markdown; only for a version found by id, and not from every source. */
  readme?: string | undefined;
  /** Range of platform versions it runs on. */
  engines?: Manifest['engines'];
  permissions?: Permissions | undefined;
  /** Publisher's signature, not verified yet. */
  signature?: BundleSignature | undefined;
}

/** Options of a download. */
export interface Download {
  signal: AbortSignal;
  /** Reports the bytes received and the total; 0 if unknown. */
  onProgress?: ((bytes: number, total: number) => void) | undefined;
}

/**
 * Another origin of bundles: another platform, a mirror, a folder. Each call fails with `source_unavailable` if it is
 * unreachable or too slow, and with `source_invalid` if its response is invalid.
 */
export interface Source {
  /** Display name: an address or a folder. */
  readonly name: string;
  /** Searches the newest version of each matching id, sorted by id; at most 1,000. */
  search(query: SearchQuery, signal: AbortSignal): Promise<readonly SourceItem[]>;
  /** Finds one version, or the newest; undefined if there is none. */
  find(id: string, version: string | undefined, signal: AbortSignal): Promise<SourceItem | undefined>;
  /**
   * Downloads an item's ZIP into a new file, at most 50 MiB; on failure nothing is left. The hash is verified; the
   * content is for `ctx.extensions.check`. May also fail with `source_hash_mismatch` and `source_too_large`.
   */
  download(item: SourceItem, file: string, how: Download): Promise<void>;
}
