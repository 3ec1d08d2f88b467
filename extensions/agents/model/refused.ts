import { readErrorBody } from './server-error.js';

/** Limit of the bytes read of a refusal's body. */
const max_bytes = 65_536;

/**
 * Wraps `fetch` to normalise refusals. The client reads a refusal whole and understands one shape; this `fetch` reads
 * only the start and passes it on in that shape, whatever the server sent.
 */
export function withNormalisedErrors(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (...request) => {
    const response = await fetch(...request);
    const { ok, status, redirected, url } = response;
    if (ok) return response;
    const { message, code, type } = readErrorBody(await startOf(response));
    const from = redirected && URL.canParse(url) ? ` (after a redirect to ${new URL(url).origin}${new URL(url).pathname})` : '';
    const body = JSON.stringify({ error: { message: `${message}${from}`, code, type } });
    return new Response(status === 304 ? null : body, { status, headers: headersOf(response) });
  };
}

function headersOf({ headers }: Response): Headers {
  const copied = new Headers({ 'content-type': 'application/json' });
  for (const name of ['retry-after', 'retry-after-ms']) {
    const value = headers.get(name);
    if (value !== null) copied.set(name, value);
  }
  return copied;
}

async function startOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (reader && text.length < max_bytes) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
  }
  void reader?.cancel().catch(() => undefined);
  return text.slice(0, max_bytes);
}
