/** Measures `ws` alone for a frame to all clients: the limit that the platform is compared with. */
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import type { TellOrder } from '../sockets.js';

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false, backlog: 1024 });
server.on('listening', () => process.send?.({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, token: '' }));

process.on('message', async ({ pad, times }: TellOrder) => {
  const cpu = process.cpuUsage();
  const at = process.hrtime.bigint().toString();
  for (let n = 0; n < times; n += 1) {
    // The same bytes as the platform's, made once for all.
    const frame = Buffer.from(JSON.stringify({ type: 'frames.told', data: { pad }, ts: new Date().toISOString() }));
    for (const client of server.clients) client.send(frame, { binary: false });
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
  const { user, system } = process.cpuUsage(cpu);
  process.send?.({ at, cpu_us: user + system, memory_mb: process.memoryUsage.rss() / 2 ** 20 });
});

process.on('SIGTERM', () => process.exit(0));
