import { flushSync } from 'react-dom';
import type { StartPages } from '../kit/data/connection.js';
import type { PageModule } from '../kit/data/define-page.js';
import { Value } from '../kit/data/value.js';
import { Composition } from './composition.js';
import { isBelow } from './patterns.js';
import { loadStyle, type Style } from './style.js';
import { capture } from './view-state.js';

/** The pages of an extension in this tab. */
export interface Pages {
  readonly extension: string;
  /** As the server has them now. */
  readonly offered: StartPages;
  /** The module that is shown; undefined until it is needed for the first time. */
  readonly shown: Shown | undefined;
  /** Why the offered module can't be loaded. */
  readonly error: unknown;
}

interface Shown {
  readonly module: PageModule;
  readonly address: string;
  readonly style: Style | undefined;
}

export type PagesState = ReadonlyMap<string, Pages>;

const retries_ms = [1_000, 3_000, 10_000];

/**
 * The modules of all extensions' pages. They are loaded when they are needed. When the server has a newer one of a page that was loaded, it
 * takes the old one's place at once, and what is typed, selected and scrolled stays.
 */
export class PageModules {
  readonly state: Value<PagesState>;
  /** Titles of pages that are gone, by path. */
  readonly gone = new Map<string, StartPages>();
  readonly #composition = new Composition();
  readonly #loading = new Map<string, Promise<void>>();
  readonly #failed = new Map<string, number>();

  constructor(offered: readonly StartPages[]) {
    this.state = new Value(new Map(offered.map((pages) => [pages.extension, fresh(pages)])));
  }

  /** Takes over what the server offers now. */
  update(offered: readonly StartPages[]): void {
    const before = this.state.get();
    const next = new Map<string, Pages>();
    for (const pages of offered) {
      const known = before.get(pages.extension);
      next.set(pages.extension, known ? { ...known, offered: pages } : fresh(pages));
      for (const { path } of pages.entries) this.gone.delete(path);
    }
    const left = [...before.values()].filter(({ extension }) => !next.has(extension));
    for (const { offered: pages } of left) for (const { path } of pages.entries) this.gone.set(path, pages);
    this.state.set(next);
    for (const { shown } of left) shown?.style?.remove();
    for (const pages of next.values()) if (pages.shown && pages.shown.address !== pages.offered.module) void this.load(pages.extension);
  }

  /** Returns the pages to which a path belongs. */
  at(path: string): Pages | undefined {
    const found = [...this.state.get().values()]
      .flatMap((pages) => pages.offered.entries.map((entry) => ({ pages, top: entry.path })))
      .filter(({ top }) => isBelow(path, top))
      .sort((one, other) => other.top.length - one.top.length)[0];
    return found?.pages;
  }

  /** Returns the pages that were at a path until their extension went. */
  goneAt(path: string): StartPages | undefined {
    return [...this.gone].find(([top]) => isBelow(path, top))?.[1];
  }

  /** Loads the module that is offered unless it is shown already. */
  load(extension: string): Promise<void> {
    const loading = this.#loading.get(extension) ?? this.#load(extension).finally(() => this.#loading.delete(extension));
    this.#loading.set(extension, loading);
    return loading;
  }

  async #load(extension: string): Promise<void> {
    for (let failed = 0; ; failed += 1) {
      const pages = this.state.get().get(extension);
      if (pages === undefined || pages.shown?.address === pages.offered.module) return;
      try {
        await this.#replace(pages);
        failed = -1;
      } catch (error) {
        this.#change(extension, { error });
        const wait_ms = retries_ms[failed];
        if (wait_ms === undefined) return;
        await new Promise((resolve) => setTimeout(resolve, wait_ms));
      }
    }
  }

  async #replace({ extension, offered, shown }: Pages): Promise<void> {
    const [module, style] = await Promise.all([
      this.#import(offered.module),
      offered.style === null ? undefined : loadStyle(offered.style),
    ]);
    if (shown) await this.#composition.end();
    const now = this.state.get().get(extension);
    if (now === undefined || now.offered.module !== offered.module) return style?.remove();
    const next = { shown: { module, address: offered.module, style }, error: undefined };
    if (!now.shown) {
      style?.apply();
      return this.#change(extension, next);
    }
    // One task: between the two pages there is no moment at which a key could be lost.
    const restore = capture();
    style?.apply();
    now.shown.style?.remove();
    flushSync(() => this.#change(extension, next));
    restore();
  }

  async #import(address: string): Promise<PageModule> {
    // A browser may remember that an address failed, so each further attempt has another one.
    const failed = this.#failed.get(address) ?? 0;
    const attempt = failed === 0 ? address : `${address}${address.includes('?') ? '&' : '?'}attempt=${failed}`;
    try {
      const { default: page } = (await import(attempt)) as { default: PageModule };
      if (typeof page?.views !== 'object') throw new Error(`${address} is not a page: it has no views`);
      return page;
    } catch (error) {
      this.#failed.set(address, failed + 1);
      throw error;
    }
  }

  #change(extension: string, change: Partial<Pages>): void {
    const before = this.state.get();
    const pages = before.get(extension);
    if (pages) this.state.set(new Map(before).set(extension, { ...pages, ...change }));
  }
}

function fresh(offered: StartPages): Pages {
  return { extension: offered.extension, offered, shown: undefined, error: undefined };
}
