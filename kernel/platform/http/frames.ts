import type { StreamEvent } from '../../contract/operation.js';

/** Headers that stop proxies from buffering an event stream (nginx: `X-Accel-Buffering`) or compressing it. */
export const streamPassage: readonly string[] = ['Cache-Control', 'no-store, no-transform', 'X-Accel-Buffering', 'no'];

/** Headers of an event stream. */
export const streamHeaders: readonly string[] = ['Content-Type', 'text/event-stream; charset=utf-8', ...streamPassage];

export const heartbeat = ': \n\n';

/** Formats a `retry` frame: the reconnection delay. `from` is the cursor to resume from if no event arrives before. */
export function retryFrame(delay_ms: number, from?: string): string {
  return `${idLine(from)}retry: ${delay_ms}\n\n`;
}

/** Formats one server-sent event (WHATWG HTML, section 9.2). */
export function eventFrame(event: StreamEvent): string {
  return `${idLine(event.id)}event: ${oneLine(event.type)}\ndata: ${JSON.stringify({ type: event.type, ...event.data })}\n\n`;
}

function idLine(id: string | undefined): string {
  return id === undefined ? '' : `id: ${oneLine(id)}\n`;
}

/** Replaces line ends in a field: they would end the field, and the rest would count as another one. */
function oneLine(text: string): string {
  return /[\r\n\0]/.test(text) ? text.replace(/[\r\n\0]+/g, ' ') : text;
}
