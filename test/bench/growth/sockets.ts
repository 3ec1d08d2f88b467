import { Child } from '../child.js';
import type { ConnectOrder, CountOrder, TellOrder } from '../sockets.js';
import { median } from '../statistics.js';
import type { Cost, Growing, Grown } from './growth.js';

/** Sockets with the token of one member, who may have 2,000. */
const per_member = 1_000;
const pad = 'x'.repeat(130);

interface Side {
  child: Child;
  url: string;
  /** Tokens of several members, or none. */
  tokens: readonly string[];
}

/** Sockets, to all of which a frame of 200 B is sent. */
export function sockets(sizes: readonly number[], rounds: number): Growing {
  return { of: 'sockets', unit: 'frame', sizes, open: () => GrownSockets.open(rounds) };
}

class GrownSockets implements Grown {
  readonly #clients: Child;
  readonly #sides: readonly [Side, Side];
  readonly #rounds: number;
  #connected = 0;

  private constructor({ clients, sides, rounds }: { clients: Child; sides: readonly [Side, Side]; rounds: number }) {
    this.#clients = clients;
    this.#sides = sides;
    this.#rounds = rounds;
  }

  static async open(rounds: number): Promise<GrownSockets> {
    const { child: clients } = await Child.start('./sockets-clients.js');
    return new GrownSockets({ clients, sides: [await side('./sockets-server.js'), await side('./limits/broadcast.js')], rounds });
  }

  async at(size: number): Promise<Cost[]> {
    for (const one of this.#sides) await this.#connect(one, size);
    this.#connected = size;
    const found = { ours: [] as Told[], its: [] as Told[] };
    for (let round = -this.#rounds; round < this.#rounds; round += 1) {
      const [ours, its] = [await this.#tell(this.#sides[0]), await this.#tell(this.#sides[1])];
      // As many before it counts.
      if (round < 0) continue;
      found.ours.push(ours);
      found.its.push(its);
    }
    const cpu_us = (of: readonly Told[]) => median(of.map((told) => told.cpu_us)) / size;
    const ms = (of: readonly Told[]) => median(of.map((told) => told.ms));
    const more = { ms: ms(found.ours), limit_ms: ms(found.its), memory_mb: found.ours.at(-1)?.memory_mb ?? Number.NaN };
    return [{ what: 'a frame to one of them', cpu_us: cpu_us(found.ours), limit_cpu_us: cpu_us(found.its), more }];
  }

  async close(): Promise<void> {
    for (const child of [this.#clients, ...this.#sides.map((one) => one.child)]) await child.stop();
  }

  async #connect({ url, tokens }: Side, size: number): Promise<void> {
    for (let from = this.#connected; from < size; ) {
      const until = Math.min(size, (Math.floor(from / per_member) + 1) * per_member);
      const order: ConnectOrder = {
        connect: url,
        token: tokens[Math.floor(from / per_member) % tokens.length] ?? '',
        clients: until - from,
      };
      await this.#clients.ask(order);
      from = until;
    }
  }

  /** One round: until the last client had its frame, and the server's processor time. */
  async #tell({ child, url }: Side): Promise<Told> {
    const count: CountOrder = { count: url, times: 1 };
    await this.#clients.ask(count);
    const all = this.#clients.hear<{ all_at: string }>();
    const order: TellOrder = { to: 'everyone', pad, times: 1 };
    const { at, cpu_us, memory_mb } = await child.ask<{ at: string; cpu_us: number; memory_mb: number }>(order);
    return { ms: Number(BigInt((await all).all_at) - BigInt(at)) / 1e6, cpu_us, memory_mb };
  }
}

interface Told {
  ms: number;
  cpu_us: number;
  memory_mb: number;
}

async function side(file: string): Promise<Side> {
  const { child, ready } = await Child.start<{ url: string; token: string; tokens?: string[] }>(file);
  return { child, url: ready.url, tokens: ready.tokens ?? [ready.token] };
}
