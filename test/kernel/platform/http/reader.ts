import joi from 'joi';
import { endEvents } from '../../../../kernel/platform/http/stream-events.js';
import { assertDeclared } from '../../../helpers/declared.js';

const ends = endEvents(joi);

/** One event as a client reads it. */
export interface SeenEvent {
  id?: string;
  event: string;
  data: Record<string, unknown>;
}

/** Reads an event stream as it comes. */
export class Reader {
  readonly events: SeenEvent[] = [];
  readonly retries: number[] = [];
  /** The cursor that came with a `retry`, before any event. */
  from: string | undefined;
  comments = 0;
  /** How often bytes came. */
  reads = 0;
  /** How it ended: `end`, or the name of the fault. */
  ended: string | undefined;
  readonly finished: Promise<void>;
  readonly #abort = new AbortController();

  private constructor(readonly response: Response) {
    this.finished = this.#read();
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<Reader> {
    const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers } });
    return new Reader(response);
  }

  leave(): void {
    this.#abort.abort();
  }

  async #read(): Promise<void> {
    const body = this.response.body!.getReader();
    this.#abort.signal.addEventListener('abort', () => void body.cancel().catch(() => {}));
    const decoder = new TextDecoder();
    let text = '';
    try {
      for (;;) {
        const { done, value } = await body.read();
        if (done) break;
        this.reads++;
        text += decoder.decode(value, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) this.#take(block);
      }
      this.ended = 'end';
    } catch (fault) {
      this.ended = (fault as Error).name;
    }
  }

  #take(block: string): void {
    const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const));
    const retry = fields.get('retry');
    if (retry !== undefined) {
      this.retries.push(Number(retry));
      this.from ??= fields.get('id');
    } else if (fields.has('')) this.comments++;
    else {
      const id = fields.get('id');
      const data = JSON.parse(fields.get('data') ?? '{}') as Record<string, unknown>;
      const { type, ...rest } = data;
      // Events that the platform itself sends are held to what is documented.
      if (typeof type === 'string' && Object.hasOwn(ends, type)) assertDeclared(endEvents, { type, data: rest });
      this.events.push({ ...(id === undefined ? {} : { id }), event: fields.get('event') ?? '', data });
    }
  }
}
