import type { Node, NodeNetwork, NodeStatus, NodeType } from '../contract.js';

/** A node as it is kept. */
export interface StoredNode {
  id: number;
  name: string;
  node_type: NodeType;
  /** Empty: the local engine. */
  host: string;
  config: KeptConfig;
  /** The secrets of its engine, sealed; empty where there are none. JSON of {@link EngineSecrets}. */
  sealed: string;
  status: NodeStatus;
  reason: string;
  reason_code: string;
  since: string;
  draining: boolean;
  shell: boolean | null;
  walls: Node['walls'];
  container_id: string | null;
  /** Of the container, as the engine says it; walls hold for one start. */
  started_at: string | null;
  last_heartbeat: string | null;
  /** Probes in a row that got no answer. */
  misses: number;
  created_by: number;
  created_at: string;
  updated_at: string;
}

/** What of its setting may be seen. */
export interface KeptConfig {
  image: string;
  memory_limit: string;
  cpu_limit: string;
  network: NodeNetwork;
  /** The key that the engine's host must show, where it is reached by ssh. */
  host_key: string;
}

/** What must not be seen. */
export interface EngineSecrets {
  /** PEM texts. */
  tls?: { ca?: string; cert?: string; key?: string };
  ssh?: { private_key?: string; passphrase?: string; password?: string };
}
