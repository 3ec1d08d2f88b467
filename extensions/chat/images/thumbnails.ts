import { LRUCache } from 'lru-cache';
import type { FileAnswer, Thumbnails } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';

/** Limit of the bytes of thumbnails in memory. They are stored nowhere, so that none outlives its image. */
const max_bytes = 32 * 1024 * 1024;
/** Bytes that count for an image without a thumbnail. */
const none_bytes = 64;
const wait_ms = 30_000;

/** Makes thumbnails of images that members see, and remembers those used last. */
export class ImageThumbnails {
  readonly #known: LRUCache<string, Buffer | 'none', () => Promise<Uint8Array>>;

  constructor(thumbnails: Thumbnails) {
    this.#known = new LRUCache({
      maxSize: max_bytes,
      sizeCalculation: (bytes) => (bytes === 'none' ? none_bytes : Math.max(bytes.length, 1)),
      // Others may wait for the same thumbnail, so none of them ends it.
      fetchMethod: async (_hash, _stale, { context: read }) => {
        const thumbnail = await thumbnails.of(await read(), { signal: AbortSignal.timeout(wait_ms) });
        return thumbnail?.bytes ?? 'none';
      },
    });
  }

  /** Returns the thumbnail of an image that the caller may see. `read` returns its bytes. Fails with `no_thumbnail`, and as the kernel does. */
  async of(hash: string, read: () => Promise<Uint8Array>): Promise<FileAnswer> {
    const bytes = await this.#known.forceFetch(hash, { context: read });
    if (bytes === 'none') throw noThumbnail();
    return { mime_type: 'image/webp', bytes, etag: `${hash}-thumbnail` };
  }
}

export function noThumbnail(): Error {
  return fail('no_thumbnail', 'This is no image of which there is a thumbnail: it is of another kind, damaged or too large');
}
