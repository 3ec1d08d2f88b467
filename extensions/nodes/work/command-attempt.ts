import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fail as failCore, isFailure } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import { singleLine, statusOf } from '../engines/failures.js';
import type { Command, CommandObserver, CommandResult } from './command.js';
import { CommandKill } from './command-kill.js';
import { ExecStream } from './exec-stream.js';
import { workFault } from './faults.js';
import { FirstLine, type Refusal } from './first-line.js';
import type { Frame } from './frames.js';
import { type Killer, killInside } from './killing.js';
import type { NodeContainer } from './node-container.js';
import { enter, marker } from './scripts.js';

/** State that the platform expects of a container. */
export interface Expectation {
  /** Whether walls must stand. */
  wall: 'fenced' | 'open';
  /** Whether its `timeout` works; `ask`: unknown. */
  backstop: 'yes' | 'no' | 'ask';
}

export interface CallParts {
  command: Command;
  watch: CommandObserver;
  /** Kills it from outside of its container if its own shell can't. */
  killer: Killer;
  /** Seconds after its time-out at which it ends by itself if no process is left to kill it. */
  backstop_s: number;
}

const default_bytes = 1024 * 1024;
/** Exit code of a shell that can't start a process; the script hides its message. */
const shell_failed = 2;
/** Time in ms for which a container that has ended may still look running. */
const settle_ms = 300;

/** Runs a command once, from start to end; after a refusal it may be retried. */
export class CommandAttempt {
  readonly #place: NodeContainer;
  readonly #command: Command;
  readonly #watch: CommandObserver;
  readonly #mark = randomUUID();
  #head = new FirstLine();
  readonly #killer: Killer;
  readonly #backstop_s: number;
  #ending: CommandKill;
  #stream: ExecStream | undefined;
  #exit_code: number | null = null;
  #remaining: number;
  #truncated = false;

  constructor(place: NodeContainer, { command, watch, killer, backstop_s }: CallParts) {
    this.#place = place;
    this.#backstop_s = backstop_s;
    this.#command = command;
    this.#watch = watch;
    this.#killer = killer;
    this.#ending = this.#endingBy([killInside, killer]);
    this.#remaining = command.max_bytes ?? default_bytes;
  }

  /** Whether the container's `timeout` works; undefined before the start. */
  get backstop(): boolean | undefined {
    return this.#head.leader === undefined ? undefined : this.#head.backstop;
  }

