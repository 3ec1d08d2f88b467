import assert from 'node:assert/strict';
import type { Clock, Log } from '../../contract/extension.js';
import type { Bus, Journal } from '../../contract/journal.js';
import { MemoryBus } from '../bus/memory.js';
import type { JournalLimits } from '../journal/limits.js';
import { MemoryJournal } from '../journal/memory.js';

export interface TransportOptions {
  /** `memory:`, or `redis://` / `rediss://` with host, port, credentials and database number. */
  url: string;
  clock: Clock;
  log: Log;
  limits?: Partial<JournalLimits>;
}

/** The journal and the bus: of this process alone, or of all instances that share one Redis. */
export interface Transport {
  journal: Journal;
  bus: Bus;
  /** Whether other instances are reached. */
  clustered: boolean;
  /** Calls back each time when the bus is there again, and messages may have been missed. */
  onBack(back: () => void): void;
  /** Fails with `bus_unavailable` where the bus doesn't answer within 2 s. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

const SWEEP_MS = 60_000;

/** Opens journal and bus. With Redis it fails with `bus_unavailable` where that isn't reached within 5 s. */
export async function openTransport(options: TransportOptions): Promise<Transport> {
  if (options.url === 'memory:') return openMemory(options);
  assert(/^rediss?:\/\//.test(options.url), 'The bus is memory: or redis://…');
  // The client costs 60 ms to load: only who uses it pays.
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
    onBack: () => {},
    ping: async () => {},
    close: async () => {
      clearInterval(sweeper);
      journal.close();
      bus.close();
    },
  };
}
