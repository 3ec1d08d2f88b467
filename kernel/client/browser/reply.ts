import { isFailure } from '../../contract/failure.js';
import { type AnswerHead, answerOf, describeFile, failureOf } from '../answer-text.js';
import { failClient, type Server } from '../client-failure.js';
import type { Watchdog } from './watchdog.js';

/** Answer of an operation of the kind `file`. */
export interface BrowserFile {
  mime_type: string;
  blob: Blob;
  etag?: string;
  /** Name under which to save it. */
  save_as?: string;
}

/** Response of a server whose body may still be on its way. */
export class Reply {
  readonly head: AnswerHead;
  readonly #response: Response;
  readonly #watchdog: Watchdog;
  readonly #server: Server;

  constructor(response: Response, { watchdog, server }: { watchdog: Watchdog; server: Server }) {
    this.#response = response;
    this.#watchdog = watchdog;
    this.#server = server;
    this.head = { status: response.status, header: (name) => response.headers.get(name) ?? undefined };
  }

  /** Reads the JSON; undefined if it is empty. Throws the failure that it reports. */
  async json(): Promise<unknown> {
    return answerOf(await (await this.#blob()).text(), this.head, this.#server.name);
  }

  async file(): Promise<BrowserFile> {
    const blob = await this.#blob();
    if (this.head.status !== 200) throw failureOf(await blob.text(), this.head, this.#server.name);
    return { ...describeFile(this.head), blob };
  }

  /** Yields the body as it arrives. Not an iteration of the stream itself, because Safari has none. */
  async *chunks(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const reader = this.#response.body?.getReader();
    try {
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
        if (done) return;
        this.#watchdog.fed();
        yield value as Uint8Array<ArrayBuffer>;
      }
    } catch (error) {
      throw lostBy(error, this.#watchdog, this.#server);
    } finally {
      this.close();
    }
  }

  /** Ends the request. */
  close(): void {
    this.#watchdog.end();
  }

  async #blob(): Promise<Blob> {
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    for await (const chunk of this.chunks()) chunks.push(chunk);
    return new Blob(chunks, { type: this.head.header('content-type') ?? '' });
  }
}

/** Returns why a request broke: the caller's reason, silence, or a lost connection. */
export function lostBy(error: unknown, { signal }: Watchdog, server: Server): unknown {
  if (signal.aborted) return signal.reason;
  return isFailure(error) ? error : server.lost(error);
}

/** Returns a server at an address, as failures name it. Browsers don't say why a connection broke. */
export function serverAt(name: string): Server {
  return { name, lost: (cause) => failClient('unreachable', `${name} can't be reached: the connection failed`, { cause }) };
}
