import { Limiter, type Release } from '../../../kernel/contract/index.js';
import type { Ask, PromptImage } from './prompt.js';

/** The data URLs of images. */
export type ImageUrls = ReadonlyMap<PromptImage, string>;

/** Of all images of one request, in bytes: earlier ones are left out. */
const max_bytes = 20 * 1024 * 1024;
/** Of all requests that are being sent. As a request is made there are some copies of them. */
const max_together_bytes = 128 * 1024 * 1024;

/** What models are shown: images are in memory only while a request with them is sent, and those of all requests are bounded. */
export class Sight {
  readonly #limiter: Limiter;

  constructor(limiter = new Limiter(max_together_bytes)) {
    this.#limiter = limiter;
  }

  /** Sends a request with the images that are there and fit, the latest first. Fails with the signal's reason where that aborts before. */
  async during<T>({ prompts, signal }: Ask, send: (urls: ImageUrls) => Promise<T>): Promise<T> {
    const limited = async (release: Release) => {
      const { urls, bytes } = await read(prompts.toReversed().flatMap(({ images = [] }) => images));
      release(bytes);
      return send(urls);
    };
    return this.#limiter.run(limited, { amount: max_bytes, signal });
  }
}

async function read(images: readonly PromptImage[]): Promise<{ urls: ImageUrls; bytes: number }> {
  const urls = new Map<PromptImage, string>();
  let bytes = 0;
  for (const image of images) {
    const found = 'bytes' in image ? image.bytes : await image.read();
    if (!found || bytes + found.length > max_bytes) continue;
    bytes += found.length;
    urls.set(image, dataUrl(image.mime_type, found));
  }
  return { urls, bytes };
}

function dataUrl(mime_type: string, { buffer, byteOffset, byteLength }: Uint8Array): string {
  return `data:${mime_type};base64,${Buffer.from(buffer, byteOffset, byteLength).toString('base64')}`;
}
