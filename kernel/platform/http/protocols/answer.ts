import { streamPassage } from '../frames.js';
import type { Outgoing } from '../incoming.js';
import type { HeaderList, Responder } from '../responder.js';

/** Headers of connections and caches, which we set ourselves. */
const ours = /^(connection|keep-alive|transfer-encoding|upgrade|content-length|cache-control|x-accel-buffering)$/i;

/** Writes the head of a `Response`. Never cacheable, whatever the protocol's library sets: it is for this caller only. */
export function open(
  responder: Responder,
  { res, response, headers = [] }: { res: Outgoing; response: Response; headers?: HeaderList },
): void {
  const extra = pairs(headers).filter(([name]) => !response.headers.has(name));
  const list = [...response.headers].filter(([name]) => !ours.test(name)).flat();
  responder.open(res, [...list, ...passageOf(response), ...extra.flat()], response.status);
}

/** Writes a whole response whose body is in memory. */
export function send(responder: Responder, answer: { res: Outgoing; response: Response; headers?: HeaderList }): void {
  const { res, response } = answer;
  open(responder, answer);
  void response.arrayBuffer().then(
    (body) => res.end(Buffer.from(body)),
    () => res.destroy(),
  );
}

/**
 * Writes the body no faster than the client reads; the listener disconnects a client that reads nothing.
 * Stops and cancels the body if the signal aborts.
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

/** Resolves when more can be written, or the connection has closed. */
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

/** Returns headers for caches and proxies: an event stream must be neither buffered nor compressed. */
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
