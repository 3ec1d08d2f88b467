import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fail as failCore } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import { plain } from '../engines/failures.js';
import { ExecStream } from './exec-stream.js';
import { workFault } from './faults.js';
import type { Frame } from './frames.js';
import { Head, type Refusal } from './head.js';
import { type Killer, killInside } from './killing.js';
import type { Place } from './place.js';
import { enter, marker } from './scripts.js';

/** A command to run in a node's container. */
export interface Command {
  /** A program and its arguments. */
  argv: readonly string[];
  /** A name or number in the container; left out: the image's own. */
  user?: string | undefined;
  /** Whose it is: made where it isn't there, and told as `HOME`. */
  home?: string | undefined;
  /** Where it runs: an absolute path. */
  folder: string;
  env?: Readonly<Record<string, string>>;
  /** Then all its processes are killed. */
  timeout_ms: number;
  stdin?: Buffer;
  /** What is given of its output; the rest is read and dropped. Default 1 MiB. */
  most_bytes?: number;
}

export interface Ended {
  /** Null where it was killed. */
  exit_code: number | null;
  how: 'exit' | 'timeout' | 'abort';
  /** Whether output was dropped. */
  truncated: boolean;
}

/** What the platform expects of a container. */
export interface Expectation {
  /** Whether walls must stand. */
  wall: 'fenced' | 'open';
  /** Whether its `timeout` is one; `ask`: not known yet. */
  backstop: 'yes' | 'no' | 'ask';
}

export interface Watch {
  /** Kills it. */
  signal: AbortSignal;
  output: (frame: Frame) => void;
  /** It runs: all that could keep it from that has been found. */
  begun?: () => void;
}

const default_bytes = 1024 * 1024;
/** Nobody is there any more who would kill it: it ends so much later by itself. */
const backstop_s = 30;
/** How long a killed command's stream may take to end, and one that was begun to say so, in ms. */
const grace_ms = 400;
/** How long a container that has ended may still look as if it ran, in ms. */
const settle_ms = 300;

/** One try of a command, from its start to its end; after a refusal it may be tried again. */
export class Call {
  readonly #place: Place;
  readonly #command: Command;
  readonly #watch: Watch;
  readonly #mark = randomUUID();
  #head = new Head();
  #killer = killInside;
  #stream: ExecStream | undefined;
  #how: Ended['how'] = 'exit';
  #killing: Promise<unknown> | undefined;
  #left: number;
  #truncated = false;

  constructor(place: Place, command: Command, watch: Watch) {
    this.#place = place;
    this.#command = command;
    this.#watch = watch;
    this.#left = command.most_bytes ?? default_bytes;
  }

  /** Whether the container's `timeout` is one; undefined where it has not begun. */
  get backstop(): boolean | undefined {
    return this.#head.leader === undefined ? undefined : this.#head.backstop;
  }

  /** Runs it by the container's shell. */
  async run({ wall, backstop }: Expectation): Promise<Ended | Refusal> {
    const { home = '', folder, timeout_ms, argv } = this.#command;
    const seconds = String(Math.ceil(timeout_ms / 1000) + backstop_s);
    await this.#through(['/bin/sh', '-c', enter, 'enter', wall, home, folder, seconds, backstop, ...argv]);
    return this.#head.refusal ?? this.#ended();
  }

  /** Runs its program as it is: for images without a shell, and with somebody else to kill it. */
  async runAlone(killer: Killer): Promise<Ended> {
    this.#head = new Head(true);
    this.#killer = killer;
    await this.#through(this.#command.argv, this.#command.folder);
    return this.#ended();
  }

