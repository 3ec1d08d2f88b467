import { createHash } from 'node:crypto';
import type { Call, Caller, Clock, Database, Failure, Secrets } from '../../kernel/contract/index.js';
import type { Changes } from './changes.js';
import { codes, fail } from './codes.js';
import type { Departures } from './containers/departures.js';
import type { Maker } from './containers/maker.js';
import type { Remover } from './containers/remover.js';
import type { NewLocalNode, NewNode, Node, NodeChange, NodeQuery } from './contract.js';
import { explain } from './engines/failures.js';
import { addressFaults, type ConfigChange, changed, changeIn, type Given, given, invalid } from './given.js';
import { recordOf, sealed, secretsOf, shownTo } from './record.js';
import type { NodeStore } from './store/nodes.js';
import type { NodePatch, StoredNode } from './store/stored.js';

export interface ServiceParts {
  db: Database;
  clock: Clock;
  secrets: Secrets;
  nodes: NodeStore;
  changes: Changes;
  maker: Maker;
  remover: Remover;
  departures: Departures;
  /** The setting `nodes.image`. */
  image: string;
  /** Asks an engine whether it is there; throws where it doesn't answer soon. */
  ping: (node: StoredNode) => Promise<void>;
  /** Tells the audit trail which node it is about. */
  about: (id: number) => void;
  /** Ends what other instances make of a node. */
  stop: (id: number) => void;
}

/** A node that is asked for. */
interface Asked extends Given {
  operation: 'nodes.register' | 'nodes.create';
  name: string;
}

/** For how long a repeated request gives what the first one has made: as long as the platform remembers keys, in ms. */
const remembered_ms = 24 * 3_600_000;

