import type { StopReason } from '../../contract/extension.js';
import { endsWithin } from '../../contract/within.js';
import type { Activation } from '../catalog/catalog.js';
import type { Cell } from '../catalog/cell.js';
import { Draft } from '../catalog/draft.js';
import { Disposables } from './disposables.js';
import type { Bundle } from './loader.js';

/** Time limit for releasing one thing that an extension owns. */
const owned_limit_ms = 5_000;

type Phase = 'activating' | 'active' | 'stopping' | 'stopped';

/** An activated version of an extension, until everything it owns is released. */
export class Running implements Activation {
  readonly bundle: Bundle;
  readonly draft = new Draft();
  readonly owned = new Disposables(owned_limit_ms);
  readonly loaded_at: string;
  readonly #controller = new AbortController();
  readonly #tracked = new Set<Promise<unknown>>();
  #phase: Phase = 'activating';
  #calls = 0;
  #idle: (() => void) | undefined;
  /** The HTTP side; undefined in a process without HTTP. */
  cell: Cell | undefined;
  /** Stop functions of running background work. */
  readonly stops: (() => Promise<void>)[] = [];
  deactivate: (reason: StopReason) => void | Promise<void> = () => undefined;

  constructor(bundle: Bundle, loaded_at: string) {
    this.bundle = bundle;
    this.loaded_at = loaded_at;
  }

  get extension(): string {
    return this.bundle.manifest.id;
  }

  get version(): string {
    return this.bundle.manifest.version;
  }

  get phase(): Phase {
    return this.#phase;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get calls(): number {
    return this.#calls;
  }

  enter(): void {
    this.#calls += 1;
  }

  leave(): void {
    this.#calls -= 1;
    if (this.#calls === 0) this.#idle?.();
  }

  activated(): void {
    this.#phase = 'active';
  }

  /** Signals the extension to stop. */
  stopping(reason: StopReason): void {
    this.#phase = 'stopping';
    this.#controller.abort(reason);
  }

  stopped(): void {
    this.#phase = 'stopped';
  }

  track(work: Promise<unknown>): void {
    this.#tracked.add(work);
    const forget = () => this.#tracked.delete(work);
    work.then(forget, forget);
  }

  /** Waits for running calls; false if `limit_ms` passed first. */
  async drained(limit_ms: number): Promise<boolean> {
    if (this.#calls === 0) return true;
    return endsWithin(limit_ms, new Promise<void>((resolve) => (this.#idle = resolve)));
  }

  /** Waits for tracked work; false if `limit_ms` (undefined: no limit) passed first. */
  async settled(limit_ms?: number): Promise<boolean> {
    const all = (async () => {
      while (this.#tracked.size > 0) await Promise.allSettled(this.#tracked);
    })();
    if (limit_ms === undefined) {
      await all;
      return true;
    }
    return endsWithin(limit_ms, all);
  }
}
