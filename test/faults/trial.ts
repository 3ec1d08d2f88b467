import { setTimeout as sleep } from 'node:timers/promises';
import { type ModelServer, startModelServer } from '../helpers/model-server.js';
import { Asker } from './asker.js';
import { type Fault, honest } from './faults.js';
import { adminPassword, Installation } from './installation.js';
import type { World } from './lanes/lane.js';
import { Members } from './lanes/members.js';
import { Messages } from './lanes/messages.js';
import { Notices } from './lanes/notices.js';
import { Replies } from './lanes/replies.js';
import { Schedules } from './lanes/schedules.js';
import { Uploads } from './lanes/uploads.js';
import type { Random } from './random.js';
import { Traffic } from './traffic.js';

export interface TrialOptions {
  folder: string;
  instances: number;
  disk_mb: number;
  random: Random;
  /** By what recoveries may take longer. */
  slack: number;
}

/** Effects of faults that came together. */
export interface Verdict {
  faults: string[];
  /** From when they were mended until every instance served again. */
  recovered_ms: number;
  /** Work acknowledged since the previous fault. */
  acknowledged: Record<string, number>;
  /** A sentence for all that should not be. */
  wrong: string[];
}

interface Parts extends Pick<TrialOptions, 'random' | 'slack'> {
  installation: Installation;
  asker: Asker;
  model: ModelServer;
  wrong: string[];
}

/** How long it is waited for all lanes to get going. */
const flowing_ms = 5_000;
const probe_ms = 100;
const piece_ms = 40;
const pieces = Array.from({ length: 30 }, (_, n) => `piece ${n} of a reply, `);

/** Clients that write to an installation while it is broken, again and again, and look after it. */
export class Trial {
  readonly #installation: Installation;
  readonly #traffic: Traffic;
  readonly #asker: Asker;
  readonly #model: ModelServer;
  readonly #random: Random;
  readonly #slack: number;
  readonly #wrong: string[];
  #probes = 0;

  static async begin({ random, slack, ...options }: TrialOptions): Promise<Trial> {
    const wrong: string[] = [];
    const complain = (sentence: string) => void wrong.push(sentence);
    const model = await startModelServer({ teardown: () => undefined });
    model.script(async (exchange) => {
      for (const piece of pieces) {
        exchange.text(piece);
        await sleep(piece_ms);
      }
      exchange.finish();
    });
    const environment = { PLATFORM_MODEL_BASE_URL: model.url, PLATFORM_MODEL_NAME: 'slow' };
    const installation = await Installation.start({ ...options, environment, died: complain });
    const asker = new Asker(installation.urls, complain);
    await asker.logIn('admin', adminPassword);
    return new Trial({ installation, asker, model, random, slack, wrong });
  }

  private constructor({ installation, asker, model, random, slack, wrong }: Parts) {
    this.#slack = slack;
    this.#installation = installation;
    this.#asker = asker;
    this.#model = model;
    this.#random = random;
    this.#wrong = wrong;
    const world: World = { asker, run: `r${random.below(1_000_000)}`, rows: (sql) => installation.rows(sql) };
    const due = new Schedules(world, () => honest(installation.instances.length));
    const lanes = [
      new Messages(world),
      new Members(world),
      new Notices(world),
      due,
      new Uploads(world),
      new Replies(world, pieces.join('')),
    ];
    this.#traffic = new Traffic(lanes, (sentence) => void wrong.push(sentence));
  }

  /** Strikes while all write, mends, waits until all serve again, and looks for what is wrong. */
  async suffer(faults: readonly Fault[]): Promise<Verdict> {
    const before = this.#traffic.counts();
    this.#traffic.go();
    await this.#flowing(before);
    await Promise.all(faults.map((fault) => this.#strike(fault)));
    const recovered_ms = await this.#recovered(this.#slack * Math.max(...faults.map(({ recovery_ms }) => recovery_ms)));
    await this.#traffic.hold();
    for (const lane of this.#traffic.lanes) await this.#look(() => lane.faults());
    const acknowledged = Object.entries(this.#traffic.counts()).map(([lane, count]) => [lane, count - (before[lane] ?? 0)]);
    const names = faults.map(({ name }) => name);
    return { faults: names, recovered_ms, acknowledged: Object.fromEntries(acknowledged), wrong: this.#wrong.splice(0) };
  }

  /** Looks at all once more, when the last reply and the last run have ended. */
  async end(): Promise<Verdict> {
    for (const lane of this.#traffic.lanes) await this.#look(() => lane.settled?.() ?? lane.faults());
    return { faults: [], recovered_ms: 0, acknowledged: this.#traffic.counts(), wrong: this.#wrong.splice(0) };
  }

  /** Waits until each lane has had an acknowledgement, so that all of them are struck in full flow. */
  async #flowing(before: Record<string, number>): Promise<void> {
    const end = performance.now() + flowing_ms;
    while (this.#traffic.lanes.some(({ name, acknowledged }) => acknowledged === before[name]) && performance.now() < end)
      await sleep(probe_ms);
  }

  /** Notes what is wrong; where that can't be found out, this. */
  async #look(find: () => Promise<string[]>): Promise<void> {
    this.#wrong.push(...(await find().catch((fault: Error) => [fault.message])));
  }

  async #strike({ strike, lasts_ms }: Fault): Promise<void> {
    const mend = await strike(this.#installation, this.#random);
    await sleep(lasts_ms);
    await mend();
  }

  async close(): Promise<void> {
    for (const lane of this.#traffic.lanes) lane.close?.();
    await this.#asker.close();
    await this.#installation.close();
    await this.#model.close();
  }

  /** How long it takes until each instance is ready and writes. */
  async #recovered(limit_ms: number): Promise<number> {
    const began = performance.now();
    const waiting = this.#asker.instances.map(async (at) => {
      while (!(await this.#serves(at))) {
        if (performance.now() - began > limit_ms) return `instance ${at + 1} did not serve within ${limit_ms / 1000} s`;
        await sleep(probe_ms);
      }
      return [];
    });
    this.#wrong.push(...(await Promise.all(waiting)).flat());
    return Math.round(performance.now() - began);
  }

  async #serves(at: number): Promise<boolean> {
    this.#probes += 1;
    try {
      const ready = await this.#asker.once({ method: 'GET', path: '/readyz' }, at);
      const title = `probe ${this.#probes} of ${at}`;
      const written = await this.#asker.once({ method: 'POST', path: '/api/notifications', body: { title } }, at);
      return ready.status === 200 && written.status === 201;
    } catch {
      return false;
    }
  }
}
