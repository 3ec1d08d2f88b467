import type { SocketFrame } from '../../kernel/client/socket.js';
import { oneLine } from '../kit/cells.js';
import type { Dashboard } from '../kit/context.js';

/** Something that was told. */
export class Entry {
  readonly n: number;
  readonly frame: SocketFrame;
  #text: string | undefined;

  constructor(n: number, frame: SocketFrame) {
    this.n = n;
    this.frame = frame;
  }

  /** In a few words; made when it is first looked at. */
  get text(): string {
    this.#text ??= textOf(this.frame.data);
    return this.#text;
  }
}

export const max_entries = 1_000;
const max_text = 400;
/** About the connection itself. */
const unshown = new Set(['hello', 'ack', 'pong']);

/** The last that was told, in order. */
export class Ring {
  readonly #entries: Entry[] = [];
  #count = 0;

  /** How many there ever were. */
  get count(): number {
    return this.#count;
  }

  add(frame: SocketFrame): void {
    if (unshown.has(frame.type)) return;
    this.#entries.push(new Entry(this.#count++, frame));
    // Not one by one: each time all others would move.
    if (this.#entries.length >= max_entries * 2) this.#entries.splice(0, this.#entries.length - max_entries);
  }

  /** The newest first. */
  newest(): Entry[] {
    return this.#entries.slice(-max_entries).reverse();
  }

  clear(): void {
    this.#entries.length = 0;
  }
}

const kept_as = 'journal.ring';

/** The one of a dashboard: it begins with it, so that what happens before or beside its view is there as well. */
export function ringOf({ kept, live }: Pick<Dashboard, 'kept' | 'live'>): Ring {
  const known = kept.get(kept_as) as Ring | undefined;
  if (known) return known;
  const ring = new Ring();
  live.listen((frame) => ring.add(frame));
  kept.set(kept_as, ring);
  return ring;
}

type Data = Readonly<Record<string, unknown>>;

/** Names of fields that tell people what happened, the best first. */
const titles = ['msg', 'title', 'sender_name', 'name'];
const more = ['summary', 'content'];

/** Writes a frame's data for people: first the words, then the other values that aren't empty, as `name=value`. */
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
