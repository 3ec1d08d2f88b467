import { createReadStream } from 'node:fs';
import { type FileAnswer, fail as failCore } from '../../../../kernel/contract/index.js';
import { fail } from '../../codes.js';
import { singleLine, statusOf } from '../../engines/failures.js';
import { workFault } from '../faults.js';
import type { NodeContainer } from '../node-container.js';
import { PerNodeLimiter } from '../per-node-limiter.js';

export const mime_type = 'application/x-tar';
/** Limit of a download, which is held in memory until it is sent. */
const max_download = 64 * 1024 * 1024;
export const max_upload = 100 * 1024 * 1024;

/** Transfers files of containers as tar with the engine's own permissions: for administrators only. */
export class Archives {
  readonly #limiter = new PerNodeLimiter({ max: 2, max_waiting: 16, max_wait_ms: 20_000 });

  /** Reads a file or folder. Fails with `path_not_found`, or `payload_too_large` beyond 64 MiB. */
  async get(place: NodeContainer, path: string, signal: AbortSignal): Promise<FileAnswer> {
    return this.#limiter.run(0, signal, async () => {
      try {
        const stream = (await place.container.getArchive({ path, abortSignal: signal })) as NodeJS.ReadableStream & { destroy(): void };
        return { mime_type, bytes: await readAll(stream, path) };
      } catch (fault) {
        throw signal.aborted ? signal.reason : archiveFault(fault, place, path);
      }
    });
  }

  /** Unpacks a tar file into an existing folder. Fails with `path_not_found`, or `malformed_request` if it is not a tar file. */
  async put(place: NodeContainer, path: string, { file, signal }: { file: string; signal: AbortSignal }): Promise<void> {
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

async function readAll(stream: NodeJS.ReadableStream & { destroy(): void }, path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > max_download) throw failCore('payload_too_large', `'${path}' is larger than ${max_download} bytes; download it in parts`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    stream.destroy();
  }
}

function archiveFault(fault: unknown, place: NodeContainer, path: string): Error {
  const status = statusOf(fault);
  const words = singleLine(String((fault as Error).message ?? ''));
  if (status === 404 && !/No such container: /i.test(words))
    return fail('path_not_found', `There is no '${path}' in the container of '${place.node.name}'`);
  const unreadable = status === 500 && /tar header|unexpected EOF/i.test(words);
  if (status === 400 || unreadable) return failCore('malformed_request', `The node '${place.node.name}' rejected the file: ${words}`);
  return workFault(fault, place);
}
