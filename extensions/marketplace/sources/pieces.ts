import { fail } from './codes.js';
import type { Site } from './site.js';

export interface Reading {
  site: Site;
  /** What is read, as the subject of a sentence. */
  what: string;
  max: number;
  signal: AbortSignal;
}

/** An answer's body piece by piece, counted as it is decoded; what it says of its length is believed only where that is too much. */
export async function* piecesOf(answer: Response, { site, what, max, signal }: Reading): AsyncGenerator<Uint8Array> {
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
    // At its end there is nothing to cancel, and after a fault nobody to tell.
    body?.cancel().catch(() => {});
  }
}

/** How many bytes an answer's body has, as it says; 0 where it doesn't, or where they are packed on the way. */
export function lengthOf({ headers }: Response): number {
  const length = Number(headers.get('content-length') ?? 0);
  return headers.has('content-encoding') || !Number.isSafeInteger(length) ? 0 : length;
}

/** An answer's body as JSON. */
export async function readJson(answer: Response, reading: Reading): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  for await (const piece of piecesOf(answer, reading)) pieces.push(piece);
  return parsed(Buffer.concat(pieces), `${reading.what} of ${reading.site.name}`);
}

/** Bytes as JSON, or `source_invalid`. */
export function parsed(bytes: Buffer, what: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw fail('source_invalid', `${what} is not JSON`, { cause });
  }
}
