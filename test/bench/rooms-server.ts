/** The platform's sockets of 1,000 members, each with one client, and what pushes to all of them. Anybody who connects is the next member. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Authenticator, Caller } from '../../kernel/contract/index.js';
import { MemoryBus } from '../../kernel/platform/bus/memory.js';
import type { Data } from '../../kernel/platform/data/hub.js';
import { Incoming } from '../../kernel/platform/http/incoming.js';
import { Origins } from '../../kernel/platform/http/origin.js';
import type { SocketPlatform } from '../../kernel/platform/http/socket/platform.js';
import { Sockets } from '../../kernel/platform/http/socket/sockets.js';
import { MemoryJournal } from '../../kernel/platform/journal/memory.js';
import { Pusher } from '../../kernel/platform/journal/pusher.js';
import { createLog } from '../../kernel/platform/log/log.js';
import type { TellOrder } from './sockets.js';

const clock = { now: () => Date.now(), iso: () => new Date().toISOString() };
const log = createLog({ level: 'error', destination: process.stderr });
const journal = new MemoryJournal({ clock });
const data = { facade: () => ({ afterCommit: (work: () => void) => work() }) } as unknown as Data;
const pusher = new Pusher({ data, journal, bus: new MemoryBus(log), clock, log, instance: 'one', clustered: false });

let members = 0;
const token = async (): Promise<Caller> => {
  members += 1;
  return { member_id: members, username: '', role: 'member', scopes: 'all', door: 'http', address: '', token_id: '', expires_at: 0 };
};
const platform: SocketPlatform = {
  journal,
  presence: { connect: () => ({ set: () => undefined, disconnect: () => undefined }) as never, present: () => [], listen: () => undefined },
  readers: () => undefined,
  receive: async () => false,
  review: async ({ data: seen }) => seen,
  broadcasts: (listener) => pusher.listen(listener),
};
const sockets = new Sockets({
  ...{ platform, clock, log, version: '', common: [], next_id: () => '' },
  authenticator: () => ({ token }) as unknown as Authenticator,
  origins: new Origins([], undefined),
  admission: { refused: (_address: string, failure: never) => failure } as never,
});
await sockets.listen();

const server = createServer({ IncomingMessage: Incoming });
server.on('upgrade', (req, socket, head) => sockets.accept(req as Incoming, socket, head));
server.listen({ host: '127.0.0.1', port: 0, backlog: 1024 }, () =>
  process.send?.({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`, token: 'any' }),
);

process.on('message', async ({ to, pad, times }: TellOrder) => {
  const cpu = process.cpuUsage();
  const at = process.hrtime.bigint().toString();
  for (let n = 0; n < times; n += 1) pusher.push(to, { type: 'frames.told', data: { pad } });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const { user, system } = process.cpuUsage(cpu);
  process.send?.({ at, cpu_us: user + system, memory_mb: process.memoryUsage.rss() / 2 ** 20 });
});

process.on('SIGTERM', () => process.exit(0));
