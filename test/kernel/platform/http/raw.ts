import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  status: number;
  head: string;
  body: string;
}

/** Sends bytes as they are and gives what comes back until the server closes, or says nothing for `quiet_ms`. */
export function exchange(where: { port: number } | { path: string }, bytes: string | Buffer, quiet_ms = 300): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = open(where);
    let received = Buffer.alloc(0);
    let timer: NodeJS.Timeout | undefined;
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(received.toString());
    };
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      clearTimeout(timer);
      timer = setTimeout(done, quiet_ms);
    });
    socket.on('end', done);
    socket.on('error', (fault) => (received.length === 0 ? reject(fault) : done()));
    socket.write(bytes);
  });
}

/** The first answer in what came back. */
export function firstAnswer(received: string): RawAnswer {
  const end = received.indexOf('\r\n\r\n');
  const head = received.slice(0, end);
  return { status: Number(head.split(' ')[1]), head, body: received.slice(end + 4) };
}

export async function ask(where: { port: number } | { path: string }, bytes: string | Buffer): Promise<RawAnswer> {
  return firstAnswer(await exchange(where, bytes));
}

export function open(where: { port: number } | { path: string }): Socket {
  return 'port' in where ? connect(where.port, '127.0.0.1') : connect(where.path);
}
