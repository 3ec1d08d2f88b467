import { execFile } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Link, Passage } from '../helpers/link.js';
import type { Installation, Links } from './installation.js';
import type { Instance } from './instance.js';
import type { Random } from './random.js';

const run = promisify(execFile);

type Mend = () => Promise<void> | void;

/** Something that goes wrong, and is right again after a while. */
export interface Fault {
  readonly name: string;
  /** The affected part of the installation; two faults of one part don't happen together. */
  readonly part: 'process' | 'clients' | 'packets' | 'disk' | 'clock' | 'postgres' | 'redis' | 'database' | 'bus';
  /** Breaks it; gives what mends it. */
  readonly strike: (installation: Installation, random: Random) => Promise<Mend> | Mend;
  /** How long it lasts. */
  readonly lasts_ms: number;
  /** Within this every instance serves again, by itself. */
  readonly recovery_ms: number;
  /** Takes too long for a short run. */
  readonly isSlow?: boolean;
}

const usual = { lasts_ms: 1_500, recovery_ms: 10_000 };
/** Longer than a client waits. */
const long = { ...usual, lasts_ms: 4_000 };
const skew_ms = 120_000;
const chunk = Buffer.alloc(64 * 1024, 'full');

const pick = ({ instances }: Installation, random: Random): Instance => random.one(instances);

function kill(installation: Installation, random: Random): Promise<Mend> {
  const instance = pick(installation, random);
  return instance.kill().then(() => () => instance.start());
}

function stop(installation: Installation, random: Random): Mend {
  const instance = pick(installation, random);
  instance.stop();
  return () => instance.resume();
}

/** On the links of one kind, of one instance or of all. */
function onLinks(kind: keyof Links, passage: Passage, { all = false } = {}): Fault['strike'] {
  return ({ links }, random) => {
    const struck = (all ? links : [random.one(links)]).map((each) => each[kind] as Link);
    for (const link of struck) link.set(passage);
    return () => {
      for (const link of struck) link.heal();
    };
  };
}

/** Connections that are there say nothing any more. */
function strand(kind: keyof Links): Fault['strike'] {
  return ({ links }, random) => {
    (random.one(links)[kind] as Link).strand();
    return () => undefined;
  };
}

async function fillDisk(installation: Installation, random: Random): Promise<Mend> {
  const path = join(pick(installation, random).data_dir, 'in-the-way');
  const file = await open(path, 'w');
  try {
    for (;;) await file.write(chunk);
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ENOSPC') throw fault;
  } finally {
    await file.close();
  }
  return () => rm(path);
}

/** Drops packets in this namespace alone, which holds the whole installation. */
async function dropPackets(): Promise<Mend> {
  const rule = ['INPUT', '-i', 'lo', '-p', 'tcp', '-m', 'statistic', '--mode', 'random', '--probability', '0.15', '-j', 'DROP'];
  await run('iptables', ['-w', '-A', ...rule]);
  return async () => void (await run('iptables', ['-w', '-D', ...rule]));
}

function skew(ahead_ms: number): Fault['strike'] {
  return ({ instances }) => {
    instances[0]?.skew(ahead_ms);
    return () => instances[0]?.skew(0);
  };
}

/** The instances whose clocks are never touched. */
export function honest(count: number): number[] {
  return count === 1 ? [0] : [...new Array(count).keys()].slice(1);
}

const ofAny: readonly Fault[] = [
  { name: 'an instance is killed', part: 'process', strike: kill, ...usual },
  { name: 'an instance is stopped for a while', part: 'process', strike: stop, ...long },
  { name: "clients' connections are cut", part: 'clients', strike: onLinks('clients', { kind: 'cut' }), ...usual },
  { name: "clients' connections are slow", part: 'clients', strike: onLinks('clients', { kind: 'slow', delay_ms: 150 }), ...usual },
  { name: "clients' connections stall", part: 'clients', strike: onLinks('clients', { kind: 'stalled' }), ...usual },
  { name: 'answers are cut in half', part: 'clients', strike: onLinks('clients', { kind: 'halved', bytes: 150 }), ...usual },
  { name: 'packets are dropped', part: 'packets', strike: dropPackets, ...usual, lasts_ms: 3_000 },
  { name: 'the disk is full', part: 'disk', strike: fillDisk, ...usual, lasts_ms: 2_500 },
  { name: 'a clock is ahead', part: 'clock', strike: skew(skew_ms), ...usual },
  { name: 'a clock is behind', part: 'clock', strike: skew(-skew_ms), ...usual },
];

const ofCluster: readonly Fault[] = [
  {
    name: 'PostgreSQL is restarted',
    part: 'postgres',
    strike: async ({ postgres }) => {
      await postgres?.stop();
      return () => postgres?.start();
    },
    ...usual,
  },
  {
    name: 'Redis is killed and remembers',
    part: 'redis',
    strike: async ({ redis }) => {
      await redis?.kill();
      return () => redis?.start();
    },
    ...usual,
  },
  {
    name: 'Redis is killed and forgets',
    part: 'redis',
    strike: async ({ redis }) => {
      await redis?.kill();
      await redis?.forget();
      return () => redis?.start();
    },
    ...usual,
  },
  {
    name: 'Redis is stopped for a while',
    part: 'redis',
    strike: ({ redis }) => {
      redis?.pause();
      return () => redis?.resume();
    },
    ...long,
  },
  { name: "the database's connections are cut", part: 'database', strike: onLinks('database', { kind: 'cut' }), ...usual },
  { name: "the database's connections are slow", part: 'database', strike: onLinks('database', { kind: 'slow', delay_ms: 30 }), ...usual },
  { name: "the database's connections stall", part: 'database', strike: onLinks('database', { kind: 'stalled' }), ...long },
  {
    name: "the database's answers are cut in half",
    part: 'database',
    strike: onLinks('database', { kind: 'halved', bytes: 2_000 }),
    ...usual,
  },
  {
    name: "the database's connections die in silence",
    part: 'database',
    strike: strand('database'),
    ...usual,
    recovery_ms: 60_000,
    isSlow: true,
  },
  { name: "the bus's connections are cut", part: 'bus', strike: onLinks('bus', { kind: 'cut' }), ...long },
  { name: "the bus's connections are slow", part: 'bus', strike: onLinks('bus', { kind: 'slow', delay_ms: 100 }), ...usual },
  { name: "the bus's connections stall", part: 'bus', strike: onLinks('bus', { kind: 'stalled' }), ...long },
  { name: "the bus's answers are cut in half", part: 'bus', strike: onLinks('bus', { kind: 'halved', bytes: 500 }), ...usual },
  { name: "the bus's connections die in silence", part: 'bus', strike: strand('bus'), ...usual, recovery_ms: 20_000 },
];

/** All that can go wrong with so many instances. */
export function faultsOf(instances: number): readonly Fault[] {
  return instances === 1 ? ofAny : [...ofAny, ...ofCluster];
}
