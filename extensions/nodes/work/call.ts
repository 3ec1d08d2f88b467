import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fail as failCore, isFailure } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import { plain, statusOf } from '../engines/failures.js';
import type { Command, Ended, Watch } from './command.js';
import { Ending } from './ending.js';
import { ExecStream } from './exec-stream.js';
import { workFault } from './faults.js';
import type { Frame } from './frames.js';
import { Head, type Refusal } from './head.js';
import { type Killer, killInside } from './killing.js';
import type { Place } from './place.js';
import { enter, marker } from './scripts.js';

/** What the platform expects of a container. */
export interface Expectation {
  /** Whether walls must stand. */
  wall: 'fenced' | 'open';
  /** Whether its `timeout` is one; `ask`: not known yet. */
  backstop: 'yes' | 'no' | 'ask';
}

export interface CallParts {
  command: Command;
  watch: Watch;
  /** Ends it from outside of its container, where its own shell can't. */
  killer: Killer;
  /** Where nobody is left who would kill it, it ends so many seconds after its time-out by itself. */
  backstop_s: number;
}

const default_bytes = 1024 * 1024;
/** With what a shell exits that can start no process; what it says of that goes where the script lets nobody see it. */
const shell_gave_up = 2;
/** How long a container that has ended may still look as if it ran, in ms. */
const settle_ms = 300;

/** One try of a command, from its start to its end; after a refusal it may be tried again. */
export class Call {
  readonly #place: Place;
  readonly #command: Command;
  readonly #watch: Watch;
  readonly #mark = randomUUID();
  #head = new Head();
  readonly #killer: Killer;
  readonly #backstop_s: number;
  #ending: Ending;
  #stream: ExecStream | undefined;
  #exit_code: number | null = null;
  #left: number;
  #truncated = false;

  constructor(place: Place, { command, watch, killer, backstop_s }: CallParts) {
    this.#place = place;
    this.#backstop_s = backstop_s;
    this.#command = command;
    this.#watch = watch;
    this.#killer = killer;
    this.#ending = this.#endingBy([killInside, killer]);
    this.#left = command.max_bytes ?? default_bytes;
  }

  /** Whether the container's `timeout` is one; undefined where it has not begun. */
  get backstop(): boolean | undefined {
    return this.#head.leader === undefined ? undefined : this.#head.backstop;
  }

  /** Runs it by the container's shell. */
  async run({ wall, backstop }: Expectation): Promise<Ended | Refusal> {
    const { home = '', folder, timeout_ms, argv } = this.#command;
    const seconds = String(Math.ceil(timeout_ms / 1000) + this.#backstop_s);
    await this.#through(['/bin/sh', '-c', enter, 'enter', wall, home, folder, seconds, backstop, ...argv]);
    return this.#head.refusal ?? this.#ended();
  }

  /** Runs its program as it is: for images without a shell. */
  async runAlone(): Promise<Ended> {
    this.#head = new Head(true);
    this.#ending = this.#endingBy([this.#killer]);
    await this.#through(this.#command.argv, this.#command.folder);
    return this.#ended();
  }

  #endingBy(killers: readonly Killer[]): Ending {
    return new Ending({
      place: this.#place,
      killers,
      victim: () => ({ leader: this.#head.leader, mark: this.#mark, user: this.#command.user }),
      pending: () => this.#head.pending,
      close: () => this.#stream?.destroy(),
    });
  }

  async #through(argv: readonly string[], folder?: string): Promise<void> {
    const { signal } = this.#watch;
    const { user, stdin } = this.#command;
    signal.throwIfAborted();
    const ending = this.#ending;
    const aborted = () => ending.stop('abort');
    const timer = setTimeout(() => ending.stop('timeout'), this.#command.timeout_ms);
    signal.addEventListener('abort', aborted, { once: true });
    try {
      this.#stream = await ExecStream.start(this.#place, { argv, user, env: this.#env(), folder, stdin });
      ending.asked();
      if (!this.#head.pending) this.#watch.begun?.();
      for await (const frame of this.#stream.frames()) await this.#take(frame);
      this.#exit_code = await this.#end(this.#stream);
    } catch (fault) {
      if (ending.isUnderWay) return;
      // What the engine itself refuses does not run.
      if (!isFailure(fault) && statusOf(fault) === undefined) ending.orphan();
      throw workFault(fault, this.#place);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', aborted);
      await ending.settled().finally(() => this.#stream?.destroy());
    }
  }

  #env(): string[] {
    const { env = {}, home } = this.#command;
    const given = Object.entries(home === undefined ? env : { HOME: home, ...env }).filter(([name]) => name !== marker);
    return [...given.map(([name, value]) => `${name}=${value}`), `${marker}=${this.#mark}`];
  }

  async #take(frame: Frame): Promise<void> {
    const { pending } = this.#head;
    const own = this.#head.take(frame);
    if (pending && this.#head.leader !== undefined) this.#begun();
    for (const { stream, bytes } of own) await this.#give(stream, bytes);
  }

  /** Passes on no more than the command's limit. */
  async #give(stream: Frame['stream'], bytes: Buffer): Promise<void> {
    const passed = bytes.subarray(0, this.#left);
    this.#left -= passed.length;
    if (passed.length < bytes.length) this.#truncated = true;
    if (passed.length > 0) await this.#watch.output({ stream, bytes: passed });
  }

  #begun(): void {
    this.#ending.led();
    this.#watch.begun?.();
  }

  async #ended(): Promise<Ended> {
    const { how } = this.#ending;
    if (how !== 'exit') return { exit_code: null, how, truncated: this.#truncated };
    const exit_code = this.#exit_code;
    if (this.#head.pending) throw this.#unbegun(exit_code);
    if (exit_code === null || exit_code === 137) await this.#assertAlive();
    return { exit_code, how: 'exit', truncated: this.#truncated };
  }

  /** Gives its exit code. @throws `node_offline` where its stream has ended and it has not */
  async #end(stream: ExecStream): Promise<number | null> {
    const code = await stream.exitCode();
    if (code !== undefined || this.#ending.isUnderWay) return code ?? null;
    this.#ending.orphan();
    await this.#assertAlive();
    const message = `What the command on the node '${this.#place.node.name}' writes came to its end before the command did`;
    throw fail('node_offline', `${message}, as when a connection is cut; the command is killed`);
  }

  /** Why the container's shell has not even said its line, in the engine's words. */
  #unbegun(exit_code: number | null): Error {
    const { name } = this.#place.node;
    const words = plain(this.#head.strange);
    if (/unable to find (user|group)/.test(words)) {
      const message = `"user" must be a name or a number in the container of '${name}': ${words}`;
      return failCore('invalid_input', message, { details: [{ path: 'user', message }] });
    }
    if ((exit_code === shell_gave_up && words === '') || /resource temporarily unavailable/i.test(words))
      return fail('node_busy', `No more processes may run for this member on the node '${name}': end some of them, or try again later`);
    if (exit_code === 126 || exit_code === 127) return fail('no_shell', `The image of the node '${name}' has no /bin/sh: ${words}`);
    const how = exit_code === null ? 'in a way its engine does not know' : `with exit code ${exit_code}`;
    return fail('container_failed', `The node '${name}' did not begin the command, which ended ${how}${words === '' ? '' : `: ${words}`}`);
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
