import type { PullProgress } from '../contract.js';

interface Layer {
  done: boolean;
  bytes: number;
  total: number;
}

interface Step {
  id?: string;
  status?: string;
  progressDetail?: { current?: number; total?: number };
}

/** Limit of counted layers. */
const max_layers = 512;
const finished = new Set(['Pull complete', 'Already exists']);

/** Tracks the progress of an image's layers from the engine's output. */
export class PullLayers {
  readonly #layers = new Map<string, Layer>();
  readonly #told: (progress: PullProgress) => void;
  readonly #every_ms: number;
  #last = '';
  #at = Number.NEGATIVE_INFINITY;

  constructor(onProgress: (progress: PullProgress) => void, every_ms: number) {
    this.#told = onProgress;
    this.#every_ms = every_ms;
  }

  /** Processes a line; returns whether it is new. */
  take({ id, status = '', progressDetail }: Step): boolean {
    const news = `${id} ${status} ${progressDetail?.current}`;
    if (news === this.#last) return false;
    this.#last = news;
    // The first line names the tag in place of a layer.
    if (id === undefined || status.startsWith('Pulling from')) return true;
    const layer = this.#layers.get(id) ?? { done: false, bytes: 0, total: 0 };
    if (this.#layers.size >= max_layers && !this.#layers.has(id)) return true;
    if (status === 'Downloading') Object.assign(layer, { bytes: count(progressDetail?.current), total: count(progressDetail?.total) });
    if (status === 'Download complete') layer.bytes = layer.total;
    layer.done = finished.has(status);
    this.#layers.set(id, layer);
    if (performance.now() - this.#at >= this.#every_ms) this.report();
    return true;
  }

  /** Reports the progress. */
  report(): void {
    this.#at = performance.now();
    const layers = [...this.#layers.values()];
    const sum = (key: 'bytes' | 'total') => layers.reduce((all, layer) => all + layer[key], 0);
    this.#told({
      layers: layers.length,
      layers_done: layers.filter(({ done }) => done).length,
      bytes: sum('bytes'),
      total_bytes: sum('total'),
    });
  }
}

/** Reads a count; 0 for anything that isn't one. */
function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}
