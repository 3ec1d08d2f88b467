import type { ToolImage } from '../../../kernel/contract/index.js';

/** Limit of images in one result. */
const max_images = 4;
const max_bytes = 8 * 1024 * 1024;

/** Signatures of image types, as Latin-1; WebP's follows its length. */
const starts: readonly (readonly [mime_type: string, start: string, at: number])[] = [
  ['image/png', '\x89PNG\r\n\x1a\n', 0],
  ['image/jpeg', '\xff\xd8\xff', 0],
  ['image/gif', 'GIF87a', 0],
  ['image/gif', 'GIF89a', 0],
  ['image/webp', 'WEBP', 8],
];

/** Detects the type of an image from its bytes, ignoring the tool's label; undefined for types models can't see, including SVG. */
export function imageType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  return starts.find(([, start, at]) => head.startsWith(start, at))?.[0];
}

/** Returns the images of a result that models can see, within the limits. */
export function boundedImages(images: unknown): ToolImage[] {
  let left = max_bytes;
  const found = Array.isArray(images) ? (images as Partial<ToolImage>[]).slice(0, max_images) : [];
  return found.flatMap(({ bytes }) => {
    const mime_type = bytes instanceof Uint8Array && bytes.length <= left ? imageType(bytes) : undefined;
    if (mime_type === undefined) return [];
    left -= (bytes as Uint8Array).length;
    return { mime_type, bytes: bytes as Uint8Array };
  });
}
