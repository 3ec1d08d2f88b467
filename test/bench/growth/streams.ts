import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../helpers/eventually.js';
import { Child } from '../child.js';
import { password } from '../log-in.js';
import type { ReadOrder, ReadReport } from '../streams-clients.js';
import type { Used } from './asked.js';
import { makeFolder, removeFolder } from './folder.js';
import type { Cost, Growing, Grown } from './growth.js';

/** Each reply is read by so many clients: a process writes no more than 1,200 replies at once. */
const readers = 4;
const per_second = 2;

/** Members that own the streams, in turn. */
const members = ['ada', 'bob', 'eve', 'joe'];

interface Side {
  child: Child;
  url: string;
  token?: string;
  tokens?: readonly string[];
}

/** Streams of replies that a model writes at two pieces a second, for so long; `sizes` are multiples of four. */
export function streams(sizes: readonly number[], seconds: number): Growing {
  return { of: 'streams', unit: 'piece', sizes, open: () => GrownStreams.open(seconds) };
}

class GrownStreams implements Grown {
  readonly #folder: string;
  readonly #model: Child;
  readonly #clients: Child;
  readonly #sides: readonly [Side, Side];
  readonly #pieces: number;

  private constructor(parts: { folder: string; model: Child; clients: Child; sides: readonly [Side, Side]; pieces: number }) {
    this.#folder = parts.folder;
    this.#model = parts.model;
    this.#clients = parts.clients;
    this.#sides = parts.sides;
    this.#pieces = parts.pieces;
  }

  static async open(seconds: number): Promise<GrownStreams> {
    const folder = await makeFolder();
    const { child: model, ready } = await Child.start<{ url: string; pieces: number }>('./streams-model.js', [
      `${seconds}`,
      `${per_second}`,
    ]);
    const settings = { 'agents.model.base_url': ready.url, 'agents.model.name': 'scripted', 'agents.model.api_key': 'none' };
    const server = await side('./growth/server.js', folder, JSON.stringify({ settings }));
    const ours = { ...server, tokens: await Promise.all(members.map((username) => join(server, username))) };
    const relay = await side('./limits/relay.js', ready.url);
    const { child: clients } = await Child.start('./streams-clients.js');
    return new GrownStreams({ folder, model, clients, sides: [ours, relay], pieces: ready.pieces });
  }

  async at(size: number): Promise<Cost[]> {
    const [ours, its] = [await this.#read(this.#sides[0], size), await this.#read(this.#sides[1], size)];
    const { cpu_us, lost, ...more } = ours;
    if (lost > 0 || its.lost > 0) throw new Error(`Of ${size} streams ${lost} pieces are lost, and ${its.lost} at the limit`);
    return [{ what: 'a piece to one of its readers', cpu_us, limit_cpu_us: its.cpu_us, more: { ...more, limit_ms_p99: its.ms_p99 } }];
  }

  async close(): Promise<void> {
    for (const child of [this.#clients, ...this.#sides.map((one) => one.child), this.#model]) await child.stop();
    await removeFolder(this.#folder);
  }

  /** Measures the cost of a piece on its way to a reader, with its share of the process's fixed costs. */
  async #read({ child, ...address }: Side, size: number) {
    const pieces = this.#pieces;
    const order: ReadOrder = { ...address, streams: size / readers, readers, pieces, bulky: 0, never_reading: 0 };
    await this.#clients.ask(order);
    const asked = address.token === undefined ? size : size / readers;
    await until(
      () => this.#model.ask<{ waiting: number }>('count'),
      ({ waiting }) => waiting === asked,
    );
    // Opening them is over.
    await sleep((this.#pieces * 100) / per_second);
    await child.ask<Used>('use');
    await this.#model.ask('begin');
    const { lost, ms_p50, ms_p99 } = await this.#clients.ask<ReadReport>('read');
    const { cpu_s, memory_mb } = await child.ask<Used>('use');
    return { cpu_us: (cpu_s * 1e6) / (size * pieces), lost, ms_p50, ms_p99, memory_mb };
  }
}

async function side(file: string, ...args: string[]): Promise<Side> {
  const { child, ready } = await Child.start<{ url: string; token?: string }>(file, args);
  return { child, ...ready };
}

/** Adds a member; gives its token. */
async function join({ url, token }: Side, username: string): Promise<string> {
  const ask = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { access_token: string };
  };
  await ask('/api/members', { username, password });
  return (await ask('/api/auth/login', { username, password })).access_token;
}
