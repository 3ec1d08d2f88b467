import { connect, type Socket } from 'node:net';

/** A request as its parts, each of which a test may spoil. */
export interface Parts {
  method: string;
  /** Path and query, as they go on the wire. */
  target: string;
  version?: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Buffer;
}

/** The bytes to send, and whether the sending side ends after them. */
export interface Message {
  bytes: Buffer;
  ends?: boolean;
}

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

const limit_ms = 20_000;

/** The bytes of a request. The head is Latin-1, so that a character stands for a byte; a length is added where there is none. */
export function render({ method, target, version = 'HTTP/1.1', headers, body }: Parts): Message {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const framed = 'transfer-encoding' in headers || 'content-length' in headers;
  const all = bytes === undefined || framed ? headers : { ...headers, 'content-length': String(bytes.length) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const head = Buffer.from(`${[`${method} ${target} ${version}`, ...lines].join('\r\n')}\r\n\r\n`, 'latin1');
  return { bytes: bytes === undefined ? head : Buffer.concat([head, bytes]) };
}

/** Sends bytes on a connection of their own and waits for one answer. Fails where the connection ends without one. */
export function exchange(url: string, { bytes, ends = false }: Message): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const chunks: Buffer[] = [];
    const settle = (act: () => void) => {
      socket.destroy();
      act();
    };
    const fault = (reason: string) => settle(() => reject(new Error(`${reason} after ${show(Buffer.concat(chunks))}`)));
    socket.setTimeout(limit_ms, () => fault('Nothing came any more'));
    socket.on('error', (error) => fault(`The connection broke (${error.message})`));
    socket.on('end', () => fault('The connection ended'));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      const answer = readAnswer(Buffer.concat(chunks));
      if (answer) settle(() => resolve(answer));
    });
    send(socket, bytes, ends);
  });
}

function send(socket: Socket, bytes: Buffer, ends: boolean): void {
  if (ends) socket.end(bytes);
  else socket.write(bytes);
}

function show(bytes: Buffer): string {
  return bytes.length === 0 ? 'nothing' : JSON.stringify(bytes.toString('latin1').slice(0, 300));
}

/** The answer in these bytes, once it is whole; of a stream its head is. */
function readAnswer(bytes: Buffer): Answer | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(first.split(' ')[1]);
  if (status === 100) return readAnswer(bytes.subarray(end + 4));
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  if (headers['content-type']?.startsWith('text/event-stream')) return { status, headers, body: '' };
  const length = Number(headers['content-length'] ?? 0);
  const body = bytes.subarray(end + 4);
  return body.length < length ? undefined : { status, headers, body: body.subarray(0, length).toString() };
}
