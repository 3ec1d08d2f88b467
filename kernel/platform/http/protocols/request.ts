import { assertPlain, readBody } from '../body.js';
import type { Incoming } from '../incoming.js';

/** A request as the standard's own, with its whole body. */
export async function standardRequest(req: Incoming, { max_bytes, signal }: { max_bytes: number; signal: AbortSignal }): Promise<Request> {
  const { method = 'GET' } = req;
  assertPlain(req);
  const bytes = await readBody(req, max_bytes);
  const withBody = method !== 'GET' && method !== 'HEAD' && bytes.length > 0;
  return new Request(addressOf(req), { method, headers: headersOf(req), signal, ...(withBody ? { body: bytes } : {}) });
}

/** What the client asked for. A door must not believe its host: anybody can send any. */
function addressOf({ url = '/', headers: { host } }: Incoming): string {
  const origin = host && URL.canParse(`http://${host}`) ? `http://${host}` : 'http://localhost';
  return new URL(url, origin).href;
}

/** Without those that concern the connection: the body is here already. */
function headersOf({ rawHeaders }: Incoming): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (!/^(connection|expect|keep-alive|transfer-encoding|upgrade)$/i.test(name)) headers.append(name, rawHeaders[at + 1] as string);
  }
  return headers;
}
