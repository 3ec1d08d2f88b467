import type { Failure } from '../../contract/failure.js';
import type { Protocol } from '../../contract/manifest.js';
import { errorBody, errorHeaders, protocolError } from './errors.js';
import type { Outgoing } from './incoming.js';

/** Header names and values in turn. */
export type HeaderList = readonly string[];

/** Content policy of API responses, which are data: browsers must not sniff, run, frame or embed them, or leak their address. */
export const policy = "default-src 'none'; frame-ancestors 'none'";
const security: HeaderList = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': policy,
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
}).flat();

/** Returns the headers of every response: browser security, and the name of the instance. */
export function commonHeaders({ base_url, instance }: { base_url: string | undefined; instance: string }): HeaderList {
  const secure = base_url?.startsWith('https:') ? ['Strict-Transport-Security', 'max-age=15768000'] : [];
  return [...security, ...secure, 'X-Instance', instance];
}

/** Makes a browser ask again after some seconds, so that a person who waits sees the app when it is back. */
const reload = '<meta http-equiv="refresh" content="5">';

/** Returns a page without styles and scripts, which its content policy forbids. */
function failurePage({ message, code, status }: Failure): string {
  const plain = (text: string) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${status === 503 ? reload : ''}<title>Not available now</title></head>
<body>
<h1>The web app is not available now</h1>
<p>${plain(message)} (${plain(code)})</p>
<p>${status === 503 ? 'This page tries again by itself.' : 'Try again in a moment.'} If it stays like this, tell an administrator.</p>
</body>
</html>
`;
}

/**
 * Writes responses that hapi can't: failures, also those of the front, and heads of responses that outlive a cell. hapi would read an
 * unwanted body to its end before a failure, or close the connection (`front.test`, "requests on one connection"). It also writes plain
 * responses: one `writeHead` with a list is cheaper than `setHeader` (benchmark `requests`, by processor time: 0.85 of bare hapi, 0.74 without).
 */
export class Responder {
  /** Result of {@link commonHeaders}. */
  readonly common: HeaderList;
  readonly #json: HeaderList;
  #draining = false;

  constructor({ base_url, instance }: { base_url: string | undefined; instance: string }) {
    this.common = commonHeaders({ base_url, instance });
    this.#json = ['Content-Type', 'application/json; charset=utf-8', 'Cache-Control', 'no-store', ...this.common];
  }

  /** Makes connections close after their next response. */
  drain(): void {
    this.#draining = true;
  }

  get draining(): boolean {
    return this.#draining;
  }

  json(res: Outgoing, answer: { status: number; body: unknown; headers?: HeaderList }): void {
    const text = JSON.stringify(answer.body) ?? 'null';
    const headers = this.#complete(res, this.#json);
    if (answer.headers) headers.push(...answer.headers);
    headers.push('Content-Length', String(Buffer.byteLength(text)));
    res.writeHead(answer.status, headers);
    res.end(text);
  }

  failure(res: Outgoing, failure: Failure, headers: HeaderList = []): void {
    this.#refuse(res, failure, { body: errorBody(failure, res.req.request_id), headers });
  }

  /** Writes a failure as a small page, for people whose browser gets no web app. */
  failurePage(res: Outgoing, failure: Failure): void {
    res.req.code = failure.code;
    const text = failurePage(failure);
    const headers = this.#complete(res, this.common);
    headers.push('Content-Type', 'text/html; charset=utf-8', 'Cache-Control', 'no-store', ...errorHeaders(failure));
    headers.push('Content-Length', String(Buffer.byteLength(text)));
    res.writeHead(failure.status, headers);
    res.end(res.req.method === 'HEAD' ? undefined : text);
  }

  /** Writes a failure in a protocol's format. */
  protocolFailure(res: Outgoing, failure: Failure, protocol: Protocol): void {
    this.#refuse(res, failure, { body: protocolError(protocol, failure), headers: [] });
  }

  #refuse(res: Outgoing, failure: Failure, { body, headers }: { body: object; headers: HeaderList }): void {
    res.req.code = failure.code;
    this.json(res, { status: failure.status, body, headers: [...errorHeaders(failure), ...headers] });
  }

  /** Writes an empty response with status 204. */
  nothing(res: Outgoing): void {
    const headers = this.#complete(res, this.common);
    headers.push('Cache-Control', 'no-store');
    res.writeHead(204, headers);
    res.end();
  }

  /** Writes the head of a response whose body follows. */
  open(res: Outgoing, headers: HeaderList, status = 200): void {
    const all = this.#complete(res, this.common);
    all.push(...headers);
    res.writeHead(status, all);
  }

  /** Sets the common headers for a response that hapi writes. */
  prepare(res: Outgoing): void {
    const headers = this.#complete(res, this.common);
    for (let at = 0; at < headers.length; at += 2) res.setHeader(headers[at] as string, headers[at + 1] as string);
  }

  /** Returns a copy of the headers with those of this response. */
  #complete({ req }: Outgoing, headers: HeaderList): string[] {
    const all = headers.slice();
    all.push('X-Request-Id', req.request_id);
    if (this.#draining) all.push('Connection', 'close');
    return all;
  }
}
