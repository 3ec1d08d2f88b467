import type { InlineImage } from '../model/prompt.js';
import { inlineBytes } from './inline-bytes.js';
import { invalid } from './invalid.js';

/** Reads an image that a client sends inline. URLs are not fetched: the client must send the image itself. Fails with `invalid_input`. */
export function readImage(found: unknown, path: string): InlineImage {
  const url = typeof found === 'object' && found !== null ? (found as { url?: unknown }).url : found;
  const image = typeof url === 'string' ? inlineBytes(url) : undefined;
  if (image?.mime_type.startsWith('image/')) return image;
  throw invalid(path, 'expected a data URL of an image in base64 (data:image/png;base64,…)');
}
