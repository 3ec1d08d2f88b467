import { streamPassage } from '../frames.js';
import type { Outgoing } from '../incoming.js';
import type { HeaderList, Responder } from '../responder.js';

/** Those of the connection, and of caches. */
const ours = /^(connection|keep-alive|transfer-encoding|upgrade|content-length|cache-control|x-accel-buffering)$/i;

/** Writes the head of a standard answer. It is its caller's alone: no cache keeps it, whatever the protocol's library says. */
export function open(
  responder: Responder,
  { res, response, headers = [] }: { res: Outgoing; response: Response; headers?: HeaderList },
): void {
  const extra = pairs(headers).filter(([name]) => !response.headers.has(name));
  const list = [...response.headers].filter(([name]) => !ours.test(name)).flat();
  responder.open(res, [...list, ...passageOf(response), ...extra.flat()], response.status);
}

/** Writes a whole answer of which the body is in memory. */
export function send(responder: Responder, answer: { res: Outgoing; response: Response; headers?: HeaderList }): void {
  const { res, response } = answer;
  open(responder, answer);
  void response.arrayBuffer().then(
    (body) => res.end(Buffer.from(body)),
    () => res.destroy(),
  );
}

/**
 * Writes the body, asked for no faster than the client reads; a client that reads nothing is cut by the listener.
 * Ends early, and cancels the body, where the signal aborts.
 */
export async function pour(body: ReadableStream<Uint8Array>, res: Outgoing, signal: AbortSignal): Promise<void> {
  const reader = body.getReader();
  const leave = () => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', leave);
  try {
    if (signal.aborted) return leave();
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      if (!res.write(step.value)) await writable(res);
      if (res.destroyed) return leave();
    }
    if (!signal.aborted) res.end();
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

/** Resolves when more can be written, or nothing ever can. */
function writable(res: Outgoing): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      res.off('drain', end).off('close', end);
      resolve();
    };
    res.on('drain', end).on('close', end);
    if (res.destroyed) end();
  });
}

/** Tells caches and proxies what to do with it: an event stream is neither held back nor compressed on its way. */
function passageOf({ headers }: Response): HeaderList {
  if (isEventStream(headers.get('content-type'))) return streamPassage;
  return ['Cache-Control', headers.get('cache-control')?.includes('no-transform') ? 'no-store, no-transform' : 'no-store'];
}

function isEventStream(type: string | null): boolean {
  return /^text\/event-stream\b/i.test(type ?? '');
}

function pairs(list: HeaderList): [string, string][] {
  return list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1] as string] as [string, string]] : []));
}
