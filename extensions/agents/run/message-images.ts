import type { Image, MessageFile, Run } from '../../chat/contract.js';
import { max_image_bytes } from '../model/image-budget.js';
import type { StoredImage } from '../model/prompt.js';

/** Types of images that models see. chat gives a file such a type only for its bytes, never for its name. */
const types: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Returns whether a model can see a file as an image. */
export function isImage({ mime_type, bytes }: Pick<MessageFile, 'mime_type' | 'bytes'>): boolean {
  return types.has(mime_type) && bytes <= max_image_bytes;
}

/** Images of a message, and its files that are images. */
interface Images {
  images: readonly Image[];
  files: readonly MessageFile[];
}

/** Returns at most `limit` images, without their bytes: a run may wait for a person for a day. */
export function imagesOf(run: Run, { images, files }: Images, limit: number): StoredImage[] {
  const stored = [
    ...images.map((image) => ({ mime_type: image.mime_type, read: () => bytesOf(run.image(image)) })),
    ...files.map((file) => ({ mime_type: file.mime_type, read: () => bytesOf(run.file(file)) })),
  ];
  return stored.slice(0, limit);
}

/** Returns undefined if the image is gone or can't be read now. */
async function bytesOf(found: Promise<{ bytes: Buffer }>): Promise<Buffer | undefined> {
  return (await found.catch(() => undefined))?.bytes;
}
