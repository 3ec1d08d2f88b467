import type { Clock } from '../../../kernel/contract/index.js';
import type { Changes, Move } from '../changes.js';
import { unwalled } from '../containers/maker.js';
import type { NodeIncident } from '../contract.js';
import type { NodeStore } from '../store/nodes.js';
import type { StoredNode } from '../store/stored.js';

export interface StatusRecorderParts {
  clock: Clock;
  nodes: NodeStore;
  changes: Changes;
  /** Writes the event `nodes.incident`. */
  emit: (incident: NodeIncident) => Promise<void>;
  /** Its container runs since another instant: what holds for one start has to be done again. */
  restarted: (node: StoredNode) => void;
}

/** Why a node isn't online. */
export interface Why {
  code: string;
  message: string;
}

/** So many probes in a row without an answer, and it is offline. */
const max_misses = 3;
/** The same incident of a node is told once in this time, in ms. */
const incident_ms = 60_000;

/** What probes and events say of nodes, written down. Whatever else has become of a node meanwhile stays. */
export class StatusRecorder {
  readonly #parts: StatusRecorderParts;
  /** When an incident was told last, by node and code. */
  readonly #told = new Map<string, number>();
  readonly #ill = new Set<number>();

  constructor(parts: StatusRecorderParts) {
    this.#parts = parts;
  }

  /** Their containers run. Gives those that were not online until now, which are asked when they have started. */
  async answered(nodes: readonly StoredNode[]): Promise<StoredNode[]> {
    const ids = nodes.map(({ id }) => id);
    await this.#parts.nodes.beat(ids, this.#parts.clock.iso());
    return nodes.filter(({ status }) => status !== 'online');
  }

  /** It runs since `started_at`. Walls that stood hold for an earlier start. */
  async started(node: StoredNode, started_at: string): Promise<void> {
    const { clock } = this.#parts;
    const from = ['online', 'offline', 'error'] as const;
    const to = { status: 'online', reason: '', reason_code: '', started_at, last_heartbeat: clock.iso(), misses: 0 } as const;
    const isOpen = (now: StoredNode) => now.started_at !== started_at && now.walls.fenced && now.config.network !== 'none';
    const opened = await this.#move(node, { from, where: isOpen, to: { ...to, walls: unwalled } });
    const moved = opened ?? (await this.#move(node, { from, to }));
    if (moved && node.started_at !== started_at) this.#parts.restarted(moved);
  }

  /** Nobody answered for them. */
  async unanswered(nodes: readonly StoredNode[], { code, message }: Why): Promise<void> {
    const counted = await this.#parts.nodes.missed(nodes.map(({ id }) => id));
    // Once more where it was offline for another reason before.
    for (const node of counted)
      if (node.misses === max_misses || (node.misses > max_misses && node.status === 'online'))
        await this.#move(node, { from: ['online', 'offline'], to: { status: 'offline', reason: message, reason_code: code } });
  }

  /** Its container doesn't run. */
  async ended(node: StoredNode, { code, message }: Why): Promise<void> {
    await this.#move(node, { from: ['online'], to: { status: 'offline', reason: message, reason_code: code } });
  }

  /** Nothing but a person gets it to run again. */
  async failed(node: StoredNode, { code, message }: Why): Promise<void> {
    await this.#move(node, { from: ['online', 'offline'], to: { status: 'error', reason: message, reason_code: code } });
  }

  /** What the image's own check says. Told once, until it is well again. */
  async health(node: StoredNode, ill: boolean): Promise<void> {
    if (!ill) {
      this.#ill.delete(node.id);
      return;
    }
    if (this.#ill.has(node.id)) return;
    await this.incident(node, 'unhealthy', `Work node '${node.name}' runs, but its image's own check says that it is not healthy`);
    this.#ill.add(node.id);
  }

  async incident({ id, name }: StoredNode, code: NodeIncident['code'], message: string): Promise<void> {
    const now = this.#parts.clock.now();
    const key = `${id} ${code}`;
    const before = this.#told.get(key);
    if (before !== undefined && now - before < incident_ms) return;
    await this.#parts.emit({ id, name, code, message });
    this.#told.set(key, now);
  }

  /** Nothing is kept of others. */
  keep(ids: ReadonlySet<number>): void {
    for (const id of this.#ill) if (!ids.has(id)) this.#ill.delete(id);
    for (const key of this.#told.keys()) if (!ids.has(Number.parseInt(key, 10))) this.#told.delete(key);
  }

  /** Unless it has another container by now. */
  #move({ id, container_id }: StoredNode, { where = () => true, ...move }: Move): Promise<StoredNode | undefined> {
    return this.#parts.changes.move(id, { ...move, where: (now) => now.container_id === container_id && where(now) });
  }
}
