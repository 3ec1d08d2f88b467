import { type FetchAnswer, type FetchOptions, fail as failCore, isFailure } from '../../../kernel/contract/index.js';
import { fail, invalidInput } from '../codes.js';
import type { ImageInput } from '../contract.js';
import { imageTypeOf, max_pixels } from './type.js';

/** Limit of all images of a message together. */
export const max_bytes = 20 * 1024 * 1024;
/** Time limit of fetching all images of a message. */
export const fetch_ms = 25_000;

/** A read and verified image. */
export interface ReadImage {
  mime_type: string;
  name: string | undefined;
  bytes: Buffer;
}

export type Fetch = (url: string, options: FetchOptions) => Promise<FetchAnswer>;

/** Returns whether an image has to be fetched. */
export function isElsewhere(input: ImageInput): boolean {
  return !/^data:/i.test(typeof input === 'string' ? input : input.url);
}

/**
 * Reads the images of a message from data URLs and https addresses, until the signal aborts. Fails with `invalid_input`,
 * `unsupported_media_type`, `payload_too_large` and `image_unavailable`, naming the place of the image.
 */
export async function readImages(
  inputs: readonly ImageInput[],
  { fetch, signal }: { fetch: Fetch; signal: AbortSignal },
): Promise<ReadImage[]> {
  const images: ReadImage[] = [];
  let left = max_bytes;
  // In sequence, so that no more than the limit is in memory.
  for (const [index, input] of inputs.entries()) {
    const { url, name } = typeof input === 'string' ? { url: input, name: undefined } : input;
    const place = `images.${index}`;
    const bytes = isElsewhere(url) ? await fromWeb(url, { place, left, fetch, signal }) : fromData(url, { place, left });
    left -= bytes.byteLength;
    if (left < 0) throw tooLarge(place);
    images.push({ bytes, name, mime_type: typeOf(bytes, place) });
  }
  return images;
}

function typeOf(bytes: Buffer, place: string): string {
  const type = imageTypeOf(bytes);
  if (!type) throw failCore('unsupported_media_type', `'${place}' is not a PNG, JPEG, GIF or WebP image`);
  const pixels = type.width * type.height;
  if (pixels <= max_pixels) return type.mime_type;
  throw failCore('payload_too_large', `'${place}' has ${type.width} × ${type.height} pixels; the limit is ${max_pixels}`);
}

function fromData(url: string, { place, left }: { place: string; left: number }): Buffer {
  const comma = url.indexOf(',');
  if (comma === -1 || comma > 200 || !/;base64$/i.test(url.slice(0, comma))) throw invalid(place, 'must be a data URL in base64');
  if (((url.length - comma) * 3) / 4 > left + 4) throw tooLarge(place);
  return Buffer.from(url.slice(comma + 1), 'base64');
}

interface Web {
  place: string;
  left: number;
  fetch: Fetch;
  signal: AbortSignal;
}

async function fromWeb(url: string, { place, left, fetch, signal }: Web): Promise<Buffer> {
  if (!/^https:\/\//i.test(url)) throw invalid(place, 'must be a data URL or an https URL');
  try {
    const answer = await fetch(url, { max_bytes: left, timeout_ms: fetch_ms, signal, headers: { accept: 'image/*' } });
    if (answer.status !== 200) throw unavailable(place, `its server answered with status ${answer.status}`);
    if (!/^https:\/\//i.test(answer.url)) throw unavailable(place, 'its server redirects away from https');
    return answer.body;
  } catch (fault) {
    if (!isFailure(fault)) throw signal.aborted ? unavailable(place, `it took longer than ${fetch_ms / 1000} s`) : fault;
    if (fault.code === 'fetch_too_large') throw tooLarge(place);
    if (fault.code.startsWith('fetch_')) throw fault.status === 400 ? invalid(place, fault.message) : unavailable(place, fault.message);
    throw fault;
  }
}

function invalid(place: string, what: string): Error {
  return invalidInput(place, `'${place}' ${what}`);
}

function unavailable(place: string, why: string): Error {
  return fail('image_unavailable', `'${place}' could not be fetched: ${why}`);
}

function tooLarge(place: string): Error {
  return failCore('payload_too_large', `The images of a message exceed the limit of ${max_bytes} bytes with '${place}'`);
}