  async #through(argv: readonly string[], folder?: string): Promise<void> {
    const { signal } = this.#watch;
    const { user, stdin } = this.#command;
    signal.throwIfAborted();
    const aborted = () => this.#stop('abort');
    const timer = setTimeout(() => this.#stop('timeout'), this.#command.timeout_ms);
    signal.addEventListener('abort', aborted, { once: true });
    try {
      this.#stream = await ExecStream.start(this.#place, { argv, user, env: this.#env(), folder, stdin });
      if (!this.#head.pending) this.#begun();
      for await (const frame of this.#stream.frames()) this.#take(frame);
    } catch (fault) {
      if (this.#killing === undefined) throw workFault(fault, this.#place);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', aborted);
      await this.#killing;
      this.#stream?.destroy();
    }
  }

  #env(): string[] {
    const { env = {}, home } = this.#command;
    const given = Object.entries(home === undefined ? env : { HOME: home, ...env }).filter(([name]) => name !== marker);
    return [...given.map(([name, value]) => `${name}=${value}`), `${marker}=${this.#mark}`];
  }

  #take(frame: Frame): void {
    const { pending } = this.#head;
    const own = this.#head.take(frame);
    if (pending && this.#head.leader !== undefined) this.#begun();
    for (const { stream, bytes } of own) this.#give(stream, bytes);
  }

  /** No more than is to be kept. */
  #give(stream: Frame['stream'], bytes: Buffer): void {
    const kept = bytes.subarray(0, this.#left);
    this.#left -= kept.length;
    if (kept.length < bytes.length) this.#truncated = true;
    if (kept.length > 0) this.#watch.output({ stream, bytes: kept });
  }

  #begun(): void {
    // It was to end before it had begun.
    if (this.#how !== 'exit') this.#kill();
    this.#watch.begun?.();
  }

  /** What hasn't said who leads it is waited for: what isn't there yet can't be killed. */
  #stop(how: 'timeout' | 'abort'): void {
    if (this.#how !== 'exit') return;
    this.#how = how;
    if (!this.#head.pending) this.#kill();
    else if (this.#stream) setTimeout(() => this.#kill(), grace_ms).unref();
  }

  #kill(): void {
    const victim = { leader: this.#head.leader, mark: this.#mark, user: this.#command.user };
    this.#killing = this.#killer(this.#place, victim).then(() => {
      setTimeout(() => this.#stream?.destroy(), grace_ms).unref();
    });
  }

  async #ended(): Promise<Ended> {
    if (this.#how !== 'exit') return { exit_code: null, how: this.#how, truncated: this.#truncated };
    const exit_code = await this.#exitCode();
    if (this.#head.pending) throw this.#unbegun(exit_code);
    if (exit_code === null || exit_code === 137) await this.#assertAlive();
    return { exit_code, how: 'exit', truncated: this.#truncated };
  }

  async #exitCode(): Promise<number | null> {
    try {
      return (await this.#stream?.exitCode()) ?? null;
    } catch (fault) {
      throw workFault(fault, this.#place);
    }
  }

  /** Why the container's shell has not even said its line, in the engine's words. */
  #unbegun(exit_code: number | null): Error {
    const { name } = this.#place.node;
    const words = plain(this.#head.strange);
    if (/unable to find (user|group)/.test(words)) {
      const message = `"user" must be a name or a number in the container of '${name}': ${words}`;
      return failCore('invalid_input', message, { details: [{ path: 'user', message }] });
    }
    if (exit_code === 126 || exit_code === 127) return fail('no_shell', `The image of the node '${name}' has no /bin/sh: ${words}`);
    return fail('node_offline', `The node '${name}' did not begin the command${words === '' ? '' : `: ${words}`}`);
  }

  /** A command that was killed with its container has no end of its own. The engine learns of the container's a moment later. */
  async #assertAlive(): Promise<void> {
    const { container, node } = this.#place;
    for (const wait_ms of [0, settle_ms]) {
      await sleep(wait_ms);
      const { State } = await container.inspect().catch((fault: unknown) => {
        throw workFault(fault, this.#place);
      });
      if (!State.Running) throw fail('node_offline', `The container of the node '${node.name}' ended while the command ran`);
    }
  }
}
