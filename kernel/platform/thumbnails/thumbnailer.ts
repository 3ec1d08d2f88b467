import { fileURLToPath } from 'node:url';
import type { Disposable, Log } from '../../contract/extension.js';
import { failures } from '../../contract/failure.js';
import type { Thumbnail, Thumbnails } from '../../contract/thumbnails.js';
import { type FileProgram, howEnded, runOnFile } from '../sandbox/file-program.js';
import { FileProgramQueue } from '../sandbox/file-program-queue.js';
import { locatePackage } from '../sandbox/packages.js';
import type { Containment } from '../sandbox/walls/containment.js';
import { answer_bytes, beside_heap_mb, limit_ms, max_at_once, max_waiting, memory_mb } from './limits.js';

const fail = failures({ thumbnails_not_contained: 409, thumbnail_failed: 500 });

/** Name of the program for accounts and trust. */
const program_name = 'kernel.thumbnails';

export interface ThumbnailerOptions {
  /** Isolates the processes. */
  walls: Containment;
  data_dir: string;
  log: Log;
}

/** Makes thumbnails in processes behind walls, two at a time. */
export class Thumbnailer implements Thumbnails, Disposable {
  readonly #options: ThumbnailerOptions;
  readonly #queue = new FileProgramQueue({ max_at_once, max_waiting, waiting: 'images wait for their thumbnails' });

  constructor(options: ThumbnailerOptions) {
    this.#options = options;
  }

  of(bytes: Uint8Array, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<Thumbnail | undefined> {
    return this.#queue.run((ends) => this.#make(bytes, ends), signal);
  }

  async #make(bytes: Uint8Array, signal: AbortSignal): Promise<Thumbnail | undefined> {
    const { walls, data_dir, log } = this.#options;
    const pieces: Buffer[] = [];
    let length = 0;
    const take = (piece: Buffer) => {
      pieces.push(piece);
      length += piece.length;
      return length <= answer_bytes;
    };
    const stderr = (line: string) => log.debug('A process that makes a thumbnail wrote a line', { line });
    const end = await runOnFile(programOf(), bytes, { walls, data_dir, take, stderr, signal, limit_ms });
    // Its first byte says that it has started.
    const [started, picture] = [length > 0, Buffer.concat(pieces).subarray(1)];
    if (end.code === 0 && started) return isWebp(picture) ? { bytes: picture, mime_type: 'image/webp' } : undefined;
    if (started || end.is_late || end.out_of_memory) return undefined;
    throw fail(
      'thumbnail_failed',
      `The process that makes thumbnails ended ${howEnded(end)} before it had begun: see the log at the level debug`,
    );
  }

  /** Ends all processes. Callers that wait for a thumbnail get the failure `shutting_down`. */
  dispose(): Promise<void> {
    return this.#queue.dispose();
  }
}

/** Checks the answer of a process, which a hostile image may have taken over. */
function isWebp(bytes: Buffer): boolean {
  return (
    bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP' && bytes.readUInt32LE(4) === bytes.length - 8
  );
}

function programOf(): FileProgram {
  return {
    name: program_name,
    main: fileURLToPath(new URL('./child.js', import.meta.url)),
    readable: [
      ...new Set([
        ...locatePackage('sharp', import.meta.url).folders,
        ...locatePackage('@img/sharp-wasm32', import.meta.url, '/sharp.node').folders,
      ]),
    ],
    preload: fileURLToPath(new URL('./preload.js', import.meta.url)),
    memory_mb,
    beside_heap_mb,
    refusal: (missing) =>
      fail(
        'thumbnails_not_contained',
        `Thumbnails can't be made because walls around the process that makes them do not hold here: ${missing}. ` +
          `See platform doctor, or take the risk with PLATFORM_PLUGINS_TRUSTED=${program_name}`,
      ),
  };
}
