import { type Agent, type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { type Duplex, Readable } from 'node:stream';
import { answerLimit, type Limits } from './limits.js';

/** Error response of an engine. */
export class EngineRefusal extends Error {
  readonly statusCode: number;
  readonly json: unknown;

  constructor(statusCode: number, body: unknown) {
    super(sentenceOf(body) || `The engine answered ${statusCode}`);
    this.statusCode = statusCode;
    this.json = body;
  }
}

/** Request as the client library describes it. */
export interface Exchange {
  options: RequestOptions;
  body: string | Buffer | NodeJS.ReadableStream | undefined;
  isStream: boolean;
  hijack: boolean;
  openStdin: boolean;
  statusCodes: Readonly<Record<number, unknown>>;
}

/** Result of an exchange: a parsed body, a stream to read, or a connection that is ours from now on. */
export type Answer =
  | { kind: 'body'; value: unknown }
  | { kind: 'stream'; request: ClientRequest; response: IncomingMessage }
  | { kind: 'hijacked'; socket: Duplex };

const refusal_bytes = 65_536;

/**
 * Sends one request to an engine, with limits on time and response size, and without redirects. dockerode's own has no
 * limits and follows redirects.
 */
export function exchange(asked: Exchange, agent: Agent, limits: Limits): Promise<Answer> {
  const { options, body, hijack, openStdin } = asked;
  const wait_ms = answerLimit(limits, options.method ?? 'GET', (options.path ?? '').split('?')[0] ?? '');
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...options, agent });
    const rejectAndDestroy = (fault: unknown) => {
      reject(fault);
      outgoing.destroy();
    };
    const timer = setTimeout(
      () => rejectAndDestroy(Object.assign(new Error(`No answer within ${wait_ms} ms`), { code: 'ETIMEDOUT' })),
      wait_ms,
    );
    const settle = (answer: Answer) => {
      clearTimeout(timer);
      resolve(answer);
    };
    outgoing.on('error', (fault) => {
      clearTimeout(timer);
      reject(fault);
    });
    if (hijack) {
      outgoing.on('upgrade', (_response, socket, head) => {
        if (head.length > 0) socket.unshift(head);
        settle({ kind: 'hijacked', socket });
      });
    }
    outgoing.on('response', (response) => {
      answerOf(asked, { request: outgoing, response }, limits).then(settle, (fault: unknown) => {
        clearTimeout(timer);
        rejectAndDestroy(fault);
      });
    });
    send(outgoing, body, openStdin);
  });
}

function send(sent: ClientRequest, body: Exchange['body'], openStdin: boolean): void {
  if (body instanceof Readable || (typeof body === 'object' && 'pipe' in body)) {
    body.on('error', (fault: Error) => sent.destroy(fault));
    body.pipe(sent);
    return;
  }
  if (body !== undefined) sent.write(body);
  if (!openStdin) sent.end();
}

interface Received {
  request: ClientRequest;
  response: IncomingMessage;
}

async function answerOf({ statusCodes, isStream }: Exchange, received: Received, { answer_bytes }: Limits): Promise<Answer> {
  const { response } = received;
  const status = response.statusCode ?? 0;
  if (statusCodes[status] !== true) throw new EngineRefusal(status, parsed(await bytesOf(response, refusal_bytes)));
  if (isStream) return { kind: 'stream', ...received };
  return { kind: 'body', value: parsed(await bytesOf(response, answer_bytes)) };
}

async function bytesOf(response: IncomingMessage, max: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > max) throw Object.assign(new Error(`The engine's answer has more than ${max} bytes`), { code: 'ANSWER_TOO_LARGE' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Parses a response. Engines answer JSON, except for files and a plain `OK`. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return bytes;
  }
}

function sentenceOf(body: unknown): string {
  if (Buffer.isBuffer(body)) return body.toString();
  const { message } = (body ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : '';
}