  /** Runs the command with the container's shell. */
  async run({ wall, backstop }: Expectation): Promise<CommandResult | Refusal> {
    const { home = '', folder, timeout_ms, argv } = this.#command;
    const seconds = String(Math.ceil(timeout_ms / 1000) + this.#backstop_s);
    await this.#execute(['/bin/sh', '-c', enter, 'enter', wall, home, folder, seconds, backstop, ...argv]);
    return this.#head.refusal ?? this.#ended();
  }

  /** Runs the program directly: for images without a shell. */
  async runAlone(): Promise<CommandResult> {
    this.#head = new FirstLine(true);
    this.#ending = this.#endingBy([this.#killer]);
    await this.#execute(this.#command.argv, this.#command.folder);
    return this.#ended();
  }

  #endingBy(killers: readonly Killer[]): CommandKill {
    return new CommandKill({
      place: this.#place,
      killers,
      victim: () => ({ leader: this.#head.leader, mark: this.#mark, user: this.#command.user }),
      pending: () => this.#head.pending,
      close: () => this.#stream?.destroy(),
    });
  }

  async #execute(argv: readonly string[], folder?: string): Promise<void> {
    const { signal } = this.#watch;
    const { user, stdin } = this.#command;
    signal.throwIfAborted();
    const ending = this.#ending;
    const aborted = () => ending.stop('abort');
    const timer = setTimeout(() => ending.stop('timeout'), this.#command.timeout_ms);
    signal.addEventListener('abort', aborted, { once: true });
    try {
      this.#stream = await ExecStream.start(this.#place, { argv, user, env: this.#env(), folder, stdin });
      ending.started();
      if (!this.#head.pending) this.#watch.begun?.();
      for await (const frame of this.#stream.frames()) await this.#receive(frame);
      this.#exit_code = await this.#end(this.#stream);
    } catch (fault) {
      if (ending.isUnderWay) return;
      // A command that the engine refused does not run.
      if (!isFailure(fault) && statusOf(fault) === undefined) ending.killOrphan();
      throw workFault(fault, this.#place);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', aborted);
      await ending.waitUntilKilled().finally(() => this.#stream?.destroy());
    }
  }

  #env(): string[] {
    const { env = {}, home } = this.#command;
    const given = Object.entries(home === undefined ? env : { HOME: home, ...env }).filter(([name]) => name !== marker);
    return [...given.map(([name, value]) => `${name}=${value}`), `${marker}=${this.#mark}`];
  }

  async #receive(frame: Frame): Promise<void> {
    const { pending } = this.#head;
    const commandFrames = this.#head.parse(frame);
    if (pending && this.#head.leader !== undefined) this.#begun();
    for (const { stream, bytes } of commandFrames) await this.#forward(stream, bytes);
  }

  /** Forwards output up to the command's limit. */
  async #forward(stream: Frame['stream'], bytes: Buffer): Promise<void> {
    const passed = bytes.subarray(0, this.#remaining);
    this.#remaining -= passed.length;
    if (passed.length < bytes.length) this.#truncated = true;
    if (passed.length > 0) await this.#watch.output({ stream, bytes: passed });
  }

  #begun(): void {
    this.#ending.leaderKnown();
    this.#watch.begun?.();
  }

  async #ended(): Promise<CommandResult> {
    const { how } = this.#ending;
    if (how !== 'exit') return { exit_code: null, how, truncated: this.#truncated };
    const exit_code = this.#exit_code;
    if (this.#head.pending) throw this.#startFailure(exit_code);
    if (exit_code === null || exit_code === 137) await this.#assertAlive();
    return { exit_code, how: 'exit', truncated: this.#truncated };
  }

  /**
   * Returns the exit code.
   *
   * @throws `node_offline` if the stream ended before the command
   */
  async #end(stream: ExecStream): Promise<number | null> {
    const code = await stream.exitCode();
    if (code !== undefined || this.#ending.isUnderWay) return code ?? null;
    this.#ending.killOrphan();
    await this.#assertAlive();
    const message = `The output of the command on the node '${this.#place.node.name}' ended before the command did`;
    throw fail('node_offline', `${message}, as after a lost connection; the command was killed`);
  }

  /** Explains in the engine's words why the container's shell did not even print its first line. */
  #startFailure(exit_code: number | null): Error {
    const { name } = this.#place.node;
    const words = singleLine(this.#head.unexpected);
    if (/unable to find (user|group)/.test(words)) {
      const message = `"user" must be a name or a number in the container of '${name}': ${words}`;
      return failCore('invalid_input', message, { details: [{ path: 'user', message }] });
    }
    if ((exit_code === shell_failed && words === '') || /resource temporarily unavailable/i.test(words))
      return fail('node_busy', `The member's process limit on the node '${name}' is reached: end some processes, or try again later`);
    if (exit_code === 126 || exit_code === 127) return fail('no_shell', `The image of the node '${name}' has no /bin/sh: ${words}`);
    const how = exit_code === null ? 'for a reason unknown to its engine' : `with exit code ${exit_code}`;
    return fail(
      'container_failed',
      `The node '${name}' could not start the command, which ended ${how}${words === '' ? '' : `: ${words}`}`,
    );
  }

  /**
   * Checks that the container still runs. A command killed with its container has no exit code of its own, and the
   * engine reports the container's end a moment later.
   */
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
