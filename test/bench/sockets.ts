import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Audience } from '../../kernel/contract/index.js';
import { forked } from './forked.js';
import { message } from './message.js';
import { median, percentile } from './statistics.js';

export interface TellOrder {
  to: Audience;
  pad: string;
  times: number;
}

export interface ConnectOrder {
  connect: string;
  /** One for all, or one for each; empty for the bare server. */
  token: string | readonly string[];
  clients: number;
}

export interface CountOrder {
  count: string;
  times: number;
}

export interface Side {
  child: ChildProcess;
  url: string;
  token: string | readonly string[];
}

interface FrameCase {
  name: string;
  pad: string;
  /** Text that the bare server sends. Default: the same. */
  bare_pad?: string;
  times: number;
}

/** One round: until the last client had its frame, and the server's processor time. */
interface Round {
  ms: number;
  cpu_ms: number;
}

export const clients = 1_000;
const rounds = 40;
const cases: readonly FrameCase[] = [
  { name: 'a frame of 200 B', pad: 'x'.repeat(130), times: 1 },
  { name: 'a frame of 4 KiB', pad: 'x'.repeat(4_000), times: 1 },
  { name: 'ten frames of 200 B at once', pad: 'x'.repeat(130), times: 10 },
];

/** Frames to all clients of both sides: those of the platform to an audience. */
export async function besideBare(parts: {
  reader: ChildProcess;
  ours: Side;
  bare: Side;
  to: Audience;
  cases?: readonly FrameCase[];
}): Promise<Record<string, unknown>[]> {
  const results: Record<string, unknown>[] = [];
  for (const each of parts.cases ?? cases) results.push(await compare(parts, each));
  return results;
}

/** A frame to 1,000 clients: the platform beside bare `ws`, in turn, the clients of both in one further process. */
export async function sockets(): Promise<Record<string, unknown>[]> {
  const reader = forked('./sockets-clients.js');
  const [ours, bare] = [await side('./sockets-server.js'), await side('./limits/broadcast.js')];
  try {
    await message(reader);
    const before = memoryOf(ours);
    await connect(reader, ours);
    const each_kb = (memoryOf(ours) - before) / clients / 1024;
    await connect(reader, bare);
    const results = await besideBare({ reader, ours, bare, to: 'everyone' });
    const kept: Round[] = [];
    for (let round = 0; round < 10; round += 1)
      kept.push(await tell(reader, ours, { to: { members: [1] }, pad: cases[0]?.pad ?? '', times: 1 }));
    return [
      ...results,
      { case: 'a kept frame to one member with 1,000 sockets', ms: median(kept.map(({ ms }) => ms)), memory_kb_per_socket: each_kb },
    ];
  } finally {
    await Promise.all([reader, ours.child, bare.child].map(stop));
  }
}

export async function side(file: string, args: readonly string[] = []): Promise<Side> {
  const child = forked(file, args);
  const [ready] = (await message(child)) as [Pick<Side, 'url' | 'token'>];
  return { child, ...ready };
}

export async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

export async function connect(reader: ChildProcess, { url, token }: Side): Promise<void> {
  const order: ConnectOrder = { connect: url, token, clients };
  reader.send(order);
  await message(reader);
}

async function compare({ reader, ours, bare, to }: Parameters<typeof besideBare>[0], { name, pad, bare_pad = pad, times }: FrameCase) {
  const orderOf = (one: Side): TellOrder => ({ to, pad: one === bare ? bare_pad : pad, times });
  for (const each of [ours, bare, ours, bare]) await tell(reader, each, orderOf(each));
  const pairs: [Round, Round][] = [];
  for (let round = 0; round < rounds; round += 1) {
    // Each goes first as often as the other.
    const [one, other] = round % 2 ? [ours, bare] : [bare, ours];
    const found = [await tell(reader, one, orderOf(one)), await tell(reader, other, orderOf(other))] as const;
    pairs.push(round % 2 ? [found[0], found[1]] : [found[1], found[0]]);
  }
  const of = (pick: (pair: [Round, Round]) => number) => pairs.map(pick);
  return {
    case: name,
    clients,
    platform_ms: median(of(([a]) => a.ms)),
    bare_ms: median(of(([, b]) => b.ms)),
    ratio: median(of(([a]) => a.ms)) / median(of(([, b]) => b.ms)),
    ratio_p90:
      percentile(
        of(([a]) => a.ms),
        0.9,
      ) /
      percentile(
        of(([, b]) => b.ms),
        0.9,
      ),
    cpu_ratio: median(of(([a]) => a.cpu_ms)) / median(of(([, b]) => b.cpu_ms)),
  };
}

async function tell(reader: ChildProcess, { child, url }: Side, order: TellOrder): Promise<Round> {
  const count: CountOrder = { count: url, times: order.times };
  reader.send(count);
  await message(reader);
  const all = message(reader) as Promise<[{ all_at: string }]>;
  child.send(order);
  const [[{ at, cpu_us }], [{ all_at }]] = (await Promise.all([message(child), all])) as [
    [{ at: string; cpu_us: number }],
    [{ all_at: string }],
  ];
  return { ms: Number(BigInt(all_at) - BigInt(at)) / 1e6, cpu_ms: cpu_us / 1000 };
}

/** Returns the memory of a process, in bytes. */
function memoryOf({ child }: Side): number {
  const pages = /^\d+ (\d+)/.exec(readFileSync(`/proc/${child.pid}/statm`, 'utf8'))?.[1];
  return Number(pages) * 4096;
}
