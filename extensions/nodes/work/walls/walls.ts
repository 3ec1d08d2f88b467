import { isIPv4 } from 'node:net';
import type Docker from 'dockerode';
import { LRUCache } from 'lru-cache';
import { fail } from '../../codes.js';
import { singleLine, statusOf } from '../../engines/failures.js';
import type { StoredNode } from '../../store/stored.js';
import type { WallGuard } from '../command-runner.js';
import { workFault } from '../faults.js';
import { type GuardImageParts, guardImageOf } from '../guard-image.js';
import type { NodeContainer } from '../node-container.js';
import { type Report, runHelper } from './guard.js';
import { hostAddresses, private_ranges, spareAddress } from './ranges.js';
import { missingOf, type WallPlan } from './report.js';
import { look, raise, seal, seal_ipv6 } from './scripts.js';

/** Statuses of requests that may succeed later: missing, in conflict, or rate-limited. */
const temporary_statuses: readonly number[] = [404, 408, 409, 425, 429];

/** Matches messages of the engine's runtime if its host lacks a feature. */
const unsupported =
  /not permitted|not allowed|not supported|no such file or directory|permission denied|read-only file system|executable file not found|invalid argument|unknown capability/i;

/** Returns whether an engine permanently can't do something. A temporary failure is no reason to do without it. */
export function isLasting(fault: unknown): boolean {
  const status = statusOf(fault);
  if (status === undefined || temporary_statuses.includes(status)) return false;
  return status < 500 || (status === 500 && unsupported.test((fault as Error).message));
}

export interface WallsParts extends GuardImageParts {
  /** Address of the local engine. */
  local: string;
  /** Labels of the container that sets up a node's network. */
  labels: (node: StoredNode) => Readonly<Record<string, string>>;
  /** Connects its container to its network. */
  join: (place: NodeContainer) => Promise<void>;
  /** Stores the result with the node. */
  keep: (node_id: number, state: { walls: WallState; started_at: string }) => Promise<void>;
  /** Delay before incomplete walls are retried, in ms. Default 10 minutes. */
  retry_ms?: number;
}

export interface WallState {
  fenced: boolean;
  /** Reason why not, as a sentence; empty if they stand. */
  reason: string;
}

interface Attempt {
  walls: WallState;
  started_at: string;
  /** Whether commands find them in place, even if incomplete. */
  stand: boolean;
}

const default_retry_ms = 600_000;
/** Limit of cached nodes. */
const max_remembered = 1_000;

/** Blocks containers from private addresses and their engine's host; repeated after each start. */
export class Walls implements WallGuard {
  readonly #parts: WallsParts;
  /** Containers that can't be walled in, with the start for which that was found, and when. */
  readonly #unwalled = new LRUCache<string, { started_at: string; since: number }>({ max: max_remembered });
  /** Containers with walls, with the start they are valid for, when they were set up, and whether that is certain. */
  readonly #walled = new LRUCache<string, { started_at: string; since: number; certain: boolean }>({ max: max_remembered });
  readonly #setups = new Map<string, Promise<void>>();

  constructor(parts: WallsParts) {
    this.#parts = parts;
  }

  expected({ node, container }: NodeContainer): boolean {
    return node.config.network !== 'none' && !this.#foundOpen(container.id, node.started_at);
  }

  /** Returns whether they were incomplete so long ago that they must be retried. */
  isDue({ container: { id } }: NodeContainer): boolean {
    const standing = this.#walled.get(id);
    const since = standing ? (standing.certain ? undefined : standing.since) : this.#unwalled.get(id)?.since;
    return since !== undefined && !this.#isRecent(since);
  }

  /** Sets them up unless they were set up since the container's start and are not {@link isDue}. */
  async ensure(place: NodeContainer): Promise<void> {
    const { State } = await place.container.inspect().catch((fault: unknown) => {
      throw workFault(fault, place);
    });
    const { id } = place.container;
    const stand = this.#walled.get(id)?.started_at === State.StartedAt;
    if (this.isDue(place) || (!stand && !this.#foundOpen(id, State.StartedAt))) await this.setUp(place);
  }

  /**
   * Sets them up because they were missing at an instant, in ms since the epoch. Callers that arrive during the setup,
   * or that saw them missing before it, share its result.
   */
  async setUp(place: NodeContainer, missed_at = Date.now()): Promise<void> {
    const { id } = place.container;
    const standing = this.#walled.get(id);
    if (standing && standing.since > missed_at) return;
    const under_way = this.#setups.get(id) ?? this.#set(place).finally(() => this.#setups.delete(id));
    this.#setups.set(id, under_way);
    await under_way;
  }

  #foundOpen(container_id: string, started_at: string | null): boolean {
    const found = this.#unwalled.get(container_id);
    return found !== undefined && found.started_at === started_at && this.#isRecent(found.since);
  }

  #isRecent(since: number): boolean {
    return Date.now() - since <= (this.#parts.retry_ms ?? default_retry_ms);
  }

  async #set(place: NodeContainer): Promise<void> {
    try {
      const { walls, started_at, stand } = place.node.config.network === 'none' ? await unneeded(place) : await this.#attempt(place);
      if (!stand) await assertSameStart(place, started_at);
      this.#remember(place.container.id, { stand, certain: walls.fenced, started_at });
      await this.#parts.keep(place.node.id, { walls, started_at });
      if (!walls.fenced)
        this.#parts.log.warn(`The node '${place.node.name}' has incomplete walls: ${walls.reason}`, { node: place.node.id });
    } catch (fault) {
      throw workFault(fault, place);
    }
  }

