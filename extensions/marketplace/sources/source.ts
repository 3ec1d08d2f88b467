import type { BundleSignature, Context, Manifest, Permissions } from '../../../kernel/contract/index.js';

/** What a source needs of the platform. */
export type SourceContext = Pick<Context, 'extensions' | 'web' | 'log' | 'clock' | 'signal'>;

/** What is looked for. What is left out matches all. */
export interface SearchQuery {
  /** Words, each of them a part of the id, name, description, author or a tag, in any case. */
  query?: string | undefined;
  type?: Manifest['type'] | undefined;
  category?: string | undefined;
  /** All of them. */
  tags?: readonly string[] | undefined;
}

/** A version of an extension as a source tells of it: checked for its form alone, and not to be believed before it is downloaded. */
export interface SourceItem {
  id: string;
  name: string;
  type: Manifest['type'];
  author: string;
  version: string;
  description: string;
  category: string;
  tags: readonly string[];
  /** `sha256:` and the hex digest of the ZIP's bytes. */
  content_hash: string;
  /** ISO 8601, UTC. */
  created_at?: string | undefined;
  updated_at?: string | undefined;
  /** Markdown; only of one that was found by its id, and not with every source. */
  readme?: string | undefined;
  /** The range of versions of the platform that it runs on. */
  engines?: Manifest['engines'];
  permissions?: Permissions | undefined;
  /** The publisher's, not proven yet. */
  signature?: BundleSignature | undefined;
}

/** What is known of a download while it runs. */
export interface Download {
  signal: AbortSignal;
  /** Told how many bytes have come, of how many; 0 where that isn't known. */
  arrived?: ((bytes: number, total: number) => void) | undefined;
}

/**
 * Where else bundles come from: another platform, a mirror, a folder. Each call fails with `source_unavailable` where it can't be
 * reached or doesn't answer in time, and with `source_invalid` where what it says makes no sense.
 */
export interface Source {
  /** As people read it: an address or a folder. */
  readonly name: string;
  /** The newest version of each id that matches, by id; at most 1,000. */
  search(query: SearchQuery, signal: AbortSignal): Promise<readonly SourceItem[]>;
  /** One version, or the newest; undefined where there is none. */
  find(id: string, version: string | undefined, signal: AbortSignal): Promise<SourceItem | undefined>;
  /**
   * Downloads an item's ZIP into a new file, at most 50 MiB; nothing stays where it fails. Its hash is the item's when it resolves.
   * What is in it is for `ctx.extensions.check` to say. Fails with `source_hash_mismatch` and `source_too_large` besides.
   */
  download(item: SourceItem, file: string, how: Download): Promise<void>;
}
