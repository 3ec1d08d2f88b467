import { extname } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Documents, DocumentTexts, StoredDocument, TextReading, TextsOptions } from '../../contract/documents.js';
import { fail } from '../../contract/failure.js';
import { KeyedLimiter, Limiter } from '../../contract/limiter.js';
import { untilAborted } from '../../contract/within.js';
import type { Answer } from './answer.js';
import { max_reading } from './limits.js';

/** A document, the key of its text, and how much of it is wanted. */
interface Wanted extends StoredDocument, Pick<TextReading, 'max_characters'> {
  key: string;
}

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

  async of(document: StoredDocument, { signal, member_id, max_characters }: TextReading): Promise<Answer> {
    const wanted = { ...document, key: keyOf(document), max_characters };
    const cached = this.#cache.get(wanted.key);
    if (cached) return cached;
    if (member_id === undefined) return this.#shared(wanted, signal);
    if (this.#turns.waiting(member_id) >= this.#max_waiting)
      throw fail('server_busy', `${this.#max_waiting} documents of yours wait to be read: try again in a moment`, { retry_after });
    return this.#turns.run(member_id, () => this.#shared(wanted, signal), { signal });
  }

  /** Joins the reading of a text, or begins it. It ends early if all callers leave. */
  async #shared(wanted: Wanted, signal: AbortSignal): Promise<Answer> {
    const cached = this.#cache.get(wanted.key);
    if (cached) return cached;
    const name = wanted.max_characters === undefined ? wanted.key : `${wanted.key} ${wanted.max_characters}`;
    const reading = this.#running.get(name) ?? this.#begin(name, wanted);
    reading.callers += 1;
    try {
      return await untilAborted(reading.text, signal);
    } finally {
      reading.callers -= 1;
      if (reading.callers === 0) {
        this.#forget(name, reading);
        reading.abort.abort(signal.reason);
      }
    }
  }

  #begin(name: string, wanted: Wanted): Reading {
    const abort = new AbortController();
    const reading = { text: this.#read(wanted, abort.signal), abort, callers: 0 };
    this.#running.set(name, reading);
    const end = () => this.#forget(name, reading);
    reading.text.then((text) => {
      if (isFinal(text, wanted)) this.#cache.set(wanted.key, text);
      end();
    }, end);
    return reading;
  }

  async #read({ name, mime_type, max_characters, bytes }: Wanted, signal: AbortSignal): Promise<Answer> {
    const options = { name, mime_type, max_characters, signal };
    return this.#limiter.run(async () => this.#documents.read(await bytes(), options), { signal });
  }

  /** Keeps a new caller from joining a reading that has ended. */
  #forget(name: string, reading: Reading): void {
    if (this.#running.get(name) === reading) this.#running.delete(name);
  }
}

/** Returns whether another reading without a limit would give the same. */
function isFinal(text: Answer, { max_characters }: Wanted): boolean {
  return 'reason' in text ? text.is_late !== true : !text.is_cut || max_characters === undefined;
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
