import { fail } from './codes.js';
import type { Site } from './site.js';

export interface ReadOptions {
  site: Site;
  /** Subject of error messages. */
  what: string;
  max: number;
  signal: AbortSignal;
}

/** Yields an answer's body and counts decoded bytes; its declared length only matters if it exceeds the limit. */
export async function* chunksOf(answer: Response, { site, what, max, signal }: ReadOptions): AsyncGenerator<Uint8Array> {
  const tooLarge = () => fail('source_too_large', `${what} of ${site.name} has more than ${max} bytes`);
  const body = answer.body?.getReader();
  try {
    if (Number(answer.headers.get('content-length')) > max) throw tooLarge();
    let bytes = 0;
    for (let step = await body?.read(); step && !step.done; step = await body?.read()) {
      bytes += step.value.byteLength;
      if (bytes > max) throw tooLarge();
      yield step.value;
    }
  } catch (fault) {
    throw site.failure(fault, signal);
  } finally {
    // At the end there is nothing to cancel; after a fault nobody needs to know.
    body?.cancel().catch(() => {});
  }
}

/** Returns the declared length of an answer's body; 0 if it is missing or the body is compressed. */
export function lengthOf({ headers }: Response): number {
  const length = Number(headers.get('content-length') ?? 0);
  return headers.has('content-encoding') || !Number.isSafeInteger(length) ? 0 : length;
}

/** Reads an answer's body as JSON. */
export async function readJson(answer: Response, options: ReadOptions): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  for await (const piece of chunksOf(answer, options)) pieces.push(piece);
  return parsed(Buffer.concat(pieces), `${options.what} of ${options.site.name}`);
}

/** Parses bytes as JSON. Fails with `source_invalid`. */
export function parsed(bytes: Buffer, what: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw fail('source_invalid', `${what} is not JSON`, { cause });
  }
}
