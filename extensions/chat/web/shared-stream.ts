import type { OpenStream, SessionEvent } from './session-feed.js';

export interface Sharing {
  /** Unique to the platform, the member and the session. */
  name: string;
  open: OpenStream;
  /** Returns events that tell a tab that comes late what was written so far. */
  catchUp: () => readonly SessionEvent[];
}

/** Messages between tabs: that one has come, or an event that the leading one has received. */
type TabMessage = { hello: true } | { event: SessionEvent };

/** An event of this tab's own stream, or of the leading tab's. */
interface Received {
  event: SessionEvent;
  isOwn: boolean;
}

/** Streams that the tabs of a browser have at once: it opens six connections to a server, and requests need some. */
const slots = 4;

/**
 * Returns a function that opens a session's stream once for all tabs of a browser. One tab reads it and passes the events on; when it goes,
 * another one takes over at its cursor. Browsers have locks only on https and localhost; elsewhere each tab reads for itself.
 */
export function sharedStream(sharing: Sharing): OpenStream {
  if (!('locks' in navigator) || !('BroadcastChannel' in globalThis)) return sharing.open;
  return (after, signal) => shared(sharing, after, signal);
}

async function* shared({ name, open, catchUp }: Sharing, after: string | undefined, signal: AbortSignal): AsyncGenerator<SessionEvent> {
  const channel = new BroadcastChannel(name);
  const events = new EventQueue();
  let leads = false;
  let cursor = after;
  const tell = (message: TabMessage) => channel.postMessage(message);
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if ('hello' in data) {
      if (leads) for (const event of catchUp()) tell({ event });
    } else if (!leads) {
      cursor = data.event.id ?? cursor;
      events.push({ event: data.event, isOwn: false });
    }
  };
  const lead = async () => {
    leads = true;
    for await (const event of open(cursor, signal)) events.push({ event, isOwn: true });
  };
  tell({ hello: true });
  const turn = async () => {
    try {
      await navigator.locks.request(name, { signal }, () => inSlot(name, signal, lead));
    } catch (error) {
      // A browser that forbids storage refuses locks: this tab reads for itself.
      if (leads || !isForbidden(error)) throw error;
      await lead();
    }
  };
  turn().then(
    () => events.end(),
    (error: unknown) => events.end(error),
  );
  try {
    for await (const { event, isOwn } of events) {
      yield event;
      // Only now, when this tab has taken it: a tab that comes between gets it either so or with what is caught up, never neither.
      if (isOwn) tell({ event });
    }
  } finally {
    channel.close();
  }
}

function isForbidden(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'SecurityError';
}

/** Runs a function while few others run in this browser: at once if a slot is free, else when the own one is. */
async function inSlot(name: string, signal: AbortSignal, run: () => Promise<void>): Promise<void> {
  const slotName = (slot: number) => `${name.slice(0, name.lastIndexOf(' '))} slot ${slot}`;
  for (let slot = 0; slot < slots; slot += 1) {
    const isDone = await navigator.locks.request(slotName(slot), { ifAvailable: true }, async (lock) => {
      if (lock) await run();
      return lock !== null;
    });
    if (isDone) return undefined;
  }
  return navigator.locks.request(slotName(name.length % slots), { signal }, run);
}

/** Events that wait for their reader. */
class EventQueue implements AsyncIterable<Received> {
  #events: Received[] = [];
  #wake: (() => void) | undefined;
  #end: { error: unknown } | undefined;

  push(received: Received): void {
    this.#events.push(received);
    this.#wake?.();
  }

  end(error?: unknown): void {
    this.#end = { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Received> {
    for (;;) {
      const ready = this.#events;
      this.#events = [];
      yield* ready;
      if (this.#events.length > 0) continue;
      if (this.#end?.error !== undefined) throw this.#end.error;
      if (this.#end) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
