import { setTimeout as pause } from 'node:timers/promises';
import { Child } from '../bench/child.js';
import { type Deed, day } from './day.js';
import { Latencies } from './latencies.js';
import type { Figures, FiguresAtRest } from './server.js';
import { judge, type Line } from './verdict.js';
import { Visitor } from './visitor.js';

export interface SoakOptions {
  /** 20 are a whole day. */
  minutes: number;
  /** The platform leaks on purpose. */
  leaks: boolean;
  tell: (line: string) => void;
}

const minutes_of_a_day = 20;
const max_samples = 20;
/** Each collects garbage first, and stops the platform for it. */
const sample_s = 5;
const windows = 4;
/** Limit of one kind at once; the rest is left out and reported. */
const max_at_once = 20;
/** Time by which the work that the load has begun has ended. */
const rest_ms = 2_000;

/** Keeps a day's load up for a while, and judges what it did to the platform. */
export async function soak({ minutes, leaks, tell }: SoakOptions): Promise<Line[]> {
  const { child, ready } = await Child.start<{ url: string; token: string }>('../soak/server.js', leaks ? ['leaking'] : [], [
    ...process.execArgv,
    '--expose-gc',
  ]);
  const latencies = new Latencies();
  const warmUp = new Visitor({ ...ready, latencies: new Latencies() });
  await Promise.all(day.map(({ work }) => warmUp.try(work)));
  await warmUp.close();
  await pause(rest_ms);
  const before = await child.ask<FiguresAtRest>('rest');
  tell(shown('before', before));

  const visitor = new Visitor({ ...ready, latencies });
  const load = new Load(visitor, minutes);
  const samples = Math.min(max_samples, windows * Math.ceil((minutes * 60) / sample_s / windows));
  const taken: Figures[] = [];
  for (let at = 1; at <= samples; at += 1) {
    await pause((minutes * 60_000) / samples);
    const figures = await child.ask<Figures>('figures');
    taken.push(figures);
    tell(shown(`${((minutes * at) / samples).toFixed(1)} min`, figures, `${visitor.requests} requests, ${visitor.failed} failed`));
    if (at % (samples / windows) === 0 && at < samples) latencies.turn();
  }
  await load.end();
  await visitor.close();
  await pause(rest_ms);
  const after = await child.ask<FiguresAtRest>('rest');
  tell(shown('after', after));
  for (const fault of visitor.faults) tell(`failed: ${fault}`);
  await child.stop();
  const p99 = { reads: latencies.p99('reads'), writes: latencies.p99('writes') };
  return judge({ samples: taken, before, after, p99, share: load.share, requests: visitor.requests, failed: visitor.failed });
}

/** All deeds of a day, each at its rate. */
class Load {
  readonly #visitor: Visitor;
  readonly #timers: NodeJS.Timeout[];
  readonly #underWay = new Set<Promise<void>>();
  #due = 0;
  #done = 0;

  constructor(visitor: Visitor, minutes: number) {
    this.#visitor = visitor;
    this.#timers = day.map((deed) => this.#repeat(deed));
    // A part of a day has its part of what is rare as well.
    const rare = day.filter(({ times }) => times * minutes < minutes_of_a_day);
    for (const deed of rare) this.#do(deed, new Set());
  }

  /** Share of the due work that was done. */
  get share(): number {
    return this.#done / this.#due;
  }

  async end(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#underWay);
  }

  #repeat(deed: Deed): NodeJS.Timeout {
    const own = new Set<Promise<void>>();
    return setInterval(() => this.#do(deed, own), (minutes_of_a_day * 60_000) / deed.times);
  }

  #do({ work }: Deed, own: Set<Promise<void>>): void {
    this.#due += 1;
    if (own.size >= max_at_once) return;
    const doing = this.#visitor.try(work).then(() => {
      this.#done += 1;
      own.delete(doing);
      this.#underWay.delete(doing);
    });
    own.add(doing);
    this.#underWay.add(doing);
  }
}

function shown(when: string, figures: Figures, more = ''): string {
  const { memory_mb, young_mb, spare_mb, heap_mb, handles, listeners, loop_delay_ms_p99 } = figures;
  const v8 = `V8's young generation of ${young_mb.toFixed(0)} and spare ${spare_mb.toFixed(1)} MB`;
  const memory = `memory ${memory_mb.toFixed(1)} MB beside ${v8}, heap ${heap_mb.toFixed(1)} MB`;
  const held = `${handles} handles, ${listeners} listeners of the process, loop p99 ${loop_delay_ms_p99.toFixed(0)} ms`;
  return `${when}: ${memory}, ${held}${more && `; ${more}`}`;
}
