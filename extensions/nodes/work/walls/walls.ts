import { isIPv4 } from 'node:net';
import type Docker from 'dockerode';
import { LRUCache } from 'lru-cache';
import { fail } from '../../codes.js';
import { plain, statusOf } from '../../engines/failures.js';
import type { StoredNode } from '../../store/stored.js';
import type { Fence } from '../execs.js';
import { workFault } from '../faults.js';
import { type GuardImageParts, guardImageOf } from '../guard-image.js';
import type { Place } from '../place.js';
import { type Report, runErrand } from './guard.js';
import { hostAddresses, private_ranges, spareAddress } from './ranges.js';
import { missingOf, type Plan } from './report.js';
import { look, raise, seal, seal_ipv6 } from './scripts.js';

/** Statuses of a request that may succeed at another time: what is gone or in conflict, and too much at once. */
const passing: readonly number[] = [404, 408, 409, 425, 429];

/** What the engine's runtime says where its host can't do something at all. */
const can_not =
  /not permitted|not allowed|not supported|no such file or directory|permission denied|read-only file system|executable file not found|invalid argument|unknown capability/i;

/** Whether an engine says that it can't do a thing, now or later. What may succeed at another time is no reason to do without it. */
export function isLasting(fault: unknown): boolean {
  const status = statusOf(fault);
  if (status === undefined || passing.includes(status)) return false;
  return status < 500 || (status === 500 && can_not.test((fault as Error).message));
}

export interface WallsParts extends GuardImageParts {
  /** The address of the local engine. */
  local: string;
  /** Of the container that sets up a node's network. */
  labels: (node: StoredNode) => Readonly<Record<string, string>>;
  /** Has its container join its network. */
  join: (place: Place) => Promise<void>;
  /** Keeps how it went with the node. */
  keep: (node_id: number, state: { walls: Walled; started_at: string }) => Promise<void>;
  /** What can't be walled in wholly is tried again after so long, in ms. Default 10 minutes. */
  again_ms?: number;
}

export interface Walled {
  fenced: boolean;
  /** Why not, as a sentence; empty where they stand. */
  reason: string;
}

interface Attempt {
  walls: Walled;
  started_at: string;
  /** Whether commands find them standing, though they may not be what they should. */
  stand: boolean;
}

const usual_again_ms = 600_000;
/** Nodes of which it is remembered. */
const max_remembered = 1_000;

/** Keeps containers from private addresses and their engine's host: after each start anew. */
export class Walls implements Fence {
  readonly #parts: WallsParts;
  /** Containers that can't be walled in: at which of their starts, and when that was found. */
  readonly #open = new LRUCache<string, { started_at: string; since: number }>({ max: max_remembered });
  /** Those that were walled in: at which of their starts, when, and whether for certain. */
  readonly #standing = new LRUCache<string, { started_at: string; since: number; certain: boolean }>({ max: max_remembered });
  readonly #raising = new Map<string, Promise<void>>();

  constructor(parts: WallsParts) {
    this.#parts = parts;
  }

  expected({ node, container }: Place): boolean {
    return node.config.network !== 'none' && !this.#foundOpen(container.id, node.started_at);
  }

  /** Whether they were found wanting, so long ago that it is to be tried again. */
  isDue({ container: { id } }: Place): boolean {
    const standing = this.#standing.get(id);
    const since = standing ? (standing.certain ? undefined : standing.since) : this.#open.get(id)?.since;
    return since !== undefined && !this.#isRecent(since);
  }

  /** Sets them unless they were set since the container's start, and are not {@link isDue}. */
  async ensure(place: Place): Promise<void> {
    const { State } = await place.container.inspect().catch((fault: unknown) => {
      throw workFault(fault, place);
    });
    const { id } = place.container;
    const stand = this.#standing.get(id)?.started_at === State.StartedAt;
    if (this.isDue(place) || (!stand && !this.#foundOpen(id, State.StartedAt))) await this.raise(place);
  }

  /**
   * Sets them where they were missing at an instant, in ms since the epoch. Whoever asks while that is done, or saw them
   * missing before it was done, is content with it.
   */
  async raise(place: Place, missed_at = Date.now()): Promise<void> {
    const { id } = place.container;
    const standing = this.#standing.get(id);
    if (standing && standing.since > missed_at) return;
    const under_way = this.#raising.get(id) ?? this.#set(place).finally(() => this.#raising.delete(id));
    this.#raising.set(id, under_way);
    await under_way;
  }

  #foundOpen(container_id: string, started_at: string | null): boolean {
    const found = this.#open.get(container_id);
    return found !== undefined && found.started_at === started_at && this.#isRecent(found.since);
  }

  #isRecent(since: number): boolean {
    return Date.now() - since <= (this.#parts.again_ms ?? usual_again_ms);
  }

  async #set(place: Place): Promise<void> {
    try {
      const { walls, started_at, stand } = place.node.config.network === 'none' ? await unneeded(place) : await this.#attempt(place);
      if (!stand) await assertSameStart(place, started_at);
      this.#remember(place.container.id, { stand, certain: walls.fenced, started_at });
      await this.#parts.keep(place.node.id, { walls, started_at });
      if (!walls.fenced) this.#parts.log.warn(`The node '${place.node.name}' is not walled in: ${walls.reason}`, { node: place.node.id });
    } catch (fault) {
      throw workFault(fault, place);
    }
  }

