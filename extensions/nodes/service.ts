import { createHash } from 'node:crypto';
import type { Call, Caller, Clock, Database, Failure, Secrets } from '../../kernel/contract/index.js';
import type { Changes } from './changes.js';
import { codes, fail } from './codes.js';
import type { NodeCreator } from './containers/creator.js';
import type { NodeDeletion } from './containers/deletion.js';
import type { NodeRemover } from './containers/remover.js';
import type { NewLocalNode, NewNode, Node, NodeChange, NodeQuery } from './contract.js';
import { explain } from './engines/failures.js';
import { recordOf, sealed, secretsOf, visibleTo } from './record.js';
import { addressFaults, type ConfigChange, changeOf, invalid, mergeSecrets, type ValidatedSettings, validateSettings } from './settings.js';
import type { NodeStore } from './store/nodes.js';
import type { NodePatch, StoredNode } from './store/stored.js';

export interface ServiceParts {
  db: Database;
  clock: Clock;
  secrets: Secrets;
  nodes: NodeStore;
  changes: Changes;
  maker: NodeCreator;
  remover: NodeRemover;
  departures: NodeDeletion;
  /** The setting `nodes.image`. */
  image: string;
  /** Checks an engine; throws if it doesn't answer soon. */
  ping: (node: StoredNode) => Promise<void>;
  /** Names the node in the audit trail. */
  about: (id: number) => void;
  /** Stops other instances' work on a node. */
  stop: (id: number) => void;
}

/** Requested node. */
interface NodeRequest extends ValidatedSettings {
  operation: 'nodes.register' | 'nodes.create';
  name: string;
}

/** Time for which a repeated request returns the first result: as long as the platform stores keys, in ms. */
const request_retention_ms = 24 * 3_600_000;

