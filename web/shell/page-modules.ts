import { flushSync } from 'react-dom';
import type { PageEntry } from '../../kernel/contract/manifest.js';
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
/** Further attempts, as long as the page is wanted. */
const last_retry_ms = 30_000;
/** Limit of one attempt: a connection that died without a word would keep it for many minutes. */
const import_ms = 20_000;

/**
 * The modules of all extensions' pages. They are loaded when they are needed. When the server has a newer one of a page that was loaded, it
 * takes the old one's place at once, and what is typed, selected and scrolled stays.
 */
export class PageModules {
  readonly state: Value<PagesState>;
  /** Entries that are gone, by path. */
  readonly #gone = new Map<string, PageEntry>();
  readonly #composition = new Composition();
  readonly #loading = new Map<string, Promise<void>>();
  readonly #failed = new Map<string, number>();
  /** Ends the wait before the next attempt. */
  readonly #wake = new Map<string, () => void>();

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
    }
    this.#noteGone(before, next);
    this.state.set(next);
    for (const { extension, shown } of before.values()) if (!next.has(extension)) shown?.style?.remove();
    for (const { extension, offered: pages } of next.values()) {
      const known = before.get(extension);
      if (known?.offered.module !== pages.module) this.#wake.get(extension)?.();
      if (known?.shown && known.shown.address !== pages.module) void this.load(extension);
    }
  }

  #noteGone(before: PagesState, next: PagesState): void {
    const entriesIn = (state: PagesState) => [...state.values()].flatMap(({ offered }) => offered.entries);
    for (const entry of entriesIn(before)) this.#gone.set(entry.path, entry);
    for (const { path } of entriesIn(next)) this.#gone.delete(path);
  }

  /** Returns the pages to which a path belongs. */
  at(path: string): Pages | undefined {
    const found = [...this.state.get().values()]
      .flatMap((pages) => pages.offered.entries.map((entry) => ({ pages, top: entry.path })))
      .filter(({ top }) => isBelow(path, top))
      .sort((one, other) => other.top.length - one.top.length)[0];
    return found?.pages;
  }

  /** Returns the entry that was at a path until its extension went, or until the member's role changed. */
  goneAt(path: string): PageEntry | undefined {
    return [...this.#gone.values()].find((entry) => isBelow(path, entry.path));
  }

  /** Loads the module that is offered unless it is shown already. Called again, it tries at once. */
  load(extension: string): Promise<void> {
    this.#wake.get(extension)?.();
    const loading = this.#loading.get(extension) ?? Promise.resolve().then(() => this.#load(extension));
    this.#loading.set(extension, loading);
    return loading;
  }

  /** Ends all waits: the server can be reached again. */
  retry(): void {
    for (const wake of this.#wake.values()) wake();
  }

  /** Loads until what is offered is shown. A newer offer during an attempt is taken next, whatever became of the attempt. */
  async #load(extension: string): Promise<void> {
    for (let failed = 0; ; ) {
      const pages = this.state.get().get(extension);
      if (pages === undefined || pages.shown?.address === pages.offered.module) {
        // In the same step as the check, so that no offer comes between.
        this.#loading.delete(extension);
        return;
      }
      try {
        await this.#replace(pages);
        failed = 0;
      } catch (error) {
        const isCurrent = this.state.get().get(extension)?.offered.module === pages.offered.module;
        if (isCurrent) this.#change(extension, { error });
        failed = isCurrent ? failed + 1 : 0;
        if (isCurrent) await this.#wait(extension, retries_ms[failed - 1] ?? last_retry_ms);
      }
    }
  }

  /** Waits before another attempt; less if a newer module is offered or somebody asks for it. */
  async #wait(extension: string, wait_ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, wait_ms);
      this.#wake.set(extension, () => {
        clearTimeout(timer);
        resolve();
      });
    });
    this.#wake.delete(extension);
  }

  async #replace({ extension, offered, shown }: Pages): Promise<void> {
    const styling = offered.style === null ? undefined : loadStyle(offered.style);
    const [module, style] = await Promise.all([this.#import(offered.module), styling]).catch((error: unknown) => {
      styling?.then(
        (loaded) => loaded.remove(),
        () => undefined,
      );
      throw error;
    });
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
      const { default: page } = (await within(import(attempt), import_ms)) as { default: PageModule };
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

/** Rejects if a promise takes longer than that. */
async function within<T>(promise: Promise<T>, limit_ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${limit_ms / 1_000} s`)), limit_ms);
  });
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}

function fresh(offered: StartPages): Pages {
  return { extension: offered.extension, offered, shown: undefined, error: undefined };
}
