import type { Blobs } from '../../kernel/contract/index.js';
import { fail } from './codes.js';
import type { ImageRows } from './store/images.js';

/** An image as whoever shows it needs it. */
export interface ImageFile {
  mime_type: string;
  bytes: Buffer;
}

const address = /^\/api\/chat\/images\/([0-9a-f]{64})$/;

/** The images of messages: their bytes by content hash, and which session has which. */
export class Images {
  readonly #rows: ImageRows;
  readonly #blobs: Blobs;

  constructor(rows: ImageRows, blobs: Blobs) {
    this.#rows = rows;
    this.#blobs = blobs;
  }

  /** Fails with `image_not_found` where the session doesn't have it. */
  async ofSession(url: string, session_id: string): Promise<ImageFile> {
    const hash = address.exec(url)?.[1] ?? '';
    const mime_type = await this.#rows.typeOf(hash, session_id);
    const bytes = mime_type && (await this.#blobs.get(`sha256:${hash}`));
    if (!bytes) throw fail('image_not_found', `There is no image '${url.slice(0, 100)}' in session ${session_id}`);
    return { mime_type, bytes };
  }
}
