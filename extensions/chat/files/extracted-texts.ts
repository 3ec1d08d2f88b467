import { extname } from 'node:path';
import { LRUCache } from 'lru-cache';
import {
  type Documents,
  type DocumentText,
  KeyedLimiter,
  Limiter,
  type UnreadableDocument,
  untilAborted,
} from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { FileRow } from '../models.js';

/** The text of a file, or the reason why it has none. */
export type FileText = DocumentText | UnreadableDocument;

/** The fields of a file on which its text depends. */
export type StoredFile = Pick<FileRow, 'name' | 'mime_type' | 'bytes' | 'hash'>;

interface ExtractedTextsParts {
  documents: Documents;
  /** Returns the bytes of a file; undefined if they are gone. */
  bytesOf: (file: StoredFile) => Promise<Uint8Array | undefined>;
}

/** An extraction, which several callers may share. */
interface Extraction {
  text: Promise<FileText>;
  abort: AbortController;
  callers: number;
}

/** Limit of the cached texts, in UTF-16 units. */
const max_cached = 10_000_000;
/** Units that each page and heading counts besides its text. */
const overhead = 64;
/** Limit of the files whose bytes are in memory: as many as the platform reads at once. */
const max_at_once = 2;

/**
 * Extracts the text of files. Caches it by the file's hash, only in memory. Callers check the rights before each call, because equal bytes
 * may belong to several members.
 */
export class ExtractedTexts {
  readonly #parts: ExtractedTextsParts;
  readonly #cache = new LRUCache<string, FileText>({ maxSize: max_cached, sizeCalculation: sizeOf });
  readonly #running = new Map<string, Extraction>();
  readonly #limiter = new Limiter(max_at_once);
  /** Each member waits for one text at a time. Otherwise a member with slow documents would keep all others waiting. */
  readonly #turns = new KeyedLimiter<number>(1);

  constructor(parts: ExtractedTextsParts) {
    this.#parts = parts;
  }

  /**
   * Returns a file's text. Callers who want the same text at once share one extraction, which ends early if all of them leave. Fails with
   * `file_not_found` if the bytes are gone, with the signal's reason, and as {@link Documents.read} does. Calls for one member take turns.
   */
  async of(file: StoredFile, signal: AbortSignal, member_id?: number): Promise<FileText> {
    const cached = this.#cache.get(keyOf(file));
    if (cached) return cached;
    if (member_id === undefined) return this.#shared(file, signal);
    return this.#turns.run(member_id, () => this.#shared(file, signal), { signal });
  }

  async #shared(file: StoredFile, signal: AbortSignal): Promise<FileText> {
    const key = keyOf(file);
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const extraction = this.#running.get(key) ?? this.#begin(key, file);
    extraction.callers += 1;
    try {
      return await untilAborted(extraction.text, signal);
    } finally {
      extraction.callers -= 1;
      if (extraction.callers === 0) {
        this.#forget(key, extraction);
        extraction.abort.abort(signal.reason);
      }
    }
  }

  #begin(key: string, file: StoredFile): Extraction {
    const abort = new AbortController();
    const extraction = { text: this.#extract(file, abort.signal), abort, callers: 0 };
    this.#running.set(key, extraction);
    const end = () => this.#forget(key, extraction);
    extraction.text.then((text) => {
      if (!('is_late' in text)) this.#cache.set(key, text);
      end();
    }, end);
    return extraction;
  }

  async #extract(file: StoredFile, signal: AbortSignal): Promise<FileText> {
    const { documents, bytesOf } = this.#parts;
    return this.#limiter.run(
      async () => {
        const bytes = await bytesOf(file);
        if (!bytes) throw fail('file_not_found', `The file ${JSON.stringify(file.name)} was removed`);
        return documents.read(bytes, { name: file.name, mime_type: file.mime_type, signal });
      },
      { signal },
    );
  }

  /** Keeps a new caller from joining an extraction that has ended. */
  #forget(key: string, extraction: Extraction): void {
    if (this.#running.get(key) === extraction) this.#running.delete(key);
  }
}

/** Returns the bytes' hash with the type and the name's ending, which distinguish Markdown and HTML from plain text. */
function keyOf({ hash, name, mime_type }: StoredFile): string {
  return `${hash} ${mime_type} ${extname(name).toLowerCase()}`;
}

function sizeOf(text: FileText): number {
  if ('reason' in text) return overhead;
  const pages = text.pages.reduce((sum, page) => sum + page.length + overhead, 0);
  return text.outline.reduce((sum, { title }) => sum + title.length + overhead, pages + overhead);
}
