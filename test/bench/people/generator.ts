/** Simulated people in one process; reports what they have measured. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { acts } from './acts.js';
import { Attachments } from './attachments.js';
import { Client, type Requests } from './client.js';
import { pickPace } from './model.js';
import { type Identity, Person, type World } from './person.js';
import { reload } from './steps.js';
import { Timelines } from './timelines.js';

export interface PeopleOrder {
  /** Newcomers, whom the server knows already. */
  add?: readonly Identity[];
  /** How many of all people act; the first ones. */
  acting?: number;
  /** How long to measure. */
  seconds?: number;
}

export interface Company {
  /** How many people act now. */
  acting: number;
}

export interface Stage extends Requests {
  seconds: number;
  frames: number;
  lost_sockets: number;
  actions: number;
  cpu_s: number;
  loop_delay_ms_p99: number;
}

/** People who come in at the same time. */
const lanes = 16;
/** Time for people to come in. Whoever is still outside then stays there. */
const coming_in_ms = 180_000;
/** Spreads paces evenly over few people too. */
const golden = 0.618_033_988_75;

const [url = '', password = ''] = process.argv.slice(2);
const world: World = {
  url,
  password,
  client: new Client(url),
  attachments: await Attachments.open(),
  timelines: new Timelines(),
  people: [],
  counts: { frames: 0, lost_sockets: 0, actions: 0 },
};
/** People who act now, by member id. */
const acting = new Map<number, Person>();
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

process.on('message', (order: PeopleOrder) => {
  work(order).then(
    (answer) => process.send?.(answer),
    (fault: unknown) => {
      console.error(fault);
      process.exit(1);
    },
  );
});
process.on('SIGTERM', () => process.exit(0));
process.send?.({});

async function work({ add, acting: wanted, seconds }: PeopleOrder): Promise<Company | Stage> {
  if (add) world.people.push(...add);
  if (wanted !== undefined) await change(wanted);
  return seconds === undefined ? { acting: acting.size } : measure(seconds);
}

async function change(wanted: number): Promise<void> {
  const leaving = [...acting.values()].slice(wanted);
  for (const { identity } of leaving) acting.delete(identity.member_id);
  await Promise.all(leaving.map((person) => person.stop()));
  const coming = world.people.filter(({ member_id }) => !acting.has(member_id)).slice(0, wanted - acting.size);
  const end = performance.now() + coming_in_ms;
  const enter = async (_: unknown, lane: number) => {
    for (let n = lane; n < coming.length && performance.now() < end; n += lanes) await begin(coming[n] as Identity);
  };
  await Promise.all(Array.from({ length: lanes }, enter));
}

/** A person who logs in reads everything and opens a room. */
async function begin(identity: Identity): Promise<void> {
  const person = new Person(identity, world, pickPace((identity.member_id * golden) % 1));
  acting.set(identity.member_id, person);
  await person.connect();
  await reload(person);
  person.run(acts);
}

async function measure(seconds: number): Promise<Stage> {
  world.client.report();
  Object.assign(world.counts, { frames: 0, lost_sockets: 0, actions: 0 });
  delay.reset();
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await sleep(seconds * 1_000);
  const { user, system } = process.cpuUsage(cpu);
  const loop_delay_ms_p99 = delay.percentile(99) / 1e6;
  const took = (performance.now() - begun) / 1_000;
  return { ...world.client.report(), ...world.counts, seconds: took, cpu_s: (user + system) / 1e6, loop_delay_ms_p99 };
}
