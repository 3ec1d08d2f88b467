import type { Database, RowOf } from '../../kernel/contract/index.js';
import type { NodeNetwork, NodeStatus, NodeType } from './contract.js';

/** The part of a node's configuration that may be shown. */
export interface KeptConfig {
  image: string;
  memory_limit: string;
  cpu_limit: string;
  network: NodeNetwork;
  /** The key that the engine's host must show, where it is reached by ssh. */
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
      /** Names that read alike are one name. May be 18 times as long as the name itself. */
      folded_name: text({ unique: true }),
      node_type: string<NodeType>(16),
      /** Empty for the local engine. */
      host: string(512),
      config: json<KeptConfig>(),
      /** The secrets of its engine, sealed JSON; empty where there are none. */
      sealed: text(),
      status: string<NodeStatus>(16),
      reason: text(),
      reason_code: string(64),
      /** The time of the last change of `status`. */
      since: time(),
      draining: integer<0 | 1>(),
      /** Null until it is known whether the image has a shell. */
      shell: integer<0 | 1>({ allowNull: true }),
      fenced: integer<0 | 1>(),
      walls_reason: text(),
      container_id: string(64, { allowNull: true }),
      /** The container's start, as the engine says it; walls hold for one start. */
      started_at: string(40, { allowNull: true }),
      last_heartbeat: time({ allowNull: true }),
      /** Probes in a row that got no answer. */
      misses: integer(),
      created_by: integer(),
      created_at: time(),
      updated_at: time(),
      /** Names the request with an `Idempotency-Key` that made it. */
      request_key: string(64, { allowNull: true, unique: true }),
      /** The process that makes or removes its container. */
      owner: string(64, { allowNull: true }),
      /** The end of that process's lease, in ms of the database's clock. */
      lease_until: bigint({ allowNull: true }),
    },
    { indexes: [{ name: 'nodes_nodes_status', fields: ['status'] }] },
  );
}

/** One row: the UUID that marks everything of this installation in engines. */
function platform(db: Database) {
  return db.define('platform', { id: db.columns.string(36, { primaryKey: true }) });
}

/** One row: the instance that watches the engines for all of them, by a lease in ms of the database's clock. */
function watch(db: Database) {
  const { string, integer, bigint } = db.columns;
  return db.define('watch', {
    id: integer({ primaryKey: true }),
    owner: string(64, { allowNull: true }),
    lease_until: bigint({ allowNull: true }),
  });
}

/** The tables of this extension. */
export const defineModels = (db: Database) => ({ nodes: nodes(db), platform: platform(db), watch: watch(db) });

export type Models = ReturnType<typeof defineModels>;
export type NodeRow = RowOf<Models['nodes']>;
