import type { Blobs, FileAnswer } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { Image, ImageInput } from '../contract.js';
import { MemoryLimit } from '../memory-limit.js';
import type { ImageRows } from '../store/images-sql.js';
import { type Fetch, fetch_ms, isElsewhere, max_bytes, readImages } from './source.js';
import type { ImageThumbnails } from './thumbnails.js';

/** An image whose bytes are stored but which no session has yet. */
export interface StoredImage {
  hash: string;
  image: Image;
}

interface ImagesParts {
  rows: ImageRows;
  blobs: Blobs;
  fetch: Fetch;
  thumbnails: ImageThumbnails;
}

/** Limit of bytes being fetched for all messages together. */
const max_together_bytes = 256 * 1024 * 1024;

const base = '/api/chat/images/';

/** Called with the bytes of all images of a message before any is stored; fails if they are too many. */
type Admit = (images: readonly Uint8Array[]) => Promise<void>;

interface StoreOptions {
  signal: AbortSignal;
  admit: Admit;
}

/** Images of messages: their bytes by hash, and the sessions that have them. */
export class Images {
  readonly #rows: ImageRows;
  readonly #blobs: Blobs;
  readonly #fetch: Fetch;
  readonly #thumbnails: ImageThumbnails;
  readonly #memory = new MemoryLimit({ max_bytes: max_together_bytes, wait_ms: fetch_ms, busy });

  constructor({ rows, blobs, fetch, thumbnails }: ImagesParts) {
    this.#rows = rows;
    this.#blobs = blobs;
    this.#fetch = fetch;
    this.#thumbnails = thumbnails;
  }

  /**
   * Reads and stores the images of a message, outside of a transaction. Fails as {@link readImages} and `admit` do, and with
   * `image_unavailable` if the limit of concurrent fetches stays exhausted.
   */
  async take(inputs: readonly ImageInput[], admit: Admit): Promise<StoredImage[]> {
    // Only fetches count: data URLs are no larger than the request, but a short URL may bring as much as a message may have.
    if (!inputs.some(isElsewhere)) return this.#store(inputs, { signal: AbortSignal.timeout(fetch_ms), admit });
    return this.#memory.run(max_bytes, (signal) => this.#store(inputs, { signal, admit }));
  }

  async #store(inputs: readonly ImageInput[], { signal, admit }: StoreOptions): Promise<StoredImage[]> {
    const stored: StoredImage[] = [];
    const images = await readImages(inputs, { fetch: this.#fetch, signal });
    if (images.length > 0) await admit(images.map(({ bytes }) => bytes));
    for (const { bytes, mime_type, name } of images) {
      const hash = (await this.#blobs.put(bytes)).slice('sha256:'.length);
      stored.push({ hash, image: { url: base + hash, mime_type, ...(name ? { name } : {}) } });
    }
    return stored;
  }

  /** Adds images to a session within the current transaction. */
  async keep(session_id: string, images: readonly StoredImage[]): Promise<void> {
    if (images.length === 0) return;
    await this.#blobs.hold(
      session_id,
      images.map(({ hash }) => `sha256:${hash}`),
    );
    for (const { hash, image } of images) await this.#rows.add({ session_id, hash, mime_type: image.mime_type });
  }

  /** Returns an image that the member sees in one of its sessions. Fails with `image_not_found`. */
  async ofMember(hash: string, member_id: number): Promise<FileAnswer> {
    const found = await this.#read(hash, await this.#rows.typeFor(hash, member_id));
    if (!found) throw notVisible(hash);
    return { ...found, etag: hash };
  }

  /** Returns the thumbnail of an image that the member sees. Fails with `image_not_found`, and as {@link ImageThumbnails.of} does. */
  async thumbnail(hash: string, member_id: number): Promise<FileAnswer> {
    if ((await this.#rows.typeFor(hash, member_id)) === undefined) throw notVisible(hash);
    return this.#thumbnails.of(hash, async () => {
      const bytes = await this.#blobs.get(`sha256:${hash}`);
      if (!bytes) throw notVisible(hash);
      return bytes;
    });
  }

  /** Returns an image of a session. Fails with `image_not_found`. */
  async ofSession(url: string, session_id: string): Promise<{ mime_type: string; bytes: Buffer }> {
    const hash = hashOf({ url });
    const found = await this.#read(hash, await this.#rows.typeIn(hash, session_id));
    if (!found) throw fail('image_not_found', `There is no image '${url.slice(0, 100)}' in session ${session_id}`);
    return found;
  }

  /** Removes the images of a session that are not among these, within the transaction that removes the others from their message. */
  async keepOnly(session_id: string, images: readonly Image[]): Promise<void> {
    const hashes = [...new Set(images.map(hashOf))];
    if ((await this.#rows.keepOnly(session_id, hashes)) === 0) return;
    await this.#blobs.release([session_id]);
    const kept = hashes.map((hash) => `sha256:${hash}`);
    if (kept.length > 0) await this.#blobs.hold(session_id, kept);
  }

  /** Removes the images of sessions, within the transaction that removes these. */
  async forget(sessions: readonly string[]): Promise<void> {
    const having = await this.#rows.forget(sessions);
    if (having.length > 0) await this.#blobs.release(having);
  }

  async #read(hash: string, mime_type: string | undefined): Promise<{ mime_type: string; bytes: Buffer } | undefined> {
    const bytes = mime_type && (await this.#blobs.get(`sha256:${hash}`));
    return bytes ? { mime_type, bytes } : undefined;
  }
}

function busy(): Error {
  return fail('image_unavailable', `Other images were being fetched for ${fetch_ms / 1000} s; try again later`, { retry_after: 10 });
}

function notVisible(hash: string): Error {
  return fail('image_not_found', `There is no image ${hash} that you can see`);
}

function hashOf({ url }: Pick<Image, 'url'>): string {
  return url.startsWith(base) ? url.slice(base.length) : '';
}
