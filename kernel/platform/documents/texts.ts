import { extname } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Documents, DocumentTexts, StoredDocument, TextReading, TextsOptions } from '../../contract/documents.js';
import { fail } from '../../contract/failure.js';
import { KeyedLimiter, Limiter } from '../../contract/limiter.js';
import { untilAborted } from '../../contract/within.js';
import type { Answer } from './answer.js';
import { max_reading } from './limits.js';

/** A reading, which several callers may share. */
interface Reading {
  text: Promise<Answer>;
  abort: AbortController;
  callers: number;
}

/** Limit of the cached texts, in UTF-16 units. */
const max_cached = 10_000_000;
/** Units that each page and heading counts besides its text. */
const overhead = 64;
/** Seconds after which to try again if too many documents of a member wait. */
const retry_after = 10;

/** Reads texts of documents and caches them, in memory only. */
export class CachedTexts implements DocumentTexts {
  readonly #documents: Pick<Documents, 'read'>;
  readonly #max_waiting: number;
  readonly #cache = new LRUCache<string, Answer>({ maxSize: max_cached, sizeCalculation: sizeOf });
  readonly #running = new Map<string, Reading>();
  readonly #limiter = new Limiter(max_reading);
  readonly #turns = new KeyedLimiter<number>(1);

  constructor(documents: Pick<Documents, 'read'>, { max_waiting = Number.POSITIVE_INFINITY }: TextsOptions = {}) {
    this.#documents = documents;
    this.#max_waiting = max_waiting;
  }

  async of(document: StoredDocument, { signal, member_id }: TextReading): Promise<Answer> {
    const cached = this.#cache.get(keyOf(document));
    if (cached) return cached;
    if (member_id === undefined) return this.#shared(document, signal);
    if (this.#turns.waiting(member_id) >= this.#max_waiting)
      throw fail('server_busy', `${this.#max_waiting} documents of yours wait to be read: try again in a moment`, { retry_after });
    return this.#turns.run(member_id, () => this.#shared(document, signal), { signal });
  }

  /** Joins the reading of a text, or begins it. It ends early if all callers leave. */
  async #shared(document: StoredDocument, signal: AbortSignal): Promise<Answer> {
    const key = keyOf(document);
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const reading = this.#running.get(key) ?? this.#begin(key, document);
    reading.callers += 1;
    try {
      return await untilAborted(reading.text, signal);
    } finally {
      reading.callers -= 1;
      if (reading.callers === 0) {
        this.#forget(key, reading);
        reading.abort.abort(signal.reason);
      }
    }
  }

  #begin(key: string, document: StoredDocument): Reading {
    const abort = new AbortController();
    const reading = { text: this.#read(document, abort.signal), abort, callers: 0 };
    this.#running.set(key, reading);
    const end = () => this.#forget(key, reading);
    reading.text.then((text) => {
      if (!('is_late' in text)) this.#cache.set(key, text);
      end();
    }, end);
    return reading;
  }

  async #read({ name, mime_type, bytes }: StoredDocument, signal: AbortSignal): Promise<Answer> {
    return this.#limiter.run(async () => this.#documents.read(await bytes(), { name, mime_type, signal }), { signal });
  }

  /** Keeps a new caller from joining a reading that has ended. */
  #forget(key: string, reading: Reading): void {
    if (this.#running.get(key) === reading) this.#running.delete(key);
  }
}

/** Returns the bytes' hash with the type and the name's ending, which distinguish Markdown and HTML from plain text. */
function keyOf({ hash, name, mime_type }: StoredDocument): string {
  return `${hash} ${mime_type} ${extname(name).toLowerCase()}`;
}

function sizeOf(text: Answer): number {
  if ('reason' in text) return overhead;
  const pages = text.pages.reduce((sum, page) => sum + page.length + overhead, 0);
  return text.outline.reduce((sum, { title }) => sum + title.length + overhead, pages + overhead);
}