  #remember(container_id: string, { stand, certain, started_at }: { stand: boolean; certain: boolean; started_at: string }): void {
    this.#unwalled.delete(container_id);
    this.#walled.delete(container_id);
    if (stand) this.#walled.set(container_id, { started_at, since: Date.now(), certain });
    else this.#unwalled.set(container_id, { started_at, since: Date.now() });
  }

  async #attempt(place: NodeContainer): Promise<Attempt> {
    const before = await place.container.inspect();
    const started_at = before.State.StartedAt;
    const open = (reason: string) => ({ walls: { fenced: false, reason }, started_at, stand: false });
    const unconnected = isAlone(before) ? await this.#joined(place) : undefined;
    if (unconnected !== undefined) return open(unconnected);
    const hosts = await hostAddresses(place.node.host, this.#parts.local);
    const plan = planOf(isAlone(before) ? await place.container.inspect() : before, hosts ?? []);
    if (plan === undefined) return open('its network has no IPv4 gateway');
    const { reference: image, trusted } = await guardImageOf(place, this.#parts);
    const raised = await this.#errand(place, { image, script: raise, args: [plan.gateway, plan.hop, ...plan.refused] });
    if (raised.code !== 0) return open(`the image '${image}' can't set its routes (${raised.stderr || `exit code ${raised.code}`})`);
    const report = await this.#sealed(place, image);
    if (report.code !== 0) return open(`its engine does not let the platform set its network (${report.stderr})`);
    const missing = missingOf(report.stdout, plan);
    if (missing !== undefined) return open(missing);
    const doubt = trusted ? hosts === undefined && "its engine's host can't be resolved" : 'they were only checked by its own image';
    return { walls: doubt ? { fenced: false, reason: doubt } : { fenced: true, reason: '' }, started_at, stand: true };
  }

  /** Connects its network; returns why it can't be connected, if so. */
  async #joined(place: NodeContainer): Promise<string | undefined> {
    try {
      await this.#parts.join(place);
      return undefined;
    } catch (fault) {
      if (statusOf(fault) === undefined || statusOf(fault) === 404) throw fault;
      return `it has no network (${singleLine((fault as Error).message)})`;
    }
  }

  /** Seals the walls, including IPv6 if the engine's host has it. */
  async #sealed(place: NodeContainer, image: string): Promise<Report> {
    const sealed = await this.#errand(place, { image, script: look, args: [], sysctls: { ...seal, ...seal_ipv6 } });
    return sealed.code === 0 ? sealed : this.#errand(place, { image, script: look, args: [], sysctls: seal });
  }

  /** Runs a task. A permanent inability of the engine becomes a report: the node then works without walls and says why. */
  async #errand(
    place: NodeContainer,
    errand: Pick<Parameters<typeof runHelper>[1], 'image' | 'script' | 'args' | 'sysctls'>,
  ): Promise<Report> {
    try {
      return await runHelper(place, { ...errand, capabilities: ['NET_ADMIN'], joins: 'network' }, this.#parts.labels(place.node));
    } catch (fault) {
      if (!isLasting(fault)) throw fault;
      return { code: -1, stdout: '', stderr: singleLine((fault as Error).message) };
    }
  }
}

/** Returns whether it has not joined its network yet. */
function isAlone({ NetworkSettings }: Docker.ContainerInspectInfo): boolean {
  return Object.keys(NetworkSettings.Networks).every((name) => name === 'none');
}

/** Checks that the container still runs the same start: otherwise the result says nothing about the next one. */
async function assertSameStart({ node, container }: NodeContainer, started_at: string): Promise<void> {
  const { State } = await container.inspect();
  if (State.Running && State.StartedAt === started_at) return;
  throw fail('node_offline', `The container of the node '${node.name}' ended while its walls were set up`);
}

async function unneeded({ container }: NodeContainer): Promise<Attempt> {
  return { walls: { fenced: true, reason: '' }, started_at: (await container.inspect()).State.StartedAt, stand: true };
}

function planOf({ NetworkSettings }: Docker.ContainerInspectInfo, host_addresses: readonly string[]): WallPlan | undefined {
  const [network, ...more] = Object.values(NetworkSettings.Networks);
  if (!network || more.length > 0 || !isIPv4(network.Gateway) || !isIPv4(network.IPAddress)) return undefined;
  const { Gateway: gateway, IPAddress: address, IPPrefixLen: prefix } = network;
  const hosts = [...new Set([gateway, ...host_addresses])].map((host) => `${host}/32`);
  return { gateway, hop: spareAddress(address, prefix), refused: [...private_ranges, ...hosts] };
}
