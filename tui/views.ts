import audit from './audit/panel.js';
import { type Installation, readInstallation } from './installation.js';
import journal from './journal/panel.js';
import type { Live } from './kit/live.js';
import overview from './overview/panel.js';
import type { AnyPanel, FoundPanel, View } from './panels.js';
import { PluginPages } from './plugin-panel/pages.js';
import type { Session } from './session.js';
import { Store } from './store.js';

/** The views that are available now. */
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

/** Holds the views of the active extensions, and updates them as extensions come and go. */
export class Views extends Store<Offer> {
  readonly #options: ViewsOptions;
  readonly #pages: PluginPages;
  readonly #end: (() => void)[] = [];
  readonly #wanted = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;
  #isClosed = false;

  /** Reads the installation; rejects with its failure. */
  static async open(options: ViewsOptions): Promise<Views> {
    return new Views(options, await readInstallation(options.session.transport, AbortSignal.timeout(read_ms)));
  }

  private constructor(options: ViewsOptions, first: Installation) {
    const pages = new PluginPages();
    super({ installation: first, views: viewsOf(first, options.panels, pages.views(first.panels, first.source)) });
    this.#options = options;
    this.#pages = pages;
    const { live } = options;
    this.#want(['extensions', ...first.topics]);
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

  /** Subscribes to new topics. A topic of a removed extension stays subscribed, and sends nothing. */
  #want(topics: readonly string[]): void {
    for (const topic of topics) {
      if (this.#wanted.has(topic)) continue;
      this.#wanted.add(topic);
      this.#end.push(this.#options.live.want(topic));
    }
  }

  /** Reads the installation again. After a failure the old state stays; each panel reports its own failures. */
  async #read(): Promise<void> {
    if (this.#isReading) return this.#readIn(after_change_ms);
    this.#isReading = true;
    try {
      const { transport } = this.#options.session;
      const { installation: known } = this.get();
      const installation = await readInstallation(transport, AbortSignal.timeout(read_ms), known);
      if (installation === known || this.#isClosed) return;
      this.#want(installation.topics);
      const pluginViews = this.#pages.views(installation.panels, installation.source);
      this.set({ installation, views: viewsOf(installation, this.#options.panels, pluginViews) });
    } catch {
      // The header shows the state of the connection.
    } finally {
      this.#isReading = false;
      this.#readIn(every_ms);
    }
  }
}

function viewsOf({ extensions, operations }: Installation, panels: readonly FoundPanel[], pluginViews: readonly View[]): View[] {
  const extensionViews = panels
    .filter(({ extension }) => extensions.has(extension))
    .map(({ extension, panel }): View => ({ name: extension, panel }));
  const own = ownViews.filter(({ needs }) => needs === undefined || operations.has(needs));
  return [...own, ...extensionViews, ...pluginViews].sort((one, other) => one.panel.order - other.panel.order);
}

const ownViews: readonly (View & { needs?: string })[] = [
  { name: 'overview', panel: overview as unknown as AnyPanel, needs: 'status.get' },
  { name: 'audit', panel: audit as unknown as AnyPanel, needs: 'audit.list' },
  { name: 'journal', panel: journal as unknown as AnyPanel },
];
