import { fail } from '../../../kernel/contract/index.js';
import type { SentImage } from '../model/prompt.js';

const dataUrl = /^data:(image\/[\w.+-]{1,60});base64,([A-Za-z0-9+/]*={0,2})$/;

/** An image that came with the request. Addresses are not followed: whoever has the picture sends it. */
export function readImage(found: unknown, path: string): SentImage {
  const url = typeof found === 'object' && found !== null ? (found as { url?: unknown }).url : undefined;
  const [, mime_type, data] = (typeof url === 'string' && dataUrl.exec(url)) || [];
  if (mime_type === undefined || data === undefined) {
    const message = 'expected a data URL of an image in base64 (data:image/png;base64,…)';
    throw fail('invalid_input', `${path}: ${message}`, { details: [{ path, message }] });
  }
  return { mime_type, bytes: Buffer.from(data, 'base64') };
}
