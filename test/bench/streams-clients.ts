/** Readers of many streams; each piece of text tells when the model has sent it. */
import { Agent, get, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { percentile } from './statistics.js';

export interface ReadOrder {
  /** Address of the platform with its token, or of a bare relay. */
  url: string;
  token?: string;
  /** Tokens of several members who own the streams in turn, because one may have 1,000. Default: `token` alone. */
  tokens?: readonly string[];
  streams: number;
  /** How many read each of them; of a bare relay, as many streams. Default 1. */
  readers?: number;
  /** How many pieces each of them has. */
  pieces: number;
  /** Further streams that carry a lot, and whose readers never read. */
  bulky: number;
  never_reading: number;
}

export interface ReadReport {
  pieces: number;
  lost: number;
  ms_p50: number;
  ms_p99: number;
  ms_max: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 4_000 });

let opened: { order: ReadOrder; responses: IncomingMessage[]; stalled: { destroy(): void }[] } | undefined;

/** First opens all streams, then reads them to their end, or leaves them. */
process.on('message', async (order: ReadOrder | 'read' | 'leave') => process.send?.(await follow(order)));
process.on('SIGTERM', () => process.exit(0));
process.send?.({});

function follow(order: ReadOrder | 'read' | 'leave'): Promise<object> | object {
  if (order === 'read') return readAll();
  return order === 'leave' ? leaveAll() : openAll(order);
}

async function openAll(order: ReadOrder): Promise<object> {
  const stalled = await stall(order);
  const readers = Array.from({ length: order.readers ?? 1 });
  const responses = await Promise.all(
    Array.from({ length: order.streams }, async (_, n) => {
      const token = order.tokens?.[n % order.tokens.length] ?? order.token;
      const by: ReadOrder = { ...order, ...(token === undefined ? {} : { token }) };
      const url = await streamOf(by, 'Talk');
      return Promise.all(readers.map(() => open(by, url)));
    }),
  );
  opened = { order, responses: responses.flat(), stalled };
  return {};
}

async function readAll(): Promise<ReadReport> {
  if (!opened) throw new Error('No streams are open');
  const { order, responses, stalled } = opened;
  const took: number[] = [];
  const counts = await Promise.all(responses.map((response) => read(response, took)));
  for (const socket of stalled) socket.destroy();
  const pieces = counts.reduce((sum, count) => sum + count, 0);
  const lost = responses.length * order.pieces - pieces;
  return { pieces, lost, ms_p50: percentile(took, 0.5), ms_p99: percentile(took, 0.99), ms_max: Math.max(...tops(took)) };
}

function leaveAll(): object {
  for (const one of [...(opened?.responses ?? []), ...(opened?.stalled ?? [])]) one.destroy();
  opened = undefined;
  return {};
}

/** Opens streams that nobody reads. */
async function stall({ url, token, bulky, never_reading, ...order }: ReadOrder): Promise<{ destroy(): void }[]> {
  const { hostname, port } = new URL(url);
  const sockets: { destroy(): void }[] = [];
  for (let stream = 0; stream < bulky; stream += 1) {
    const path = new URL(await streamOf({ ...order, url, ...(token ? { token } : {}), bulky, never_reading }, 'Say a lot')).pathname;
    for (let reader = 0; reader < never_reading / bulky; reader += 1) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\n\r\n`);
      socket.pause();
      sockets.push(socket);
    }
  }
  return sockets;
}

/** The address of a reply's stream, which begins now. */
async function streamOf({ url, token }: ReadOrder, content: string): Promise<string> {
  if (token === undefined) return url;
  const body = JSON.stringify({ content });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/api/chat/send`, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => {
        if (response.statusCode !== 200) reject(new Error(`Not sent: ${text}`));
        else resolve(`${url}/api/chat/stream/${(JSON.parse(text) as { message_id: string }).message_id}`);
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

function open({ token }: ReadOrder, url: string): Promise<IncomingMessage> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const opened = (response: IncomingMessage) => {
      if (response.statusCode === 200) resolve(response);
      else reject(new Error(`A stream was answered with ${response.statusCode}`));
    };
    get(url, { agent, headers }, opened).on('error', reject);
  });
}

/** Reads a stream to its end; gives how many pieces came in their order. */
function read(response: IncomingMessage, took: number[]): Promise<number> {
  return new Promise((resolve, reject) => {
    if (response.destroyed) reject(new Error('A stream ended before it was read'));
    let rest = '';
    let text = '';
    let next = 0;
    response.setEncoding('utf8');
    response.on('data', (part: string) => {
      const now = Number(process.hrtime.bigint() / 1_000n);
      const frames = (rest + part).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) text += textIn(frame);
      const pieces = text.split(' ');
      text = pieces.pop() ?? '';
      for (const piece of pieces) {
        const [number, sent] = piece.split(':');
        if (Number(number) !== next) reject(new Error(`Piece ${number} came where ${next} was due`));
        next += 1;
        took.push((now - Number(sent)) / 1_000);
      }
    });
    response.on('error', reject);
    response.on('end', () => resolve(next));
  });
}

/** The text that an event adds: of the platform's, or of the model's own. */
function textIn(frame: string): string {
  const start = frame.indexOf('data: {');
  if (start === -1) return '';
  const data = JSON.parse(frame.slice(start + 6, frame.length)) as {
    type?: string;
    delta?: string;
    choices?: { delta: { content?: string } }[];
  };
  if (data.choices) return data.choices[0]?.delta.content ?? '';
  return data.type === 'message.delta' ? (data.delta ?? '') : '';
}

/** The largest of each thousand: as many as a call takes. */
function tops(values: readonly number[]): number[] {
  const found: number[] = [];
  for (let start = 0; start < values.length; start += 1_000) found.push(Math.max(...values.slice(start, start + 1_000)));
  return found;
}
