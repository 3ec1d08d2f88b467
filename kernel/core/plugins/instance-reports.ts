import type { Bus } from '../../contract/journal.js';
import type { ExtensionReport, InstanceReport } from '../../contract/system.js';

export interface InstanceReportsOptions {
  bus: Bus;
  instance: string;
  clock: { now(): number };
  /** Returns the states of all extensions on this instance, by id. */
  own: () => Readonly<Record<string, ExtensionReport>>;
}

interface ReportMessage {
  instance: string;
  /** Undefined if the instance stops. */
  reports?: Readonly<Record<string, ExtensionReport>>;
  /** Whether other instances should send theirs, because this one has just started. */
  ask?: boolean;
}

const channel = 'kernel.reports';
const every_ms = 15_000;
/** Silence after which an instance counts as gone. */
const silent_ms = 3 * every_ms;
/** Time within which changes are reported together. */
const debounce_ms = 20;

/** States of extensions on all instances. Each instance broadcasts its own on changes and every 15 s. */
export class InstanceReports {
  readonly #options: InstanceReportsOptions;
  readonly #others = new Map<string, { received_at: number; reports: Readonly<Record<string, ExtensionReport>> }>();
  #soon: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: InstanceReportsOptions) {
    this.#options = options;
  }

  /** Starts to send and receive reports. Returns a function that stops it. */
  async start(): Promise<() => Promise<void>> {
    const unsubscribe = await this.#options.bus.subscribe(channel, (message: ReportMessage) => this.#receive(message));
    const timer = setInterval(() => this.changed(), every_ms).unref();
    await this.#send(true).catch(() => undefined);
    return async () => {
      this.#closed = true;
      clearInterval(timer);
      clearTimeout(this.#soon);
      await unsubscribe();
      await this.#options.bus.publish(channel, { instance: this.#options.instance } satisfies ReportMessage).catch(() => undefined);
    };
  }

  /** Schedules a report after a change on this instance. */
  changed(): void {
    if (this.#closed) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      // The next interval repeats a lost report.
      this.#send(false).catch(() => undefined);
    }, debounce_ms).unref();
  }

  /** Returns the states of one extension, this instance first. */
  of(id: string): InstanceReport[] {
    const { instance, own, clock } = this.#options;
    for (const [other, { received_at: heard }] of this.#others) if (clock.now() - heard > silent_ms) this.#others.delete(other);
    const all = [{ instance, reports: own() }, ...[...this.#others].map(([other, { reports }]) => ({ instance: other, reports }))];
    return all.flatMap(({ instance: name, reports }) => {
      const report = Object.hasOwn(reports, id) ? reports[id] : undefined;
      return report ? [{ instance: name, ...report }] : [];
    });
  }

  async #send(ask: boolean): Promise<void> {
    const { bus, instance, own } = this.#options;
    await bus.publish(channel, { instance, reports: own(), ask } satisfies ReportMessage);
  }

  #receive({ instance, reports, ask = false }: ReportMessage): void {
    const { instance: self, clock } = this.#options;
    if (instance === self || this.#closed) return;
    if (reports) this.#others.set(instance, { received_at: clock.now(), reports });
    else this.#others.delete(instance);
    if (ask) this.changed();
  }
}
