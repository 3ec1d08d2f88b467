import { event_cost, frame_bytes } from './limits.js';

/** A message too long for a line, and its bytes sent so far. */
interface LongMessage {
  number: number;
  bytes: Buffer;
  sent: number;
}

const batch_bytes = frame_bytes;
// Leaves room for `+<number> ` and the newline.
const piece_bytes = frame_bytes - 32;

/**
 * Queues messages to write. Pings go first, then short messages; long ones are split into lines `+<number> <bytes>`, the last
 * `=<number> <bytes>`, which alternate with each other and with stream events. Each lane keeps its order.
 */
export class Outbox {
  readonly #urgent: string[] = [];
  readonly #short: string[] = [];
  readonly #lanes = new Map<string, (string | LongMessage)[]>();
  #messages = 0;
  #queued = 0;
  /** Size of the lanes; small messages count as more than their bytes. */
  #ahead = 0;

  /** Size of the queue: bytes of long messages, characters of short ones. */
  get queued(): number {
    return this.#queued;
  }

  /** Size of the lanes; many small messages cost more than their bytes. */
  get ahead(): number {
    return this.#ahead;
  }

  addUrgent(line: string): void {
    this.#urgent.push(line);
  }

  /** Queues a message. @param useLane whether a short message also goes to a lane, so that others don't wait for it. */
  add(line: string, bytes: number, lane: () => string, useLane = false): void {
    const long = bytes >= frame_bytes;
    this.#queued += long ? bytes : line.length;
    if (!long && !useLane && this.#lanes.size === 0) return void this.#short.push(line);
    const name = lane();
    const waiting = this.#lanes.get(name);
    if (!long && !useLane && !waiting) return void this.#short.push(line);
    const item = long ? { number: this.#nextNumber(), bytes: Buffer.from(line), sent: 0 } : line;
    this.#ahead += costOf(item);
    if (waiting) waiting.push(item);
    else this.#lanes.set(name, [item]);
  }

  /** Takes the next lines, joined; undefined if there are none. Takes from lanes only if there is room. */
  take(hasRoom: boolean): string | Buffer | undefined {
    const lines = this.#urgent.splice(0);
    let size = this.#takeShort(lines);
    if (this.#lanes.size === 0 || !hasRoom) return lines.length === 0 ? undefined : `${lines.join('\n')}\n`;
    const parts: Buffer[] = [];
    // At least one turn of the lanes for each batch, even with many short messages.
    do {
      const part = this.#takePart();
      size += part.length;
      if (typeof part === 'string') lines.push(part);
      else parts.push(...textOf(lines.splice(0)), part);
    } while (size < batch_bytes && this.#lanes.size > 0);
    return parts.length === 0 ? `${lines.join('\n')}\n` : Buffer.concat([...parts, ...textOf(lines)]);
  }

  #takeShort(lines: string[]): number {
    let size = 0;
    let count = 0;
    while (count < this.#short.length && size < batch_bytes) {
      size += this.#short[count]?.length ?? 0;
      count += 1;
    }
    lines.push(...this.#short.splice(0, count));
    this.#queued -= size;
    return size;
  }

  /** Takes one line of the next lane, which then goes to the end of the rotation. */
  #takePart(): string | Buffer {
    const [name, items] = this.#lanes.entries().next().value as [string, (string | LongMessage)[]];
    const item = items[0] as string | LongMessage;
    const before = typeof item === 'string' ? 0 : item.sent;
    const line = typeof item === 'string' ? item : pieceOf(item);
    this.#queued -= typeof item === 'string' ? item.length : item.sent - before;
    if (typeof item === 'string' || item.sent === item.bytes.length) {
      items.shift();
      this.#ahead -= costOf(item);
    }
    this.#lanes.delete(name);
    if (items.length > 0) this.#lanes.set(name, items);
    return line;
  }

  #nextNumber(): number {
    this.#messages += 1;
    return this.#messages;
  }
}

function costOf(item: string | LongMessage): number {
  return Math.max(event_cost, typeof item === 'string' ? item.length : item.bytes.length);
}

function textOf(lines: readonly string[]): Buffer[] {
  return lines.length === 0 ? [] : [Buffer.from(`${lines.join('\n')}\n`)];
}

function pieceOf(long: LongMessage): Buffer {
  const end = Math.min(long.sent + piece_bytes, long.bytes.length);
  const mark = end === long.bytes.length ? '=' : '+';
  const line = Buffer.concat([Buffer.from(`${mark}${long.number} `), long.bytes.subarray(long.sent, end), newline]);
  long.sent = end;
  return line;
}

const newline = Buffer.from('\n');
