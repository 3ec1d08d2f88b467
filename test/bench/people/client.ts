import { Pool } from 'undici';
import { percentile } from '../statistics.js';
import type { Attachment } from './attachments.js';

export interface Ask {
  /** The operation, for the report. */
  operation: string;
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  token?: string;
  body?: object;
  /** Uploaded as a form. */
  file?: Attachment;
}

/** Requests since the last report. */
export interface Requests {
  requests: number;
  mean_ms: number;
  ms_p99: number;
  /** Responses of a failed server (5xx), lost connections and time-outs. */
  errors: number;
  /** Other refusals, such as a message that was deleted meanwhile. */
  refused: number;
  /** The first of each kind of failure, at most ten. */
  failures: string[];
  operations: { operation: string; requests: number; ms: number }[];
}

interface Timed {
  operation: string;
  ms: number;
}

/** Connections of all people together, as theirs share some. */
const connections = 1_000;
const max_ms = 30_000;
const max_failures = 10;
const boundary = 'a-file-of-the-benchmark';

/** Sends all people's requests and measures them, from the request to the last byte of the answer. */
export class Client {
  readonly #pool: Pool;
  #timed: Timed[] = [];
  #errors = 0;
  #refused = 0;
  #failures = new Map<string, string>();

  constructor(url: string) {
    this.#pool = new Pool(url, { connections, pipelining: 1, headersTimeout: max_ms, bodyTimeout: max_ms });
  }

  /** Returns the body; undefined if it is an image, or the request was refused or failed. */
  async ask<Answer = unknown>({ operation, method = 'GET', path, token, body, file }: Ask): Promise<Answer | undefined> {
    const type = file ? `multipart/form-data; boundary=${boundary}` : 'application/json';
    const headers = { ...(token && { authorization: `Bearer ${token}` }), ...((body ?? file) && { 'content-type': type }) };
    const sent = file ? formOf(file) : body && JSON.stringify(body);
    return this.measure(operation, async () => {
      const answer = await this.#pool.request({ method, path, headers, body: sent ?? null });
      if (answer.statusCode < 300 && String(answer.headers['content-type']).startsWith('image/')) {
        await answer.body.arrayBuffer();
        return undefined;
      }
      const text = await answer.body.text();
      if (answer.statusCode < 300) return (text === '' ? {} : JSON.parse(text)) as Answer;
      if (answer.statusCode >= 500) this.#errors += 1;
      else this.#refused += 1;
      this.#note(`${operation} ${answer.statusCode}`, text);
      return undefined;
    });
  }

  /** Measures work that counts as a request. Returns undefined if it failed. */
  async measure<Answer>(operation: string, work: () => Promise<Answer>): Promise<Answer | undefined> {
    const begun = performance.now();
    try {
      return await work();
    } catch (fault) {
      this.#errors += 1;
      this.#note(`${operation} ${(fault as { code?: string }).code ?? 'failed'}`, String(fault));
      return undefined;
    } finally {
      this.#timed.push({ operation, ms: performance.now() - begun });
    }
  }

  /** Reports the requests that have ended since the last report. */
  report(): Requests {
    const timed = this.#timed;
    const took = timed.map(({ ms }) => ms);
    const { errors, refused } = { errors: this.#errors, refused: this.#refused };
    const failures = [...this.#failures].map(([kind, text]) => `${kind}: ${text}`);
    this.#timed = [];
    this.#errors = this.#refused = 0;
    this.#failures = new Map();
    const mean_ms = took.reduce((sum, ms) => sum + ms, 0) / took.length;
    return {
      requests: took.length,
      mean_ms,
      ms_p99: percentile(took, 0.99),
      errors,
      refused,
      failures,
      operations: byOperation(timed),
    };
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  #note(kind: string, text: string): void {
    if (this.#failures.size < max_failures && !this.#failures.has(kind)) this.#failures.set(kind, text.slice(0, 200));
  }
}

function formOf({ filename, mime_type, bytes }: Attachment): Buffer {
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${filename}"\r\ncontent-type: ${mime_type}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}

/** Sums time by operation, the longest first. */
function byOperation(timed: readonly Timed[]): Requests['operations'] {
  const sums = new Map<string, { operation: string; requests: number; ms: number }>();
  for (const { operation, ms } of timed) {
    const sum = sums.get(operation) ?? { operation, requests: 0, ms: 0 };
    sum.requests += 1;
    sum.ms += ms;
    sums.set(operation, sum);
  }
  return [...sums.values()].sort((a, b) => b.ms - a.ms);
}
