import type { ToolImage } from '../../../kernel/contract/index.js';

/** Images of one result. */
const max_images = 4;
const max_bytes = 8 * 1024 * 1024;

/** First bytes of each type, as Latin-1; those of WebP follow its length. */
const starts: readonly (readonly [mime_type: string, start: string, at: number])[] = [
  ['image/png', '\x89PNG\r\n\x1a\n', 0],
  ['image/jpeg', '\xff\xd8\xff', 0],
  ['image/gif', 'GIF87a', 0],
  ['image/gif', 'GIF89a', 0],
  ['image/webp', 'WEBP', 8],
];

/** The type of an image by its bytes, whatever its tool calls it; undefined for what models do not see, SVG included. */
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
