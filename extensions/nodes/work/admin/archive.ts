import { createReadStream } from 'node:fs';
import { type FileAnswer, fail as failCore } from '../../../../kernel/contract/index.js';
import { fail } from '../../codes.js';
import { plain, statusOf } from '../../engines/failures.js';
import { workFault } from '../faults.js';
import { PerNodeLimiter } from '../per-node-limiter.js';
import type { Place } from '../place.js';

export const mime_type = 'application/x-tar';
/** It is held in memory until it is sent. */
const max_got = 64 * 1024 * 1024;
export const max_put = 100 * 1024 * 1024;

/** Moves files of containers as tar, with the engine's own power over them: for administrators alone. */
export class Archives {
  readonly #limiter = new PerNodeLimiter({ max: 2, max_waiting: 16, max_wait_ms: 20_000 });

  /** A file or a folder. Fails with `path_not_found`, and `payload_too_large` past 64 MiB. */
  async get(place: Place, path: string, signal: AbortSignal): Promise<FileAnswer> {
    return this.#limiter.run(0, signal, async () => {
      try {
        const stream = (await place.container.getArchive({ path, abortSignal: signal })) as NodeJS.ReadableStream & { destroy(): void };
        return { mime_type, bytes: await collected(stream, path) };
      } catch (fault) {
        throw signal.aborted ? signal.reason : archiveFault(fault, place, path);
      }
    });
  }

  /** Unpacks a tar file into a folder that is there. Fails with `path_not_found`, and `malformed_request` where it is none. */
  async put(place: Place, path: string, { file, signal }: { file: string; signal: AbortSignal }): Promise<void> {
    await this.#limiter.run(0, signal, async () => {
      const source = createReadStream(file);
      try {
        await place.container.putArchive(source, { path, noOverwriteDirNonDir: 'true', abortSignal: signal });
      } catch (fault) {
        throw signal.aborted ? signal.reason : archiveFault(fault, place, path);
      } finally {
        source.destroy();
      }
    });
  }
}

async function collected(stream: NodeJS.ReadableStream & { destroy(): void }, path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > max_got) throw failCore('payload_too_large', `'${path}' is larger than ${max_got} bytes; take it in parts`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    stream.destroy();
  }
}

function archiveFault(fault: unknown, place: Place, path: string): Error {
  const status = statusOf(fault);
  const words = plain(String((fault as Error).message ?? ''));
  if (status === 404 && !/No such container: /i.test(words))
    return fail('path_not_found', `There is no '${path}' in the container of '${place.node.name}'`);
  const unreadable = status === 500 && /tar header|unexpected EOF/i.test(words);
  if (status === 400 || unreadable) return failCore('malformed_request', `The node '${place.node.name}' does not take it: ${words}`);
  return workFault(fault, place);
}
