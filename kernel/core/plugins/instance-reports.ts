import type { Bus } from '../../contract/journal.js';
import type { ExtensionReport, InstanceReport } from '../../contract/system.js';

export interface InstanceReportsOptions {
  bus: Bus;
  instance: string;
  clock: { now(): number };
  /** How all stand on this instance, by id. */
  own: () => Readonly<Record<string, ExtensionReport>>;
}

interface Told {
  instance: string;
  /** Undefined where an instance ends. */
  reports?: Readonly<Record<string, ExtensionReport>>;
  /** Whether the others should tell theirs: an instance has just begun. */
  ask?: boolean;
}

const channel = 'kernel.reports';
const every_ms = 15_000;
/** An instance that was silent for this long is gone. */
const silent_ms = 3 * every_ms;
/** Changes that follow one another are told once. */
const joined_ms = 20;

/** How extensions stand on all instances: each tells the others, when something changes and every 15 s. */
export class InstanceReports {
  readonly #options: InstanceReportsOptions;
  readonly #others = new Map<string, { heard: number; reports: Readonly<Record<string, ExtensionReport>> }>();
  #soon: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: InstanceReportsOptions) {
    this.#options = options;
  }

  /** Begins to tell and to hear; gives what ends it. */
  async start(): Promise<() => Promise<void>> {
    const unsubscribe = await this.#options.bus.subscribe(channel, (told: Told) => this.#hear(told));
    const timer = setInterval(() => this.changed(), every_ms).unref();
    await this.#tell(true).catch(() => undefined);
    return async () => {
      this.#closed = true;
      clearInterval(timer);
      clearTimeout(this.#soon);
      await unsubscribe();
      await this.#options.bus.publish(channel, { instance: this.#options.instance } satisfies Told).catch(() => undefined);
    };
  }

  /** Something has changed here. */
  changed(): void {
    if (this.#closed) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      // A lost report is sent again.
      this.#tell(false).catch(() => undefined);
    }, joined_ms).unref();
  }

  /** How one stands, on this instance first. */
  of(id: string): InstanceReport[] {
    const { instance, own, clock } = this.#options;
    for (const [other, { heard }] of this.#others) if (clock.now() - heard > silent_ms) this.#others.delete(other);
    const all = [{ instance, reports: own() }, ...[...this.#others].map(([other, { reports }]) => ({ instance: other, reports }))];
    return all.flatMap(({ instance: name, reports }) => {
      const report = Object.hasOwn(reports, id) ? reports[id] : undefined;
      return report ? [{ instance: name, ...report }] : [];
    });
  }

  async #tell(ask: boolean): Promise<void> {
    const { bus, instance, own } = this.#options;
    await bus.publish(channel, { instance, reports: own(), ask } satisfies Told);
  }

  #hear({ instance, reports, ask = false }: Told): void {
    const { instance: self, clock } = this.#options;
    if (instance === self || this.#closed) return;
    if (reports) this.#others.set(instance, { heard: clock.now(), reports });
    else this.#others.delete(instance);
    if (ask) this.changed();
  }
}
