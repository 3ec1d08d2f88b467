import assert from 'node:assert/strict';
import type { Clock, Log } from '../../contract/extension.js';
import type { Bus } from '../../contract/journal.js';
import { MemoryBus } from '../bus/memory.js';
import type { JournalLimits } from '../journal/limits.js';
import { MemoryJournal } from '../journal/memory.js';
import type { PlatformJournal } from '../journal/platform-journal.js';

export interface TransportOptions {
  /** `memory:`, or `redis://` / `rediss://` with host, port, credentials and database number. */
  url: string;
  clock: Clock;
  log: Log;
  limits?: Partial<JournalLimits>;
}

/** Journal and bus, either of this process alone or shared by all instances on one Redis. */
export interface Transport {
  journal: PlatformJournal;
  bus: Bus;
  /** Whether other instances can be reached. */
  clustered: boolean;
  /** Registers a callback for each reconnection of the bus, after which messages may have been missed. */
  onReconnect(back: () => void): void;
  /** Fails with `bus_unavailable` if the bus doesn't answer within 2 s. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

const SWEEP_MS = 60_000;

/** Opens journal and bus. Fails with `bus_unavailable` if Redis is not reachable within 5 s. */
export async function openTransport(options: TransportOptions): Promise<Transport> {
  if (options.url === 'memory:') return openMemory(options);
  assert(/^rediss?:\/\//.test(options.url), "The bus's address must be memory: or redis://…");
  // Loaded on demand, because loading the client takes 60 ms.
  const { openRedis } = await import('./open-redis.js');
  return openRedis(options);
}

function openMemory({ clock, log, limits = {} }: TransportOptions): Transport {
  const journal = new MemoryJournal({ clock, limits });
  const bus = new MemoryBus(log);
  const sweeper = setInterval(() => journal.sweep(), SWEEP_MS).unref();
  return {
    journal,
    bus,
    clustered: false,
    onReconnect: () => {},
    ping: async () => {},
    close: async () => {
      clearInterval(sweeper);
      journal.close();
      bus.close();
    },
  };
}
