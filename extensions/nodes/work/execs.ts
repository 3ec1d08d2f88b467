import { LRUCache } from 'lru-cache';
import { fail as failCore } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import { Call } from './call.js';
import type { Command, Ended, Watch } from './command.js';
import { type Lodger, lodgingOf, prepareFolder } from './folders.js';
import type { Refusal } from './head.js';
import type { Killer } from './killing.js';
import { PerNodeLimiter, type PerNodeLimits } from './per-node-limiter.js';
import type { Place } from './place.js';
import type { Troubles } from './troubles.js';

/** What keeps a container from private addresses. */
export interface Fence {
  /** Whether commands must find it standing. */
  expected(place: Place): boolean;
  /** Whether it was not set wholly, so long ago that it is to be tried again. */
  isDue(place: Place): boolean;
  /** Sets it, where it can be set, since it was missing at an instant in ms since the epoch. */
  raise(place: Place, missed_at: number): Promise<void>;
  /** The same, unless it was set since the container's start. */
  ensure(place: Place): Promise<void>;
}

const usual_backstop_s = 30;
const usual_limits: PerNodeLimits = { max: 32, max_waiting: 256, max_wait_ms: 60_000 };

/** What was not begun is tried again: without walls, and without a folder. */
const max_tries = 4;
/** Containers of which it is remembered what they have. */
const max_remembered = 1_000;

export interface ExecsParts {
  fence: Fence;
  /** Ends calls in containers whose own shell can't do it. */
  killer: Killer;
  limits?: PerNodeLimits;
  /** Records why commands can't be run. Default: nothing does. */
  troubles?: Pick<Troubles, 'watch'>;
  /** A command that nobody is left to kill ends so many seconds after its time-out. Default 30. */
  backstop_s?: number;
}

/** Runs commands in nodes' containers. */
export class Execs {
  readonly #fence: Fence;
  readonly #killer: Killer;
  readonly #limiter: PerNodeLimiter;
  readonly #backstop_s: number;
  readonly #troubles: Pick<Troubles, 'watch'> | undefined;
  /** Containers whose `timeout` is one, or isn't. */
  readonly #backstops = new LRUCache<string, boolean>({ max: max_remembered });

  constructor({ fence, killer, limits = usual_limits, backstop_s = usual_backstop_s, troubles }: ExecsParts) {
    this.#troubles = troubles;
    this.#backstop_s = backstop_s;
    this.#fence = fence;
    this.#killer = killer;
    this.#limiter = new PerNodeLimiter(limits);
  }

  /**
   * Runs a command and gives how it ended: by itself, by its time-out, or by the signal, after which none of its
   * processes is left. Where the signal comes before its start, it fails with the signal's reason.
   *
   * @throws `node_busy`, `node_offline`, `no_shell`, `invalid_input` (`user`, `cwd`), `command_failed` where it could not
   * be killed, and what engines fail with
   */
  async run(place: Place, command: Command, watch: Watch): Promise<Ended> {
    return this.#within(place, watch, () => this.#tried(place, { command, watch }));
  }

  /** A program and its arguments, in an image without a shell. Fails as {@link run}. */
  async runAlone(place: Place, command: Command, watch: Watch): Promise<Ended> {
    return this.#within(place, watch, async () => {
      await this.#fence.ensure(place);
      return this.#call(place, command, watch).runAlone();
    });
  }

  /** As {@link run}, as a member's AI employee: in its own folder and as its own user. */
  async runFor(
    lodger: Lodger,
    place: Place,
    { command, watch }: { command: Omit<Command, 'user' | 'home'>; watch: Watch },
  ): Promise<Ended> {
    const { user, home } = lodgingOf(lodger);
    const whole = { command: { ...command, user, home }, watch, lodger };
    return this.#within(place, watch, () => this.#tried(place, whole));
  }

  #within(place: Place, { signal }: Watch, work: () => Promise<Ended>): Promise<Ended> {
    const watched = () => this.#troubles?.watch(place, work) ?? work();
    return this.#limiter.run(place.node.id, signal, watched);
  }

  async #tried(place: Place, { command, watch, lodger }: { command: Command; watch: Watch; lodger?: Lodger }): Promise<Ended> {
    const { node } = place;
    if (node.shell === false) throw fail('no_shell', `The image of the node '${node.name}' has no shell, so commands can't be run in it`);
    if (this.#fence.isDue(place)) await this.#fence.ensure(place);
    for (let tries = 0; tries < max_tries; tries += 1) {
      const begun = Date.now();
      const ended = await this.#once(place, command, watch);
      if (typeof ended === 'object') return ended;
      if (ended === 'astray') throw astray(command.folder);
      if (ended === 'unfenced') await this.#fence.raise(place, begun);
      else if (lodger) await prepareFolder(place, lodger, watch.signal);
      else break;
    }
    throw fail('node_offline', `The container of the node '${node.name}' is started again and again`);
  }

  async #once(place: Place, command: Command, watch: Watch): Promise<Ended | Refusal> {
    const { id } = place.container;
    const known = this.#backstops.get(id);
    const call = this.#call(place, command, watch);
    const wall = this.#fence.expected(place) ? 'fenced' : 'open';
    const ended = await call.run({ wall, backstop: known === undefined ? 'ask' : known ? 'yes' : 'no' });
    if (known === undefined && call.backstop !== undefined) this.#backstops.set(id, call.backstop);
    return ended;
  }

  #call(place: Place, command: Command, watch: Watch): Call {
    return new Call(place, { command, watch, killer: this.#killer, backstop_s: this.#backstop_s });
  }
}

function astray(folder: string) {
  const message = `"cwd" must be a folder that is there and may be entered, but '${folder.slice(0, 200)}' is not`;
  return failCore('invalid_input', message, { details: [{ path: 'cwd', message }] });
}
