import { LRUCache } from 'lru-cache';
import { fail as failCore } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { Command, CommandObserver, CommandResult } from './command.js';
import { CommandAttempt } from './command-attempt.js';
import type { CommandFailureRecorder } from './command-failure-recorder.js';
import type { Refusal } from './first-line.js';
import { accountOf, type NodeUser, prepareFolder } from './folders.js';
import type { Killer } from './killing.js';
import type { NodeContainer } from './node-container.js';
import { PerNodeLimiter, type PerNodeLimits } from './per-node-limiter.js';

/** Protection of private addresses from a container. */
export interface WallGuard {
  /** Returns whether commands must find it in place. */
  expected(place: NodeContainer): boolean;
  /** Returns whether it was incomplete so long ago that it must be retried. */
  isDue(place: NodeContainer): boolean;
  /** Sets it up, if possible, because it was missing at an instant in ms since the epoch. */
  setUp(place: NodeContainer, missed_at: number): Promise<void>;
  /** Sets it up unless it was set up since the container's start. */
  ensure(place: NodeContainer): Promise<void>;
}

const usual_backstop_s = 30;
const usual_limits: PerNodeLimits = { max: 32, max_waiting: 256, max_wait_ms: 60_000 };

/** Limit of attempts to start a command: it is retried without walls or without a folder. */
const max_tries = 4;
/** Limit of containers whose properties are cached. */
const max_remembered = 1_000;

export interface CommandRunnerParts {
  fence: WallGuard;
  /** Kills calls in containers whose own shell can't. */
  killer: Killer;
  limits?: PerNodeLimits;
  /** Records why commands can't be run. Default: nothing is recorded. */
  troubles?: Pick<CommandFailureRecorder, 'watch'>;
  /** Seconds after its time-out at which a command ends by itself if no process is left to kill it. Default 30. */
  backstop_s?: number;
}

/** Runs commands in nodes' containers. */
export class CommandRunner {
  readonly #fence: WallGuard;
  readonly #killer: Killer;
  readonly #limiter: PerNodeLimiter;
  readonly #backstop_s: number;
  readonly #troubles: Pick<CommandFailureRecorder, 'watch'> | undefined;
  /** Whether the `timeout` of a container works. */
  readonly #backstops = new LRUCache<string, boolean>({ max: max_remembered });

  constructor({ fence, killer, limits = usual_limits, backstop_s = usual_backstop_s, troubles }: CommandRunnerParts) {
    this.#troubles = troubles;
    this.#backstop_s = backstop_s;
    this.#fence = fence;
    this.#killer = killer;
    this.#limiter = new PerNodeLimiter(limits);
  }

  /**
   * Runs a command and returns how it ended: by itself, by its time-out, or by the signal, after which none of its
   * processes is left. If the signal aborts before the start, fails with its reason.
   *
   * @throws `node_busy`, `node_offline`, `no_shell`, `invalid_input` (`user`, `cwd`), `command_failed` if it could not
   * be killed, and failures of engines
   */
  async run(place: NodeContainer, command: Command, watch: CommandObserver): Promise<CommandResult> {
    return this.#limited(place, watch, () => this.#runWithRetries(place, { command, watch }));
  }

  /** Runs a program and its arguments in an image without a shell. Fails like {@link run}. */
  async runAlone(place: NodeContainer, command: Command, watch: CommandObserver): Promise<CommandResult> {
    return this.#limited(place, watch, async () => {
      await this.#fence.ensure(place);
      return this.#call(place, command, watch).runAlone();
    });
  }

  /** Runs a command like {@link run} for a member's AI employee: in its own folder and as its own user. */
  async runFor(
    nodeUser: NodeUser,
    place: NodeContainer,
    { command, watch }: { command: Omit<Command, 'user' | 'home'>; watch: CommandObserver },
  ): Promise<CommandResult> {
    const { user, home } = accountOf(nodeUser);
    const whole = { command: { ...command, user, home }, watch, nodeUser };
    return this.#limited(place, watch, () => this.#runWithRetries(place, whole));
  }

  #limited(place: NodeContainer, { signal }: CommandObserver, work: () => Promise<CommandResult>): Promise<CommandResult> {
    const watched = () => this.#troubles?.watch(place, work) ?? work();
    return this.#limiter.run(place.node.id, signal, watched);
  }

  async #runWithRetries(
    place: NodeContainer,
    { command, watch, nodeUser }: { command: Command; watch: CommandObserver; nodeUser?: NodeUser },
  ): Promise<CommandResult> {
    const { node } = place;
    if (node.shell === false) throw fail('no_shell', `The image of the node '${node.name}' has no shell, so commands can't be run in it`);
    if (this.#fence.isDue(place)) await this.#fence.ensure(place);
    for (let tries = 0; tries < max_tries; tries += 1) {
      const begun = Date.now();
      const ended = await this.#attempt(place, command, watch);
      if (typeof ended === 'object') return ended;
      if (ended === 'astray') throw invalidFolder(command.folder);
      if (ended === 'unfenced') await this.#fence.setUp(place, begun);
      else if (nodeUser) await prepareFolder(place, nodeUser, watch.signal);
      else break;
    }
    throw fail('node_offline', `The container of the node '${node.name}' keeps restarting`);
  }

  async #attempt(place: NodeContainer, command: Command, watch: CommandObserver): Promise<CommandResult | Refusal> {
    const { id } = place.container;
    const known = this.#backstops.get(id);
    const call = this.#call(place, command, watch);
    const wall = this.#fence.expected(place) ? 'fenced' : 'open';
    const ended = await call.run({ wall, backstop: known === undefined ? 'ask' : known ? 'yes' : 'no' });
    if (known === undefined && call.backstop !== undefined) this.#backstops.set(id, call.backstop);
    return ended;
  }

  #call(place: NodeContainer, command: Command, watch: CommandObserver): CommandAttempt {
    return new CommandAttempt(place, { command, watch, killer: this.#killer, backstop_s: this.#backstop_s });
  }
}

function invalidFolder(folder: string) {
  const message = `"cwd" must be an accessible folder, but '${folder.slice(0, 200)}' is not`;
  return failCore('invalid_input', message, { details: [{ path: 'cwd', message }] });
}
