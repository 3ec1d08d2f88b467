/** A small picture of an image, for lists. */
export interface Thumbnail {
  /** WebP without metadata, upright. */
  bytes: Buffer;
  mime_type: 'image/webp';
}

/**
 * Makes thumbnails of PNG, JPEG, GIF, WebP and AVIF images. Each image is decoded in a process of its own behind the walls that plugins have,
 * within 20 s, because images are hostile input.
 */
export interface Thumbnails {
  /**
   * Returns a thumbnail of at most 512 × 512 pixels, of an animation its first picture; undefined if the bytes are no such image, are damaged,
   * have more than 50,000,000 pixels, or need more time or memory. Makes two at a time. Fails with `thumbnails_not_contained` if this machine
   * lacks the walls, with `server_busy` if 64 images wait, with `thumbnail_failed` if the process could not start, with `shutting_down` if the
   * platform stops, and with the signal's reason.
   */
  of(bytes: Uint8Array, options?: { signal?: AbortSignal | undefined }): Promise<Thumbnail | undefined>;
}
