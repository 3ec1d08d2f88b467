import type { DocumentOptions, Documents } from '../../contract/documents.js';
import type { Disposable, Log } from '../../contract/extension.js';
import { fail } from '../../contract/failure.js';
import { Limiter } from '../../contract/limiter.js';
import type { Containment } from '../sandbox/walls/containment.js';
import type { Answer } from './answer.js';
import { max_reading, max_waiting } from './limits.js';

export interface DocumentReaderOptions {
  /** Isolates the processes. */
  walls: Containment;
  data_dir: string;
  log: Log;
  /** Limit of reading one document, for tests. Default: 60 s. */
  limit_ms?: number;
}

/** Seconds after which to try again if too many documents wait. */
const retry_after = 10;

/** Reads documents in processes behind walls, two at a time. Loads the code for this with the first document. */
export class DocumentReader implements Documents, Disposable {
  readonly #options: DocumentReaderOptions;
  readonly #limiter = new Limiter(max_reading);
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<Answer>>();

  constructor(options: DocumentReaderOptions) {
    this.#options = options;
  }

  async read(bytes: Uint8Array, { name, mime_type, signal }: DocumentOptions): Promise<Answer> {
    if (this.#limiter.waiting >= max_waiting)
      throw fail('server_busy', `${max_waiting} documents wait to be read: try again in a moment`, { retry_after });
    const ends = signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal]);
    const reading = this.#limiter.run(
      async () => {
        const [{ readBehindWalls }, { hintOf }] = await Promise.all([import('./run.js'), import('./kind.js')]);
        return readBehindWalls(bytes, { ...this.#options, hint: hintOf(name, mime_type), signal: ends });
      },
      { signal: ends },
    );
    this.#running.add(reading);
    try {
      return await reading;
    } finally {
      this.#running.delete(reading);
    }
  }

  /** Ends all processes. Callers that wait for a document get the failure `shutting_down`. */
  async dispose(): Promise<void> {
    this.#stop.abort(fail('shutting_down', 'The platform is shutting down', { retry_after: 1 }));
    await Promise.allSettled(this.#running);
  }
}
