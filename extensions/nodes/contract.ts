import type { Contract, FileAnswer, StreamEvent } from '../../kernel/contract/index.js';

/** Extension of work nodes: containers in which AI employees work. */
export interface Nodes extends Contract {
  id: 'nodes';
  api: NodesApi;
  service: NodesService;
  events: NodesEvents;
}

/**
 * Status of a node. `creating`: the image is being pulled or the container created. `online`: it answers. `offline`:
 * three probes in a row were unanswered, or its engine is unreachable. `error`: its container is gone or can't be
 * created; waiting doesn't help. `removing`: deleted as soon as its engine is reachable.
 */
export type NodeStatus = 'creating' | 'online' | 'offline' | 'error' | 'removing';

/** Kind of container. `docker`: one work container. */
export type NodeType = 'docker';

/** Network access. `internet`: everything but private addresses, as far as the engine's host allows. `none`: nothing. */
export type NodeNetwork = 'internet' | 'none';

/** Configuration of a node as returned to clients, without keys, certificates and passwords. */
export interface NodeConfig {
  /** Reference such as `python:3.12-slim` or `registry.example.org/team/work@sha256:…`. */
  image: string;
  /** Number and unit: `512m`. */
  memory_limit: string;
  /** Processors, a decimal number above 0: `1.0`. */
  cpu_limit: string;
  network: NodeNetwork;
  /** Whether a certificate of the engine's authority, and the platform's certificate and key, are stored. */
  tls?: { ca: boolean; cert: boolean; key: boolean };
  /** SSH login to the engine's host; `host_key` is the key it must present. */
  ssh?: { host_key: string; has_private_key: boolean; has_password: boolean };
}

/** Configuration of a node as clients send it. */
export interface NewNodeConfig {
  /** Default: the setting `nodes.image`. */
  image?: string;
  /** Number and unit `b`, `k`, `m`, `g`, with or without `b` or `ib`, in powers of 1,024. Default `512m`. */
  memory_limit?: string;
  /** Default `1.0`. */
  cpu_limit?: string;
  /** Default `internet`. */
  network?: NodeNetwork;
  /** PEM texts; write-only. */
  tls?: { ca?: string; cert?: string; key?: string };
  /** `host_key`: a line of a `known_hosts` file without its host, or a fingerprint `SHA256:…`; the others are write-only. */
  ssh?: { host_key: string; private_key?: string; passphrase?: string; password?: string };
}

/** Work node. Timestamps are ISO 8601, UTC. */
export interface Node {
  id: number;
  /** 1 to 64 characters, unique regardless of case. */
  name: string;
  node_type: NodeType;
  /** Engine's address without credentials; empty means the local engine. */
  host: string;
  config: NodeConfig;
  status: NodeStatus;
  /** Explanation of the status if it isn't obvious; empty otherwise. */
  reason: string;
  /** Code of the explanation, or empty: `engine_unavailable`, `image_pull_failed`, `container_missing`, `out_of_memory`, … */
  reason_code: string;
  /** Time of the last status change. */
  since: string;
  /** Whether it takes no new work. */
  draining: boolean;
  /** Whether its image has a shell to run commands; null until known. */
  shell: boolean | null;
  /** Protection of private addresses from its container. */
  walls: { fenced: boolean; reason: string };
  container_id: string | null;
  /** Time of its last answer. */
  last_heartbeat: string | null;
  created_by: number;
  created_at: string;
  updated_at: string;
}

export type HealthStatus = 'healthy' | 'unhealthy' | 'starting' | 'unknown';

export interface Health {
  status: HealthStatus;
  /** Uptime of the container since its last start; 0 if it doesn't run. */
  uptime_seconds: number;
  last_heartbeat: string | null;
  /** Explanation; empty if healthy. */
  reason: string;
  since: string;
}

/** Resource usage. MiB are 1,048,576 bytes. */
export interface Stats {
  /** 100 is one processor. */
  cpu_usage_percent: number;
  /** Without reclaimable page cache. */
  memory_usage_mb: number;
  memory_limit_mb: number;
  /** Size of the container's writable layer. */
  disk_usage_mb: number;
}

export interface NewNode {
  name: string;
  node_type: NodeType;
  /** `tcp://`, `http(s)://`, `unix://` or `ssh://`. Default: the local engine. */
  host?: string;
  config?: NewNodeConfig;
}

/** New node on the local engine. */
export interface NewLocalNode {
  name: string;
  config?: Pick<NewNodeConfig, 'image' | 'memory_limit' | 'cpu_limit' | 'network'>;
  /** Whether to answer before it is created. Default false. */
  respond_async: boolean;
}

/** Change of a node. Omitted fields stay; an empty text removes a secret. */
export interface NodeChange {
  name?: string;
  /** A boolean in `tls`, as in the record, changes nothing. */
  config?: {
    tls?: { ca?: string | boolean; cert?: string | boolean; key?: string | boolean };
    ssh?: NonNullable<NewNodeConfig['ssh']>;
  };
}

/** Progress of a node's image pull. */
export interface PullProgress {
  /** Layers known so far. */
  layers: number;
  layers_done: number;
  /** Bytes known to be pulled. */
  bytes: number;
  total_bytes: number;
}

export interface NodeQuery {
  status?: NodeStatus;
  limit: number;
  offset: number;
}