/** The rules of nodes. */
export class Service {
  readonly #parts: ServiceParts;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  async list(query: NodeQuery, caller: Caller): Promise<{ items: Node[]; total: number }> {
    const { items, total } = await this.#parts.nodes.page(query);
    return { items: items.map((stored) => this.#shown(stored, caller)), total };
  }

  async get(id: number, caller: Caller): Promise<Node> {
    return this.#shown(await this.require(id), caller);
  }

  /** Fails with `node_not_found`. */
  async require(id: number): Promise<StoredNode> {
    return (await this.#parts.nodes.find(id)) ?? notFound(id);
  }

  /** Its engine may be away: it is asked again and again. */
  async register({ name, host = '', config = {} }: NewNode, call: Call): Promise<Node> {
    const { maker, changes, ping, nodes } = this.#parts;
    const { stored, taken } = await this.#add({ operation: 'nodes.register', name, ...given(host, config, this.#parts.image) }, call);
    if (!taken) return this.#shown(stored, call.caller);
    const away = await ping(stored).then(
      () => undefined,
      (fault: unknown) => explain(fault, stored.host),
    );
    if (away?.status !== 503) {
      void maker.pursue(stored.id, { taken });
      return this.#shown(stored, call.caller);
    }
    const to = { status: 'offline', reason: away.message, reason_code: away.code } as const;
    await changes.move(stored.id, { from: ['creating'], to });
    await maker.jobs.postpone(stored.id);
    return this.#shown((await nodes.find(stored.id)) ?? stored, call.caller);
  }

  /** Where it can't be made nothing of it is left. */
  async create({ name, config = {}, respond_async }: NewLocalNode, call: Call): Promise<Node> {
    const { maker } = this.#parts;
    const { stored, taken } = await this.#add({ operation: 'nodes.create', name, ...given('', config, this.#parts.image) }, call);
    if (respond_async) {
      call.status(202);
      if (taken) void maker.pursue(stored.id, { taken });
      return this.#shown(stored, call.caller);
    }
    const made = taken ? await maker.make(stored) : await this.#settled(stored.id, call.signal);
    return this.#shown(made, call.caller);
  }

  async update(id: number, { name, config: sent }: NodeChange, { caller }: Call): Promise<Node> {
    const { db, changes, maker } = this.#parts;
    const { updated, again } = await db.transaction(async () => {
      const stored = await this.#lock(id);
      const config = sent && changeIn(sent, stored.config.host_key);
      const patch: NodePatch = { ...(name === undefined ? {} : { name }), ...(config ? this.#reached(stored, config) : {}) };
      const again = config !== undefined && stored.container_id === null && stored.status !== 'creating';
      if (again) Object.assign(patch, { status: 'creating', reason: '', reason_code: '' });
      return { updated: await changes.move(id, { to: patch }), again };
    });
    if (again) void maker.pursue(id);
    return this.#shown(updated ?? notFound(id), caller);
  }

  async drain(id: number, draining: boolean, { caller }: Call): Promise<Node> {
    const { db, changes } = this.#parts;
    const moved = await db.transaction(async () => {
      await this.#lock(id);
      return changes.move(id, { to: { draining } });
    });
    return this.#shown(moved ?? notFound(id), caller);
  }

  /** Whether nothing of it is left; otherwise that goes on until its engine has done it. */
  async delete(id: number, force: boolean): Promise<boolean> {
    const { departures, remover, maker, stop } = this.#parts;
    await departures.mark(id);
    maker.jobs.stop(id);
    stop(id);
    if (await remover.remove(id)) return true;
    if (force) await departures.drop(id);
    return force;
  }

  /** Its row, taken by this process; or the one that an earlier request with the same key has made. */
  async #add({ operation, name, host, config, secrets }: Asked, call: Call): Promise<{ stored: StoredNode; taken: boolean }> {
    const { db, clock, nodes, maker, changes, about } = this.#parts;
    const request_key = requestKey(call, { operation, name, host, config });
    const since = new Date(clock.now() - remembered_ms).toISOString();
    return db.transaction(async () => {
      const earlier = request_key === null ? undefined : await nodes.byRequest(request_key, since);
      if (earlier) return { stored: earlier, taken: false };
      const row = { name, node_type: 'docker', host, config, created_by: call.caller.member_id, request_key } as const;
      const stored = await nodes.insert({ ...row, sealed: sealed(secrets, this.#parts.secrets) }, clock.iso());
      about(stored.id);
      const taken = await maker.jobs.take(stored.id);
      await changes.added(stored);
      return { stored, taken };
    });
  }

  /** What came of a node that another request is making. */
  async #settled(id: number, signal: AbortSignal): Promise<StoredNode> {
    for (;;) {
      const stored = await this.require(id);
      if (stored.status === 'online') return stored;
      if (stored.status !== 'creating') throw failureOf(stored);
      await new Promise((resolve) => setTimeout(resolve, 500));
      signal.throwIfAborted();
    }
  }

  #reached(stored: StoredNode, config: ConfigChange): NodePatch {
    const { secrets } = this.#parts;
    const host_key = config.ssh?.host_key ?? stored.config.host_key;
    const kept = changed(secretsOf(stored, secrets), config);
    const faults = addressFaults(stored.host, host_key, kept);
    if (faults.length > 0) throw invalid(faults);
    return { config: { ...stored.config, host_key }, sealed: sealed(kept, secrets) };
  }

  async #lock(id: number): Promise<StoredNode> {
    const stored = (await this.#parts.nodes.lock(id)) ?? notFound(id);
    if (stored.status === 'removing') throw fail('node_removing', `Work node ${id} is being deleted`);
    return stored;
  }

  #shown(stored: StoredNode, caller: Caller): Node {
    return shownTo(caller, recordOf(stored, this.#parts.secrets));
  }
}

/** By which a repeated request finds what the first one has made. Without secrets: they could be guessed by their hash. */
function requestKey({ idempotency_key, caller }: Call, request: Omit<Asked, 'secrets'>): string | null {
  if (idempotency_key === undefined) return null;
  return createHash('sha256')
    .update(JSON.stringify([caller.member_id, idempotency_key, request]))
    .digest('hex');
}

function failureOf({ id, status, reason, reason_code }: StoredNode): Failure {
  const code = reason_code in codes ? (reason_code as keyof typeof codes) : 'engine_unavailable';
  return fail(code, reason || `Work node ${id} is '${status}'`);
}

function notFound(id: number): never {
  throw fail('node_not_found', `There is no work node ${id}`);
}
