import type { StreamEvent } from '../../contract/operation.js';

/** Keeps proxies from holding an event stream back (nginx: `X-Accel-Buffering`) or compressing it. */
export const streamPassage: readonly string[] = ['Cache-Control', 'no-store, no-transform', 'X-Accel-Buffering', 'no'];

/** The headers of an event stream. */
export const streamHeaders: readonly string[] = ['Content-Type', 'text/event-stream; charset=utf-8', ...streamPassage];

export const heartbeat = ': \n\n';

/** How long a client waits before it connects again after its connection broke; `from`: where it then goes on, if no event came before. */
export function retryFrame(delay_ms: number, from?: string): string {
  return `${idLine(from)}retry: ${delay_ms}\n\n`;
}

/** One event as server-sent events are written (WHATWG HTML, section 9.2). */
export function eventFrame(event: StreamEvent): string {
  return `${idLine(event.id)}event: ${oneLine(event.type)}\ndata: ${JSON.stringify({ type: event.type, ...event.data })}\n\n`;
}

function idLine(id: string | undefined): string {
  return id === undefined ? '' : `id: ${oneLine(id)}\n`;
}

/** A line's end inside a field would end the field and let the rest pass for another one. */
function oneLine(text: string): string {
  return /[\r\n\0]/.test(text) ? text.replace(/[\r\n\0]+/g, ' ') : text;
}
