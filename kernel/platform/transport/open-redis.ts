import { RedisBus } from '../bus/redis.js';
import { Subscriptions } from '../bus/subscriptions.js';
import { defaultLimits } from '../journal/limits.js';
import { RedisJournal } from '../journal/redis.js';
import { Server } from '../journal/server.js';
import { Writers } from '../journal/writers.js';
import type { Transport, TransportOptions } from './transport.js';

const PING_MS = 2_000;

/** Opens journal and bus on Redis. Fails with `bus_unavailable` if Redis is not reachable within 5 s. */
export async function openRedis({ url, log, limits: given = {} }: TransportOptions): Promise<Transport> {
  const limits = { ...defaultLimits, ...given };
  const subscriptions = new Subscriptions({ url, log });
  const onReady = () => {
    journal.wake();
    writers.beat();
  };
  const server = new Server({ url, log, onReady });
  const journal: RedisJournal = new RedisJournal({ server, subscriptions, limits });
  const writers: Writers = new Writers({ server, log, kept_ms: 2 * limits.idle_ms, onLoss: () => journal.wake() });
  subscriptions.onBack(() => journal.wake());
  const touch_timer = setInterval(() => void journal.touch().catch(() => {}), limits.idle_ms / 6).unref();
  const close = async (): Promise<void> => {
    clearInterval(touch_timer);
    const { owesNothing } = journal;
    journal.close();
    await writers.leave(owesNothing);
    subscriptions.close();
    server.connection.close();
  };
  try {
    await Promise.all([server.connection.connected(), subscriptions.connected()]);
    await writers.enter();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    journal,
    bus: new RedisBus({ commands: server.connection, subscriptions, log }),
    clustered: true,
    onReconnect: (back) => subscriptions.onBack(back),
    ping: async () => void (await server.connection.send((redis) => redis.ping(), PING_MS)),
    close,
  };
}
