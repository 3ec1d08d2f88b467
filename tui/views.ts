import { type Installation, readInstallation } from './installation.js';
import type { Live } from './kit/live.js';
import type { FoundPanel, View } from './panels.js';
import type { Session } from './session.js';
import { Store } from './store.js';

/** What is offered now. */
export interface Offer {
  installation: Installation;
  views: readonly View[];
}

export interface ViewsOptions {
  session: Pick<Session, 'transport'>;
  live: Live;
  panels: readonly FoundPanel[];
}

const every_ms = 10_000;
const after_change_ms = 200;
const read_ms = 10_000;

/** The views of what is active now: an extension that goes takes its own along. */
export class Views extends Store<Offer> {
  readonly #options: ViewsOptions;
  readonly #end: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;
  #isClosed = false;

  /** Fails with what the installation can't be read for. */
  static async open(options: ViewsOptions): Promise<Views> {
    return new Views(options, await readInstallation(options.session.transport, AbortSignal.timeout(read_ms)));
  }

  private constructor(options: ViewsOptions, first: Installation) {
    super({ installation: first, views: viewsOf(first, options.panels) });
    this.#options = options;
    const { live } = options;
    this.#end.push(live.want('extensions'));
    this.#end.push(live.listen(({ type }) => (type === 'extension.changed' ? this.#readIn(after_change_ms) : undefined)));
    this.#end.push(live.watch(() => (live.state.state === 'open' ? this.#readIn(0) : undefined)));
    this.#readIn(every_ms);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const end of this.#end) end();
  }

  #readIn(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#read(), ms);
  }

  /** While nobody answers what is known stays; each panel tells what it can't read. */
  async #read(): Promise<void> {
    if (this.#isReading) return this.#readIn(after_change_ms);
    this.#isReading = true;
    try {
      const { transport } = this.#options.session;
      const installation = await readInstallation(transport, AbortSignal.timeout(read_ms));
      if (installation.generation !== this.get().installation.generation && !this.#isClosed)
        this.set({ installation, views: viewsOf(installation, this.#options.panels) });
    } catch {
      // The header says how it stands with the connection.
    } finally {
      this.#isReading = false;
      this.#readIn(every_ms);
    }
  }
}

function viewsOf({ extensions }: Installation, panels: readonly FoundPanel[]): View[] {
  return panels
    .filter(({ extension }) => extensions.has(extension))
    .map(({ extension, panel }) => ({ name: extension, panel }))
    .sort((one, other) => one.panel.order - other.panel.order);
}