/** Rules of nodes. */
export class Service {
  readonly #parts: ServiceParts;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  async list(query: NodeQuery, caller: Caller): Promise<{ items: Node[]; total: number }> {
    const { items, total } = await this.#parts.nodes.page(query);
    return { items: items.map((stored) => this.#recordFor(stored, caller)), total };
  }

  async get(id: number, caller: Caller): Promise<Node> {
    return this.#recordFor(await this.require(id), caller);
  }

  /** Returns a node. Fails with `node_not_found`. */
  async require(id: number): Promise<StoredNode> {
    return (await this.#parts.nodes.find(id)) ?? notFound(id);
  }

  /** Registers a node. Its engine may be unreachable; creation is retried. */
  async register({ name, host = '', config = {} }: NewNode, call: Call): Promise<Node> {
    const { maker, changes, ping, nodes } = this.#parts;
    const { stored, taken } = await this.#add(
      { operation: 'nodes.register', name, ...validateSettings(host, config, this.#parts.image) },
      call,
    );
    if (!taken) return this.#recordFor(stored, call.caller);
    const away = await ping(stored).then(
      () => undefined,
      (fault: unknown) => explain(fault, stored.host),
    );
    if (away?.status !== 503) {
      void maker.createInBackground(stored.id, { taken });
      return this.#recordFor(stored, call.caller);
    }
    const to = { status: 'offline', reason: away.message, reason_code: away.code } as const;
    await changes.move(stored.id, { from: ['creating'], to });
    await maker.jobs.postpone(stored.id);
    return this.#recordFor((await nodes.find(stored.id)) ?? stored, call.caller);
  }

  /** Creates a node; on failure nothing of it is left. */
  async create({ name, config = {}, respond_async }: NewLocalNode, call: Call): Promise<Node> {
    const { maker } = this.#parts;
    const { stored, taken } = await this.#add(
      { operation: 'nodes.create', name, ...validateSettings('', config, this.#parts.image) },
      call,
    );
    if (respond_async) {
      call.status(202);
      if (taken) void maker.createInBackground(stored.id, { taken });
      return this.#recordFor(stored, call.caller);
    }
    const made = taken ? await maker.make(stored) : await this.#waitUntilSettled(stored.id, call.signal);
    return this.#recordFor(made, call.caller);
  }

  async update(id: number, { name, config: sent }: NodeChange, { caller }: Call): Promise<Node> {
    const { db, changes, maker } = this.#parts;
    const { updated, again } = await db.transaction(async () => {
      const stored = await this.#lock(id);
      const config = sent && changeOf(sent, stored.config.host_key);
      const patch: NodePatch = { ...(name === undefined ? {} : { name }), ...(config ? this.#changedAccess(stored, config) : {}) };
      const again = config !== undefined && stored.container_id === null && stored.status !== 'creating';
      if (again) Object.assign(patch, { status: 'creating', reason: '', reason_code: '' });
      return { updated: await changes.move(id, { to: patch }), again };
    });
    if (again) void maker.createInBackground(id);
    return this.#recordFor(updated ?? notFound(id), caller);
  }

  async drain(id: number, draining: boolean, { caller }: Call): Promise<Node> {
    const { db, changes } = this.#parts;
    const moved = await db.transaction(async () => {
      await this.#lock(id);
      return changes.move(id, { to: { draining } });
    });
    return this.#recordFor(moved ?? notFound(id), caller);
  }

  /** Deletes a node; returns whether nothing is left. Otherwise the removal continues until its engine has done it. */
  async delete(id: number, force: boolean): Promise<boolean> {
    const { departures, remover, maker, stop } = this.#parts;
    await departures.mark(id);
    maker.jobs.stop(id);
    stop(id);
    if (await remover.remove(id)) return true;
    if (force) await departures.drop(id);
    return force;
  }

  /** Inserts a row claimed by this process; or returns the one that an earlier request with the same key created. */
  async #add({ operation, name, host, config, secrets }: NodeRequest, call: Call): Promise<{ stored: StoredNode; taken: boolean }> {
    const { db, clock, nodes, maker, changes, about } = this.#parts;
    const request_key = requestKey(call, { operation, name, host, config });
    const since = new Date(clock.now() - request_retention_ms).toISOString();
    return db.transaction(async () => {
      const earlier = request_key === null ? undefined : await nodes.byRequest(request_key, since);
      if (earlier) return { stored: earlier, taken: false };
      const row = { name, node_type: 'docker', host, config, created_by: call.caller.member_id, request_key } as const;
      const stored = await nodes.insert({ ...row, sealed: sealed(secrets, this.#parts.secrets) }, clock.iso());
      about(stored.id);
      const taken = await maker.jobs.claim(stored.id);
      await changes.added(stored);
      return { stored, taken };
    });
  }

  /** Waits for a node that another request is creating. */
  async #waitUntilSettled(id: number, signal: AbortSignal): Promise<StoredNode> {
    for (;;) {
      const stored = await this.require(id);
      if (stored.status === 'online') return stored;
      if (stored.status !== 'creating') throw failureOf(stored);
      await new Promise((resolve) => setTimeout(resolve, 500));
      signal.throwIfAborted();
    }
  }

  #changedAccess(stored: StoredNode, config: ConfigChange): NodePatch {
    const { secrets } = this.#parts;
    const host_key = config.ssh?.host_key ?? stored.config.host_key;
    const kept = mergeSecrets(secretsOf(stored, secrets), config);
    const faults = addressFaults(stored.host, host_key, kept);
    if (faults.length > 0) throw invalid(faults);
    return { config: { ...stored.config, host_key }, sealed: sealed(kept, secrets) };
  }

  async #lock(id: number): Promise<StoredNode> {
    const stored = (await this.#parts.nodes.lock(id)) ?? notFound(id);
    if (stored.status === 'removing') throw fail('node_removing', `Work node ${id} is being deleted`);
    return stored;
  }

  #recordFor(stored: StoredNode, caller: Caller): Node {
    return visibleTo(caller, recordOf(stored, this.#parts.secrets));
  }
}

/** Returns the key by which a repeated request finds the first result. Excludes secrets, which could be guessed from a hash. */
function requestKey({ idempotency_key, caller }: Call, request: Omit<NodeRequest, 'secrets'>): string | null {
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
