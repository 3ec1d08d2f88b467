import { Limiter, type Release } from '../../../kernel/contract/index.js';
import type { ModelRequest, PromptImage } from './prompt.js';

/** Data URLs of images. */
export type ImageUrls = ReadonlyMap<PromptImage, string>;

/** Limit of all images of one request, in bytes: earlier ones are left out. */
export const max_image_bytes = 20 * 1024 * 1024;
/** Limit of the images of all requests in flight. A request briefly holds several copies of its images. */
const max_total_bytes = 128 * 1024 * 1024;

/** Limits the memory of images: they are loaded only while their request is sent, within a budget shared by all requests. */
export class ImageBudget {
  readonly #limiter: Limiter;

  constructor(limiter = new Limiter(max_total_bytes)) {
    this.#limiter = limiter;
  }

  /** Sends a request with the available images that fit, the latest first. Fails with the signal's reason if that aborts before. */
  async withImages<T>({ prompts, signal }: ModelRequest, send: (urls: ImageUrls) => Promise<T>): Promise<T> {
    const limited = async (release: Release) => {
      const { urls, bytes } = await read(prompts.toReversed().flatMap(({ images = [] }) => images));
      release(bytes);
      return send(urls);
    };
    return this.#limiter.run(limited, { amount: max_image_bytes, signal });
  }
}

async function read(images: readonly PromptImage[]): Promise<{ urls: ImageUrls; bytes: number }> {
  const urls = new Map<PromptImage, string>();
  let bytes = 0;
  for (const image of images) {
    const found = 'bytes' in image ? image.bytes : await image.read();
    if (!found || bytes + found.length > max_image_bytes) continue;
    bytes += found.length;
    urls.set(image, dataUrl(image.mime_type, found));
  }
  return { urls, bytes };
}

function dataUrl(mime_type: string, { buffer, byteOffset, byteLength }: Uint8Array): string {
  return `data:${mime_type};base64,${Buffer.from(buffer, byteOffset, byteLength).toString('base64')}`;
}
