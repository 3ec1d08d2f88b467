import { LRUCache } from 'lru-cache';
import { type FileAnswer, fail as failCore, type Thumbnail, type Thumbnails } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';

/** Limit of the bytes of thumbnails in memory. They are stored nowhere, so that none outlives its image. */
const max_bytes = 32 * 1024 * 1024;
/** Bytes that count for an image without a thumbnail. */
const none_bytes = 64;
/** Makes thumbnails of images that members see, and caches those used last. */
export class ImageThumbnails {
  readonly #cache: LRUCache<string, Buffer | 'none', () => Promise<Uint8Array>>;

  /** `wait_ms` limits the wait for a thumbnail and making it. */
  constructor(thumbnails: Thumbnails, { wait_ms = 30_000 } = {}) {
    this.#cache = new LRUCache({
      maxSize: max_bytes,
      sizeCalculation: (bytes) => (bytes === 'none' ? none_bytes : Math.max(bytes.length, 1)),
      // Several callers may wait for one thumbnail, so no caller's signal ends it.
      fetchMethod: async (_hash, _stale, { context: read }) => (await made(thumbnails, await read(), wait_ms))?.bytes ?? 'none',
    });
  }

  /**
   * Returns the thumbnail of an image that the caller may see. `read` returns the image's bytes. Fails with `no_thumbnail`, with `server_busy`
   * if it isn't made within 30 s, and as `read` and {@link Thumbnails.of} do.
   */
  async of(hash: string, read: () => Promise<Uint8Array>): Promise<FileAnswer> {
    const bytes = await this.#cache.forceFetch(hash, { context: read });
    if (bytes === 'none') throw noThumbnail();
    return { mime_type: 'image/webp', bytes, etag: `${hash}-thumbnail` };
  }
}

/** Makes a thumbnail. Fails with `server_busy` if others are made for too long. */
async function made(thumbnails: Thumbnails, bytes: Uint8Array, wait_ms: number): Promise<Thumbnail | undefined> {
  const signal = AbortSignal.timeout(wait_ms);
  try {
    return await thumbnails.of(bytes, { signal });
  } catch (fault) {
    if (fault !== signal.reason) throw fault;
    throw failCore('server_busy', 'Other thumbnails are being made; try again in a moment', { retry_after: 10 });
  }
}

/** Returns the failure for a file without a thumbnail. */
export function noThumbnail(): Error {
  return fail('no_thumbnail', 'There is no thumbnail: this is not an image, or it is damaged or too large. Download it instead');
}
