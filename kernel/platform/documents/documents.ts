import type { DocumentOptions, Documents, DocumentTexts, TextsOptions } from '../../contract/documents.js';
import type { Disposable, Log } from '../../contract/extension.js';
import { FileProgramQueue } from '../sandbox/file-program-queue.js';
import type { Containment } from '../sandbox/walls/containment.js';
import type { Answer } from './answer.js';
import { max_reading, max_waiting, max_characters as most } from './limits.js';
import { CachedTexts } from './texts.js';

export interface DocumentReaderOptions {
  /** Isolates the processes. */
  walls: Containment;
  data_dir: string;
  log: Log;
  /** Limit of reading one document, for tests. Default: 60 s. */
  limit_ms?: number;
}

/** Reads documents in processes behind walls, two at a time. Loads the code for this with the first document. */
export class DocumentReader implements Documents, Disposable {
  readonly #options: DocumentReaderOptions;
  readonly #queue = new FileProgramQueue({ max_at_once: max_reading, max_waiting, waiting: 'documents wait to be read' });

  constructor(options: DocumentReaderOptions) {
    this.#options = options;
  }

  async read(bytes: Uint8Array, { name, mime_type, signal, max_characters = most }: DocumentOptions): Promise<Answer> {
    const limits = { max_characters: Math.min(max_characters, most) };
    return this.#queue.run(async (ends) => {
      const [{ readBehindWalls }, { hintOf }] = await Promise.all([import('./run.js'), import('./kind.js')]);
      return readBehindWalls(bytes, { ...this.#options, ...limits, hint: hintOf(name, mime_type), signal: ends });
    }, signal);
  }

  texts(options?: TextsOptions): DocumentTexts {
    return new CachedTexts(this, options);
  }

  /** Ends all processes. Callers that wait for a document get the failure `shutting_down`. */
  dispose(): Promise<void> {
    return this.#queue.dispose();
  }
}
