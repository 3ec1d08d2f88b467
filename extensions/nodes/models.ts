import type { Database, RowOf } from '../../kernel/contract/index.js';
import type { NodeNetwork, NodeStatus, NodeType } from './contract.js';

/** Public part of a node's configuration. */
export interface PublicConfig {
  image: string;
  memory_limit: string;
  cpu_limit: string;
  network: NodeNetwork;
  /** Key that the engine's host must present over SSH. */
  host_key: string;
}

/** Work nodes, each with its container in an engine. */
function nodes(db: Database) {
  const { string, text, integer, bigint, json, time } = db.columns;
  return db.define(
    'nodes',
    {
      id: integer({ primaryKey: true, autoIncrement: true }),
      name: string(64),
      /** Folded name: names that read alike are equal. May be 18 times as long as the name. */
      folded_name: text({ unique: true }),
      node_type: string<NodeType>(16),
      /** Empty for the local engine. */
      host: string(512),
      config: json<PublicConfig>(),
      /** Secrets of its engine as sealed JSON; empty if there are none. */
      sealed: text(),
      status: string<NodeStatus>(16),
      reason: text(),
      reason_code: string(64),
      /** Time of the last change of `status`. */
      since: time(),
      draining: integer<0 | 1>(),
      /** Whether the image has a shell; null until known. */
      shell: integer<0 | 1>({ allowNull: true }),
      fenced: integer<0 | 1>(),
      walls_reason: text(),
      container_id: string(64, { allowNull: true }),
      /** Start time of the container as reported by the engine; walls are valid for one start. */
      started_at: string(40, { allowNull: true }),
      last_heartbeat: time({ allowNull: true }),
      /** Consecutive unanswered probes. */
      misses: integer(),
      created_by: integer(),
      created_at: time(),
      updated_at: time(),
      /** Request with an `Idempotency-Key` that created it. */
      request_key: string(64, { allowNull: true, unique: true }),
      /** Process that creates or removes its container. */
      owner: string(64, { allowNull: true }),
      /** End of that process's lease, in ms of the database's clock. */
      lease_until: bigint({ allowNull: true }),
    },
    { indexes: [{ name: 'nodes_nodes_status', fields: ['status'] }] },
  );
}

/** One row: the UUID that labels all resources of this installation in engines. */
function platform(db: Database) {
  return db.define('platform', { id: db.columns.string(36, { primaryKey: true }) });
}

/** One row: the instance that watches the engines for all, by a lease in ms of the database's clock. */
function watch(db: Database) {
  const { string, integer, bigint } = db.columns;
  return db.define('watch', {
    id: integer({ primaryKey: true }),
    owner: string(64, { allowNull: true }),
    lease_until: bigint({ allowNull: true }),
  });
}

/** Tables of this extension. */
export const defineModels = (db: Database) => ({ nodes: nodes(db), platform: platform(db), watch: watch(db) });

export type Models = ReturnType<typeof defineModels>;
export type NodeRow = RowOf<Models['nodes']>;
