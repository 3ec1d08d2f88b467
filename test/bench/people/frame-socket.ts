import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { Duplex } from 'node:stream';

/** Receives the JSON of a frame as a part of a buffer, which is valid during the call only. */
export type TakeFrame = (bytes: Buffer, start: number, end: number) => void;

const opcodes = { text: 1, close: 8, ping: 9, pong: 10 } as const;
const none = Buffer.alloc(0);

/**
 * A WebSocket client (RFC 6455) that costs a small part of what `ws` costs, because thousands of people share one process with the
 * measurement. It knows whole frames without extensions, which the server sends.
 */
export class FrameSocket {
  readonly #socket: Duplex;
  readonly #take: TakeFrame;
  #rest: Buffer = none;

  private constructor(socket: Duplex, take: TakeFrame) {
    this.#socket = socket;
    this.#take = take;
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    socket.on('error', () => undefined);
  }

  /** Opens a socket; `after` is the cursor after which frames are replayed. `ended` is called once, however it ends. */
  static open(
    { url, token, after }: { url: string; token: string; after?: string | undefined },
    take: TakeFrame,
    ended: () => void,
  ): Promise<FrameSocket> {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': randomBytes(16).toString('base64'),
      'sec-websocket-version': '13',
      authorization: `Bearer ${token}`,
    };
    const path = after === undefined ? '/ws' : `/ws?after=${encodeURIComponent(after)}`;
    return new Promise((resolve, reject) => {
      const asked = request(url + path, { headers, timeout: 30_000 });
      asked.on('upgrade', (_response, socket, head) => {
        socket.setTimeout(0);
        const opened = new FrameSocket(socket, take);
        socket.on('close', ended);
        if (head.length > 0) opened.#read(head);
        resolve(opened);
      });
      asked.on('response', ({ statusCode }) => reject(new Error(`A socket was refused with ${statusCode}`)));
      asked.on('timeout', () => asked.destroy(new Error('A socket was not opened in time')));
      asked.on('error', reject);
      asked.end();
    });
  }

  send(frame: { type: string; data: object }): void {
    this.#write(opcodes.text, Buffer.from(JSON.stringify(frame)));
  }

  close(): void {
    this.#write(opcodes.close, none);
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    let at = 0;
    for (let size = sizeAt(bytes, at); size; size = sizeAt(bytes, at)) {
      const start = at + size.header;
      const end = start + size.length;
      if (end > bytes.length) break;
      this.#frame((bytes[at] as number) & 15, bytes, { start, end });
      at = end;
    }
    // A copy, so that the rest of a frame doesn't hold a whole chunk.
    this.#rest = at === bytes.length ? none : Buffer.from(bytes.subarray(at));
  }

  #frame(opcode: number, bytes: Buffer, { start, end }: { start: number; end: number }): void {
    if (opcode === opcodes.text) this.#take(bytes, start, end);
    else if (opcode === opcodes.ping) this.#write(opcodes.pong, bytes.subarray(start, end));
    else if (opcode === opcodes.close) this.#socket.destroy();
  }

  /** Writes a frame masked with zeros, which leave it as it is. */
  #write(opcode: number, payload: Buffer): void {
    const { length } = payload;
    const header = length < 126 ? Buffer.alloc(6) : Buffer.alloc(8);
    header[0] = 0x80 | opcode;
    header[1] = 0x80 | (length < 126 ? length : 126);
    if (length >= 126) header.writeUInt16BE(length, 2);
    if (!this.#socket.destroyed) this.#socket.write(Buffer.concat([header, payload]));
  }
}

/** Returns the lengths of a frame's header and payload; undefined if its header is not complete. */
function sizeAt(bytes: Buffer, at: number): { header: number; length: number } | undefined {
  const there = bytes.length - at;
  if (there < 2) return undefined;
  const short = (bytes[at + 1] as number) & 127;
  if (short < 126) return { header: 2, length: short };
  if (short === 126) return there < 4 ? undefined : { header: 4, length: bytes.readUInt16BE(at + 2) };
  return there < 10 ? undefined : { header: 10, length: Number(bytes.readBigUInt64BE(at + 2)) };
}
