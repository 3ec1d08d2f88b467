import { fail } from '../../../kernel/contract/index.js';
import type { SentImage } from '../model/prompt.js';

/** The head of a data URL (RFC 2397), with parameters such as a name. */
const head = /^\s*data:(image\/[\w.+-]{1,60})(?:;[^;,]{1,200}){0,4};base64,/i;
/** Base64 of either alphabet (RFC 4648, 4 and 5). */
const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Reads an image that came with the request. Addresses are not followed: the client sends the image itself. */
export function readImage(found: unknown, path: string): SentImage {
  const url = typeof found === 'object' && found !== null ? (found as { url?: unknown }).url : found;
  const [start, mime_type] = (typeof url === 'string' && head.exec(url)) || [];
  const data = start === undefined ? '' : bare((url as string).slice(start.length));
  if (mime_type !== undefined && base64.test(data)) return { mime_type: mime_type.toLowerCase(), bytes: Buffer.from(data, 'base64') };
  const message = 'expected a data URL of an image in base64 (data:image/png;base64,…)';
  throw fail('invalid_input', `${path}: ${message}`, { details: [{ path, message }] });
}

/** Without line breaks, as MIME encoders add them, and percent-encoding, as URL libraries add it. */
function bare(data: string): string {
  const decoded = data.replace(/%(2B|2F|3D|0D|0A|20)/gi, (code) => decodeURIComponent(code));
  return decoded.replace(/\s+/g, '');
}