export interface ExecInput {
  id: number;
  /** Text for the container's shell, or a program and its arguments. */
  command: string | string[];
  /** Default `/workspace`. */
  cwd?: string;
  env?: Record<string, string>;
  /** Name or number in the container. Default: the image's own. */
  user?: string;
  /** Time limit after which all its processes are killed. Default 300, at most 3,600. */
  timeout_s: number;
}

/**
 * Events of a running command: `output {stream: "stdout"|"stderr", delta}`, with `base64` if the bytes are not UTF-8;
 * then one `exit {exit_code, timed_out, truncated, duration_ms}`, then `done {}`. `exit_code` is 128 + n after signal
 * n, and null if the platform killed the command. A schedule's run fails instead with `command_failed` unless the exit
 * code is 0. A command waits if its output is not read fast enough, as with a pipe; `truncated` is false.
 */
export type ExecStream = AsyncIterable<StreamEvent>;

export interface LogInput {
  id: number;
  /** Lines from the end. 0 to 10,000; default 200. */
  tail: number;
  /** ISO 8601: earlier lines are omitted. */
  since?: string;
  /** `id` of the last line received: the stream continues after it, regardless of `tail` and `since`. */
  after?: string;
  follow: boolean;
}

/** Events of a log: `log {stream: "stdout"|"stderr", at, delta}` for each line, including its line end; then `done {}`. */
export type LogStream = AsyncIterable<StreamEvent>;

export interface FilesInput {
  id: number;
  /** Existing folder. */
  path: string;
  /** Tar file, sent as the body or in a form; its location on this machine. */
  file: { path: string; bytes: number };
}

export type NodesApi = {
  'nodes.list': { input: NodeQuery; answer: { items: Node[]; total: number } };
  'nodes.get': { input: { id: number }; answer: Node };
  'nodes.register': { input: NewNode; answer: Node };
  'nodes.create': { input: NewLocalNode; answer: Node };
  'nodes.update': { input: NodeChange & { id: number }; answer: Node };
  'nodes.delete': { input: { id: number; force: boolean }; answer: { id: number; status: 'removing' } | undefined };
  'nodes.health': { input: { id: number }; answer: Health };
  'nodes.stats': { input: { id: number }; answer: Stats };
  'nodes.drain': { input: { id: number; draining: boolean }; answer: Node };
  'nodes.events': { input: { id: number; after?: string }; answer: NodeStream };
  'nodes.exec': { input: ExecInput; answer: ExecStream };
  'nodes.logs': { input: LogInput; answer: LogStream };
  'nodes.files_get': { input: { id: number; path: string }; answer: FileAnswer };
  'nodes.files_put': { input: FilesInput; answer: { path: string; bytes: number } };
};

/**
 * Events of a node: `node.updated {node}` with its current state and after each change, `pull.progress` {@link
 * PullProgress}, finally one `done {status}`: `online`, `offline`, `error`, or `removed`.
 */
export type NodeStream = AsyncIterable<StreamEvent>;

/** Service that nodes provides to extensions in the same process. */
export interface NodesService {
  exists(id: number): Promise<boolean>;
  /** Returns the statuses of those that exist. */
  statuses(ids: readonly number[]): Promise<ReadonlyMap<number, NodeStatus>>;
  /** Returns whether they take new work, or why not; missing nodes are omitted. */
  readiness(ids: readonly number[]): Promise<ReadonlyMap<number, 'ready' | 'node_offline' | 'node_draining'>>;
  /**
   * Copies files into the folder of a member's AI employee on a node, as that member, unless they are already there;
   * returns the folder. Files unused for 30 days are deleted at a later call.
   *
   * Fails with `node_not_found`, `node_offline`, `node_not_ready`, `node_removing`, `node_busy`, `no_shell`, and
   * `command_failed` if the container has no `tar` or no space.
   */
  furnish(wanted: Furnishing, signal: AbortSignal): Promise<{ folder: string }>;
}

/** Files for a node. */
export interface Furnishing {
  node_id: number;
  /** Member the AI employee works for. */
  member_id: number;
  /** Number of the room in which it works; its files then belong to the room. */
  room?: number | undefined;
  employee_id: number;
  /** Kind and name, two folders below the AI employee's: `.skills/acme.reports`. Each hash has its own folder in it. */
  folder: string;
  /** `sha256:` and hex; equal hashes mean equal content. */
  content_hash: string;
  /** At most 2,000 files, 200 MiB in total. */
  files: readonly FurnishedFile[];
}

export interface FurnishedFile {
  /** Path below their folder, with slashes: no `..`, no control characters, at most 400 bytes. */
  path: string;
  bytes: number;
  /** Location on this machine. */
  from: string;
  /** Whether it is executable; files beginning with `#!` always are. */
  executable: boolean;
}

/** Change of a node's status. */
export interface NodeChanged {
  id: number;
  name: string;
  status: NodeStatus;
  /** Null for a new node. */
  previous: NodeStatus | null;
  reason: string;
  reason_code: string;
  draining: boolean;
}

/** Incident that people should know about: `out_of_memory`, `died`, `unhealthy`. */
export interface NodeIncident {
  id: number;
  name: string;
  code: 'out_of_memory' | 'died' | 'unhealthy';
  message: string;
}

export type NodesEvents = {
  'nodes.changed': NodeChanged;
  'nodes.incident': NodeIncident;
  /** The node takes no more work; running work must be ended. Its container is removed next. */
  'nodes.deleted': { id: number; name: string };
};
