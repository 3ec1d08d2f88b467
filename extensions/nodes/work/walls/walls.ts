import { isIPv4 } from 'node:net';
import type Docker from 'dockerode';
import type { Log } from '../../../../kernel/contract/index.js';
import { plain, statusOf } from '../../engines/failures.js';
import type { StoredNode } from '../../store/stored.js';
import type { Fence } from '../execs.js';
import { workFault } from '../faults.js';
import type { Place } from '../place.js';
import { type Report, runErrand } from './guard.js';
import { hostAddresses, private_ranges, spareAddress } from './ranges.js';
import { missingOf, type Plan } from './report.js';
import { look, raise, seal, seal_ipv6 } from './scripts.js';

export interface WallsParts {
  /** The setting `nodes.guard_image`. */
  image: string;
  /** Of the container that sets up a node's network. */
  labels: (node: StoredNode) => Readonly<Record<string, string>>;
  /** Has its container join its network. */
  join: (place: Place) => Promise<void>;
  /** Fetches an image unless the engine has it. */
  pull: (place: Place, image: string, signal: AbortSignal) => Promise<void>;
  /** Keeps how it went with the node. */
  keep: (node_id: number, state: { walls: Walled; started_at: string }) => Promise<void>;
  log: Log;
}

export interface Walled {
  fenced: boolean;
  /** Why not, as a sentence; empty where they stand. */
  reason: string;
}

const pull_ms = 60_000;
/** What can't be walled in is tried again after so long, in ms. */
const again_ms = 600_000;
/** Nodes of which it is remembered. */
const most_remembered = 1_000;

/** Keeps containers from private addresses and their engine's host: after each start anew. */
export class Walls implements Fence {
  readonly #parts: WallsParts;
  /** Containers that can't be walled in, the oldest first, and when that was found. */
  readonly #open = new Map<string, number>();
  /** Those that were walled in: at which of their starts, and when. */
  readonly #standing = new Map<string, { started_at: string; since: number }>();
  readonly #raising = new Map<string, Promise<void>>();

  constructor(parts: WallsParts) {
    this.#parts = parts;
  }

  expected({ node, container }: Place): boolean {
    return node.config.network !== 'none' && !this.#foundOpen(container.id);
  }

  /** Sets them unless they were set since the container's start. */
  async ensure(place: Place): Promise<void> {
    const { State } = await place.container.inspect().catch((fault: unknown) => {
      throw workFault(fault, place);
    });
    if (this.#standing.get(place.container.id)?.started_at !== State.StartedAt && !this.#foundOpen(place.container.id))
      await this.raise(place);
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

  #foundOpen(container_id: string): boolean {
    const since = this.#open.get(container_id);
    return since !== undefined && Date.now() - since <= again_ms;
  }

  async #set(place: Place): Promise<void> {
    try {
      const { walls, started_at } = place.node.config.network === 'none' ? await unneeded(place) : await this.#attempt(place);
      this.#remember(place.container.id, walls.fenced, started_at);
      await this.#parts.keep(place.node.id, { walls, started_at });
      if (!walls.fenced) this.#parts.log.warn(`The node '${place.node.name}' is not walled in: ${walls.reason}`, { node: place.node.id });
    } catch (fault) {
      throw workFault(fault, place);
    }
  }

  #remember(container_id: string, fenced: boolean, started_at: string): void {
    this.#open.delete(container_id);
    this.#standing.delete(container_id);
    if (fenced) this.#standing.set(container_id, { started_at, since: Date.now() });
    else this.#open.set(container_id, Date.now());
    for (const known of [this.#open, this.#standing]) {
      const [oldest] = known.keys();
      if (known.size > most_remembered && oldest !== undefined) known.delete(oldest);
    }
  }

  async #attempt(place: Place): Promise<{ walls: Walled; started_at: string }> {
    const before = await place.container.inspect();
    const started_at = before.State.StartedAt;
    const open = (reason: string) => ({ walls: { fenced: false, reason }, started_at });
    const unconnected = isAlone(before) ? await this.#joined(place) : undefined;
    if (unconnected !== undefined) return open(unconnected);
    const plan = await planOf(place, isAlone(before) ? await place.container.inspect() : before);
    if (plan === undefined) return open('its network has no IPv4 gateway');
    const image = await this.#image(place);
    const raised = await this.#errand(place, { image, script: raise, args: [plan.gateway, plan.hop, ...plan.refused] });
    if (raised.code !== 0) return open(`the image '${image}' can't set its routes (${raised.stderr || `it ended with ${raised.code}`})`);
    const report = await this.#sealed(place, image);
    if (report.code !== 0) return open(`its engine does not let the platform set its network (${report.stderr})`);
    const missing = missingOf(report.stdout, plan);
    if (missing !== undefined) return open(missing);
    return { walls: { fenced: true, reason: '' }, started_at };
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

  /** The setting's, or the node's own where the engine can't have that. */
  async #image(place: Place): Promise<string> {
    const { image, pull, log } = this.#parts;
    try {
      await pull(place, image, AbortSignal.timeout(pull_ms));
      return image;
    } catch (fault) {
      log.warn(`The image '${image}' (nodes.guard_image) is not to be had; the node's own is taken`, { node: place.node.id, err: fault });
      return place.node.config.image;
    }
  }

  /** Also IPv6, where the engine's host has it. */
  async #sealed(place: Place, image: string): Promise<Report> {
    const sealed = await this.#errand(place, { image, script: look, args: [], sysctls: { ...seal, ...seal_ipv6 } });
    return sealed.code === 0 ? sealed : this.#errand(place, { image, script: look, args: [], sysctls: seal });
  }

  /** What the engine refuses is told as a report: the node works without walls, and says why. */
  async #errand(place: Place, errand: Pick<Parameters<typeof runErrand>[1], 'image' | 'script' | 'args' | 'sysctls'>): Promise<Report> {
    try {
      return await runErrand(place, { ...errand, capabilities: ['NET_ADMIN'], joins: 'network' }, this.#parts.labels(place.node));
    } catch (fault) {
      if (statusOf(fault) === undefined || statusOf(fault) === 409) throw fault;
      return { code: -1, stdout: '', stderr: plain((fault as Error).message) };
    }
  }
}

/** Whether it has not joined its network yet. */
function isAlone({ NetworkSettings }: Docker.ContainerInspectInfo): boolean {
  return Object.keys(NetworkSettings.Networks).every((name) => name === 'none');
}

async function unneeded({ container }: Place): Promise<{ walls: Walled; started_at: string }> {
  return { walls: { fenced: true, reason: '' }, started_at: (await container.inspect()).State.StartedAt };
}

async function planOf({ node }: Place, { NetworkSettings }: Docker.ContainerInspectInfo): Promise<Plan | undefined> {
  const [network, ...more] = Object.values(NetworkSettings.Networks);
  if (!network || more.length > 0 || !isIPv4(network.Gateway) || !isIPv4(network.IPAddress)) return undefined;
  const { Gateway: gateway, IPAddress: address, IPPrefixLen: prefix } = network;
  const hosts = [...new Set([gateway, ...(await hostAddresses(node.host))])].map((host) => `${host}/32`);
  return { gateway, hop: spareAddress(address, prefix), refused: [...private_ranges, ...hosts] };
}