  #remember(container_id: string, { stand, certain, started_at }: { stand: boolean; certain: boolean; started_at: string }): void {
    this.#open.delete(container_id);
    this.#standing.delete(container_id);
    if (stand) this.#standing.set(container_id, { started_at, since: Date.now(), certain });
    else this.#open.set(container_id, { started_at, since: Date.now() });
  }

  async #attempt(place: Place): Promise<Attempt> {
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
    if (raised.code !== 0) return open(`the image '${image}' can't set its routes (${raised.stderr || `it ended with ${raised.code}`})`);
    const report = await this.#sealed(place, image);
    if (report.code !== 0) return open(`its engine does not let the platform set its network (${report.stderr})`);
    const missing = missingOf(report.stdout, plan);
    if (missing !== undefined) return open(missing);
    const doubt = trusted ? hosts === undefined && "its engine's host can't be resolved" : 'they are checked by its own image only';
    return { walls: doubt ? { fenced: false, reason: doubt } : { fenced: true, reason: '' }, started_at, stand: true };
  }

  /** Gives it its network; why it can't have it, where that is so. */
  async #joined(place: Place): Promise<string | undefined> {
    try {
      await this.#parts.join(place);
      return undefined;
    } catch (fault) {
      if (statusOf(fault) === undefined || statusOf(fault) === 404) throw fault;
      return `it has no network (${plain((fault as Error).message)})`;
    }
  }

  /** Also IPv6, where the engine's host has it. */
  async #sealed(place: Place, image: string): Promise<Report> {
    const sealed = await this.#errand(place, { image, script: look, args: [], sysctls: { ...seal, ...seal_ipv6 } });
    return sealed.code === 0 ? sealed : this.#errand(place, { image, script: look, args: [], sysctls: seal });
  }

  /** What the engine can't do at all is told as a report: the node works without walls, and says why. */
  async #errand(place: Place, errand: Pick<Parameters<typeof runErrand>[1], 'image' | 'script' | 'args' | 'sysctls'>): Promise<Report> {
    try {
      return await runErrand(place, { ...errand, capabilities: ['NET_ADMIN'], joins: 'network' }, this.#parts.labels(place.node));
    } catch (fault) {
      if (!isLasting(fault)) throw fault;
      return { code: -1, stdout: '', stderr: plain((fault as Error).message) };
    }
  }
}

/** Whether it has not joined its network yet. */
function isAlone({ NetworkSettings }: Docker.ContainerInspectInfo): boolean {
  return Object.keys(NetworkSettings.Networks).every((name) => name === 'none');
}

/** What went wrong because the container ended says nothing of its next start. */
async function assertSameStart({ node, container }: Place, started_at: string): Promise<void> {
  const { State } = await container.inspect();
  if (State.Running && State.StartedAt === started_at) return;
  throw fail('node_offline', `The container of the node '${node.name}' ended while its walls were set up`);
}

async function unneeded({ container }: Place): Promise<Attempt> {
  return { walls: { fenced: true, reason: '' }, started_at: (await container.inspect()).State.StartedAt, stand: true };
}

function planOf({ NetworkSettings }: Docker.ContainerInspectInfo, host_addresses: readonly string[]): Plan | undefined {
  const [network, ...more] = Object.values(NetworkSettings.Networks);
  if (!network || more.length > 0 || !isIPv4(network.Gateway) || !isIPv4(network.IPAddress)) return undefined;
  const { Gateway: gateway, IPAddress: address, IPPrefixLen: prefix } = network;
  const hosts = [...new Set([gateway, ...host_addresses])].map((host) => `${host}/32`);
  return { gateway, hop: spareAddress(address, prefix), refused: [...private_ranges, ...hosts] };
}
