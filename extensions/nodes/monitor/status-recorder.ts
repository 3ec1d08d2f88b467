import type { Clock } from '../../../kernel/contract/index.js';
import type { Changes, NodeMove } from '../changes.js';
import { pending_walls } from '../containers/creator.js';
import type { NodeIncident } from '../contract.js';
import type { NodeStore } from '../store/nodes.js';
import type { StoredNode } from '../store/stored.js';

export interface StatusRecorderParts {
  clock: Clock;
  nodes: NodeStore;
  changes: Changes;
  /** Emits the event `nodes.incident`. */
  emit: (incident: NodeIncident) => Promise<void>;
  /** Runs if the container has restarted: setup that is valid for one start must be repeated. */
  restarted: (node: StoredNode) => void;
}

/** Reason why a node isn't online. */
export interface StatusReason {
  code: string;
  message: string;
}

/** Unanswered probes in a row after which a node is offline. */
const max_misses = 3;
/** Minimum interval of announcements of the same incident of a node, in ms. */
const incident_ms = 60_000;

/** Records what probes and events report about nodes. Other changes made meanwhile are preserved. */
export class StatusRecorder {
  readonly #parts: StatusRecorderParts;
  /** Time of the last announcement, by node and code. */
  readonly #announced = new Map<string, number>();
  readonly #unhealthy = new Set<number>();

  constructor(parts: StatusRecorderParts) {
    this.#parts = parts;
  }

  /** Records that their containers run. Returns those that were not online; their start time must be read. */
  async answered(nodes: readonly StoredNode[]): Promise<StoredNode[]> {
    const ids = nodes.map(({ id }) => id);
    await this.#parts.nodes.recordAnswers(ids, this.#parts.clock.iso());
    return nodes.filter(({ status }) => status !== 'online');
  }

  /** Records that it runs since `started_at`. Walls of an earlier start are invalid. */
  async started(node: StoredNode, started_at: string): Promise<void> {
    const { clock } = this.#parts;
    const from = ['online', 'offline', 'error'] as const;
    const to = { status: 'online', reason: '', reason_code: '', started_at, last_heartbeat: clock.iso(), misses: 0 } as const;
    const isOpen = (now: StoredNode) => now.started_at !== started_at && now.walls.fenced && now.config.network !== 'none';
    const opened = await this.#move(node, { from, where: isOpen, to: { ...to, walls: pending_walls } });
    const moved = opened ?? (await this.#move(node, { from, to }));
    if (moved && node.started_at !== started_at) this.#parts.restarted(moved);
  }

  /** Records an unanswered probe of nodes. */
  async unanswered(nodes: readonly StoredNode[], { code, message }: StatusReason): Promise<void> {
    const counted = await this.#parts.nodes.countMisses(nodes.map(({ id }) => id));
    // Also update a node that is offline for another reason.
    for (const node of counted)
      if (node.misses === max_misses || (node.misses > max_misses && node.status === 'online'))
        await this.#move(node, { from: ['online', 'offline'], to: { status: 'offline', reason: message, reason_code: code } });
  }

  /** Records that its container doesn't run. */
  async ended(node: StoredNode, { code, message }: StatusReason): Promise<void> {
    await this.#move(node, { from: ['online'], to: { status: 'offline', reason: message, reason_code: code } });
  }

  /** Records that only a person can make it run again. */
  async failed(node: StoredNode, { code, message }: StatusReason): Promise<void> {
    await this.#move(node, { from: ['online', 'offline'], to: { status: 'error', reason: message, reason_code: code } });
  }

  /** Records the image's own health check. Announced once, until it is healthy again. */
  async health(node: StoredNode, ill: boolean): Promise<void> {
    if (!ill) {
      this.#unhealthy.delete(node.id);
      return;
    }
    if (this.#unhealthy.has(node.id)) return;
    await this.incident(node, 'unhealthy', `Work node '${node.name}' runs, but its image's own check says that it is not healthy`);
    this.#unhealthy.add(node.id);
  }

  async incident({ id, name }: StoredNode, code: NodeIncident['code'], message: string): Promise<void> {
    const now = this.#parts.clock.now();
    const key = `${id} ${code}`;
    const before = this.#announced.get(key);
    if (before !== undefined && now - before < incident_ms) return;
    await this.#parts.emit({ id, name, code, message });
    this.#announced.set(key, now);
  }

  /** Forgets all other nodes. */
  retain(ids: ReadonlySet<number>): void {
    for (const id of this.#unhealthy) if (!ids.has(id)) this.#unhealthy.delete(id);
    for (const key of this.#announced.keys()) if (!ids.has(Number.parseInt(key, 10))) this.#announced.delete(key);
  }

  /** Applies a change unless it has another container by now. */
  #move({ id, container_id }: StoredNode, { where = () => true, ...move }: NodeMove): Promise<StoredNode | undefined> {
    return this.#parts.changes.move(id, { ...move, where: (now) => now.container_id === container_id && where(now) });
  }
}
