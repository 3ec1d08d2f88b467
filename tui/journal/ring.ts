import type { SocketFrame } from '../../kernel/client/socket-frame.js';
import { oneLine } from '../kit/cells.js';
import type { Dashboard } from '../kit/context.js';

/** A received frame. */
export class Entry {
  readonly n: number;
  readonly frame: SocketFrame;
  #text: string | undefined;

  constructor(n: number, frame: SocketFrame) {
    this.n = n;
    this.frame = frame;
  }

  /** Summary of the frame, built on first use. */
  get text(): string {
    this.#text ??= textOf(this.frame.data);
    return this.#text;
  }
}

export const max_entries = 1_000;
const max_text = 400;
/** Types of frames about the connection itself. */
const controlTypes = new Set(['hello', 'ack', 'pong']);

/** Stores the last frames, in order. */
export class Ring {
  readonly #entries: Entry[] = [];
  #count = 0;

  /** Number of frames ever received. */
  get count(): number {
    return this.#count;
  }

  add(frame: SocketFrame): void {
    if (controlTypes.has(frame.type)) return;
    this.#entries.push(new Entry(this.#count++, frame));
    // Trimmed in batches: removing one at a time would move all others each time.
    if (this.#entries.length >= max_entries * 2) this.#entries.splice(0, this.#entries.length - max_entries);
  }

  /** Returns the entries, newest first. */
  newest(): Entry[] {
    return this.#entries.slice(-max_entries).reverse();
  }

  clear(): void {
    this.#entries.length = 0;
  }
}

const state_key = 'journal.ring';

/** Returns the ring of a dashboard. It starts with the dashboard, so that the journal also has events from before it is opened. */
export function ringOf({ viewState, live }: Pick<Dashboard, 'viewState' | 'live'>): Ring {
  const known = viewState.get(state_key) as Ring | undefined;
  if (known) return known;
  const ring = new Ring();
  live.listen((frame) => ring.add(frame));
  viewState.set(state_key, ring);
  return ring;
}

type Data = Readonly<Record<string, unknown>>;

/** Fields that describe an event for people, best first. */
const titles = ['msg', 'title', 'sender_name', 'name'];
const more = ['summary', 'content'];

/** Formats a frame's data for people: first the description, then the other non-empty values as `name=value`. */
function textOf(data: Data): string {
  const described = [data, ...Object.values(data).filter(isData)].find((each) => wordOf(each, titles) !== undefined);
  const words = [wordOf(described, titles), wordOf(described, more)].filter((name) => name !== undefined);
  const sentence = words.map((name) => String(described?.[name]).slice(0, max_text)).join(': ');
  const isLeft = ([name, value]: [string, unknown]) => value !== null && value !== '' && !(described === data && words.includes(name));
  const values = Object.entries(data)
    .filter(isLeft)
    .map(([name, value]) => `${name}=${oneLine(value)}`);
  return oneLine([sentence, ...values].join(' ').slice(0, max_text).trim());
}

function wordOf(data: Data | undefined, names: readonly string[]): string | undefined {
  return names.find((name) => typeof data?.[name] === 'string' && data[name] !== '');
}

function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
