import type Docker from 'dockerode';
import { fail } from '../codes.js';
import type { PullProgress } from '../contract.js';
import { explain, singleLine, statusOf } from '../engines/failures.js';
import type { Image } from './image.js';
import { PullLayers } from './layers.js';
import { pullAdvice } from './pull-advice.js';

export interface PullLimits {
  /** Time without news after which a pull is cancelled, in ms. */
  idle_ms: number;
  /** Time limit of a whole pull, in ms. */
  total_ms: number;
  /** Minimum interval of progress reports, in ms. */
  report_ms: number;
}

const default_limits: PullLimits = { idle_ms: 120_000, total_ms: 1_800_000, report_ms: 250 };
const max_line_length = 65_536;

export interface PullRequest {
  docker: Docker;
  /** Engine's address; empty means the local one. */
  host: string;
  image: Image;
  signal: AbortSignal;
  onProgress: (progress: PullProgress) => void;
}

interface Pull {
  done: Promise<void>;
  listeners: Set<(progress: PullProgress) => void>;
  abort: AbortController;
}

/** Pulls images, each from each engine once at a time, however many nodes wait for it. */
export class Pulls {
  readonly #limits: PullLimits;
  readonly #running = new Map<string, Pull>();

  constructor(limits: Partial<PullLimits> = {}) {
    this.#limits = { ...default_limits, ...limits };
  }

  /**
   * Pulls an image unless the engine has it.
   *
   * @throws `image_pull_failed`, or the reason why the engine is unreachable
   */
  async ensure(request: PullRequest): Promise<void> {
    if (await isPresent(request)) return;
    const key = `${request.host} ${request.image.reference}`;
    const pull = this.#running.get(key) ?? this.#start(key, request);
    pull.listeners.add(request.onProgress);
    try {
      await unlessAborted(pull.done, request.signal);
    } finally {
      pull.listeners.delete(request.onProgress);
      // Nobody is waiting for it.
      if (pull.listeners.size === 0) this.#end(key, pull);
    }
  }

  #end(key: string, pull: Pull): void {
    if (this.#running.get(key) === pull) this.#running.delete(key);
    pull.abort.abort();
  }

  #start(key: string, request: PullRequest): Pull {
    const listeners: Pull['listeners'] = new Set();
    const abort = new AbortController();
    const told = (progress: PullProgress) => {
      for (const listener of listeners) listener(progress);
    };
    const pull: Pull = { done: this.#pull({ ...request, onProgress: told }, abort), listeners, abort };
    this.#running.set(key, pull);
    const end = () => this.#end(key, pull);
    pull.done.then(end, end);
    return pull;
  }

  async #pull(request: PullRequest, abort: AbortController): Promise<void> {
    const { docker, image, host } = request;
    const { idle_ms, total_ms: whole_ms, report_ms: tell_ms } = this.#limits;
    const cancelBecause = (why: string) => () => abort.abort(pullFailed(image, why));
    const whole = setTimeout(cancelBecause(`it took longer than ${whole_ms / 60_000} minutes`), whole_ms);
    const idle = setTimeout(cancelBecause(`no progress for ${idle_ms / 1_000} seconds`), idle_ms);
    try {
      const query = { fromImage: image.name, tag: image.version, abortSignal: abort.signal };
      const stream = await docker.createImage(query);
      const layers = new PullLayers(request.onProgress, tell_ms);
      for await (const line of linesOf(stream, abort.signal)) {
        const message = read(line);
        if (message?.error !== undefined) throw pullFailed(image, withAdvice(message.error));
        if (message && layers.take(message)) idle.refresh();
      }
      layers.report();
      if (!(await isPresent(request))) throw pullFailed(image, 'the engine does not have it after the pull');
    } catch (fault) {
      if (abort.signal.aborted) throw abort.signal.reason;
      throw statusOf(fault) === undefined ? explain(fault, host) : pullFailed(image, withAdvice((fault as Error).message));
    } finally {
      clearTimeout(whole);
      clearTimeout(idle);
    }
  }
}

async function isPresent({ docker, host, image }: PullRequest): Promise<boolean> {
  try {
    await docker.getImage(image.reference).inspect();
    return true;
  } catch (fault) {
    if (statusOf(fault) === 404) return false;
    throw explain(fault, host);
  }
}

function withAdvice(words: string): string {
  return `${singleLine(words)}${pullAdvice(words)}`;
}

function pullFailed({ reference }: Image, why: string) {
  return fail('image_pull_failed', `The image '${reference}' can't be pulled: ${why}`);
}

interface Line {
  id?: string;
  status?: string;
  error?: string;
  progressDetail?: { current?: number; total?: number };
}

function read(line: string): Line | undefined {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === 'object' && value !== null ? (value as Line) : undefined;
  } catch {
    return undefined;
  }
}

/** Yields the lines of a stream and closes it at the end. Lines that are too long are dropped. */
async function* linesOf(stream: NodeJS.ReadableStream, signal: AbortSignal): AsyncGenerator<string> {
  const close = () => (stream as NodeJS.ReadableStream & { destroy(fault?: Error): void }).destroy(signal.reason as Error | undefined);
  signal.addEventListener('abort', close, { once: true });
  let rest = '';
  try {
    for await (const chunk of stream) {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > max_line_length) rest = '';
      yield* lines.filter((line) => line !== '');
    }
    if (rest !== '') yield rest;
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
