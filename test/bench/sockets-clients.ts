/** Many WebSocket clients in one process; tells when all of them have got what they were to get. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { ConnectOrder, CountOrder } from './sockets.js';

/** Frames that all clients of a server have received since the last request for them. */
interface Group {
  clients: number;
  received: number;
  wanted: number;
}

/** Starts of the types of frames that count: `frames.told` and `message.created`. */
const counted = new Set(['frames.tol', 'message.cr']);
const groups = new Map<string, Group>();

process.on('message', async (order: ConnectOrder | CountOrder) => {
  if ('connect' in order) process.send?.({ connected: await connect(order) });
  else {
    const group = groups.get(order.count) as Group;
    Object.assign(group, { received: 0, wanted: order.times * group.clients });
    process.send?.({ counting: true });
  }
});

async function connect({ connect: url, token, clients }: ConnectOrder): Promise<number> {
  const group: Group = groups.get(url) ?? { clients: 0, received: 0, wanted: Number.POSITIVE_INFINITY };
  group.clients += clients;
  groups.set(url, group);
  // Fifty at a time: what is measured comes later.
  for (let n = 0; n < clients; n += 50) {
    await Promise.all(
      Array.from({ length: Math.min(50, clients - n) }, (_, at) => {
        const own = typeof token === 'string' ? token : (token[n + at] as string);
        const headers = own ? { authorization: `Bearer ${own}` } : {};
        return open(new WebSocket(url, { headers }), { group, greeted: own !== '' });
      }),
    );
  }
  return clients;
}

/** The platform greets whom it knows; what it tells before that, a client doesn't hear. */
async function open(ws: WebSocket, { group, greeted }: { group: Group; greeted: boolean }): Promise<void> {
  ws.on('message', (data: Buffer) => {
    if (!counted.has(data.toString('latin1', 9, 19))) return;
    group.received += 1;
    if (group.received === group.wanted) process.send?.({ all_at: process.hrtime.bigint().toString() });
  });
  await once(ws, greeted ? 'message' : 'open');
}

process.on('SIGTERM', () => process.exit(0));
process.send?.({ ready: true });
