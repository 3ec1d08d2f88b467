import type { Contract, FileAnswer, StreamEvent } from '../../kernel/contract/index.js';

/** The extension of work nodes: containers in which AI employees work. */
export interface Nodes extends Contract {
  id: 'nodes';
  api: NodesApi;
  service: NodesService;
  events: NodesEvents;
}

/**
 * `creating`: the image is fetched or the container made. `online`: it answers. `offline`: three probes in a
 * row got no answer, or its engine has none. `error`: its container is gone or can't be made; nobody repairs
 * that by waiting. `removing`: deleted, as soon as its engine can be reached.
 */
export type NodeStatus = 'creating' | 'online' | 'offline' | 'error' | 'removing';

/** Of what its engine is asked by default: `docker`, one work container. */
export type NodeType = 'docker';

/** `internet`: everything but private addresses, as far as the engine's host allows. `none`: nothing at all. */
export type NodeNetwork = 'internet' | 'none';

/** How a node is set up, as it is shown. Keys, certificates and passwords never are. */
export interface NodeConfig {
  /** A reference such as `python:3.12-slim` or `registry.example.org/team/work@sha256:…`. */
  image: string;
  /** A number and a unit, `512m`. */
  memory_limit: string;
  /** Processors, a decimal number above 0: `1.0`. */
  cpu_limit: string;
  network: NodeNetwork;
  /** Whether a certificate of the engine's authority, and one of the platform's own, are kept. */
  tls?: { ca: boolean; cert: boolean; key: boolean };
  /** How the engine's host is logged in to; `host_key` is what it must show. */
  ssh?: { host_key: string; has_private_key: boolean; has_password: boolean };
}

/** The same, as it is given. */
export interface NewNodeConfig {
  /** Default: the setting `nodes.image`. */
  image?: string;
  /** Number and unit `b`, `k`, `m`, `g`, with or without `b` or `ib`, of 1,024. Default `512m`. */
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

/** A node. Timestamps are ISO 8601, UTC. */
export interface Node {
  id: number;
  /** 1 to 64 characters, unique without case. */
  name: string;
  node_type: NodeType;
  /** The engine's address, without credentials; empty: the local engine. */
  host: string;
  config: NodeConfig;
  status: NodeStatus;
  /** Why it has this status where that isn't plain, as a sentence; empty otherwise. */
  reason: string;
  /** The code of that, or empty: `engine_unavailable`, `image_pull_failed`, `container_missing`, `out_of_memory`, … */
  reason_code: string;
  /** Since when. */
  since: string;
  /** Whether it takes no new work. */
  draining: boolean;
  /** Whether its image has a shell, and commands can be run; null until that is known. */
  shell: boolean | null;
  /** What keeps its container from private addresses. */
  walls: { fenced: boolean; reason: string };
  container_id: string | null;
  /** When it last answered. */
  last_heartbeat: string | null;
  created_by: number;
  created_at: string;
  updated_at: string;
}

export type HealthStatus = 'healthy' | 'unhealthy' | 'starting' | 'unknown';

export interface Health {
  status: HealthStatus;
  /** Of the container since its last start; 0 where it doesn't run. */
  uptime_seconds: number;
  last_heartbeat: string | null;
  /** As a sentence; empty where it is healthy. */
  reason: string;
  since: string;
}

/** MiB are 1,048,576 bytes. */
export interface Stats {
  /** 100 is one processor. */
  cpu_usage_percent: number;
  /** Without the page cache that can be given back. */
  memory_usage_mb: number;
  memory_limit_mb: number;
  /** The container's writable layer. */
  disk_usage_mb: number;
}

export interface NewNode {
  name: string;
  node_type: NodeType;
  /** `tcp://`, `http(s)://`, `unix://` or `ssh://`. Default: the local engine. */
  host?: string;
  config?: NewNodeConfig;
}

/** One on the local engine. */
export interface NewLocalNode {
  name: string;
  config?: Pick<NewNodeConfig, 'image' | 'memory_limit' | 'cpu_limit' | 'network'>;
  /** Answers before it is made. Default false. */
  respond_async: boolean;
}

/** What is left out stays; an empty text takes a secret away. */
export interface NodeChange {
  name?: string;
  /** In `tls` a boolean, as the record shows it, changes nothing. */
  config?: {
    tls?: { ca?: string | boolean; cert?: string | boolean; key?: string | boolean };
    ssh?: NonNullable<NewNodeConfig['ssh']>;
  };
}

/** How far the image of a node is fetched. */
export interface PullProgress {
  /** Those that are known of by now. */
  layers: number;
  layers_done: number;
  /** Of what is known to be fetched. */
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
  /** A text for the container's shell, or a program and its arguments. */
  command: string | string[];
  /** Default `/workspace`. */
  cwd?: string;
  env?: Record<string, string>;
  /** A name or number in the container. Default: the image's own. */
  user?: string;
  /** Default 300, at most 3,600. Then all its processes are killed. */
  timeout_s: number;
}

/**
 * Events of a command that runs: `output {stream: "stdout"|"stderr", delta}`, with `base64` beside it if the bytes are not
 * UTF-8; then one `exit {exit_code, timed_out, truncated, duration_ms}`, then `done {}`. `exit_code` is 128 + n after signal
 * n, and null if the platform killed the command. A schedule's run fails instead with `command_failed` unless the exit code
 * is 0. A command whose output nobody reads fast enough waits, as in a pipe; `truncated` is false.
 */
export type ExecStream = AsyncIterable<StreamEvent>;

export interface LogInput {
  id: number;
  /** How many lines from the end. 0 to 10,000; default 200. */
  tail: number;
  /** ISO 8601: what was written before is left out. */
  since?: string;
  /** The `id` of the last line that was seen: the stream goes on after it, whatever `tail` and `since` say. */
  after?: string;
  follow: boolean;
}

/** Events of a log: `log {stream: "stdout"|"stderr", at, delta}`, a line each, with its end; then `done {}`. */
export type LogStream = AsyncIterable<StreamEvent>;

export interface FilesInput {
  id: number;
  /** A folder that is there. */
  path: string;
  /** A tar file, as the body itself or in a form: where it waits on this machine. */
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
 * Events of a node: `node.updated {node}` as it is and whenever it changes, `pull.progress` {@link PullProgress}, at last one
 * `done {status}`: `online`, `offline`, `error`, or `removed`.
 */
export type NodeStream = AsyncIterable<StreamEvent>;

/** What nodes gives to extensions in the same process. */
export interface NodesService {
  exists(id: number): Promise<boolean>;
  /** Of those that exist of the given. */
  statuses(ids: readonly number[]): Promise<ReadonlyMap<number, NodeStatus>>;
  /** Whether they take new work, and if not, why; those that don't exist are left out. */
  readiness(ids: readonly number[]): Promise<ReadonlyMap<number, 'ready' | 'node_offline' | 'node_draining'>>;
  /**
   * Puts files into the folder of a member's AI employee on a node, as that member, unless they are there already; gives
   * where. What is not used for 30 days goes at a later call.
   *
   * Fails with `node_not_found`, `node_offline`, `node_not_ready`, `node_removing`, `node_busy`, `no_shell`, and
   * `command_failed` where the container has no `tar`, or no room.
   */
  furnish(wanted: Furnishing, signal: AbortSignal): Promise<{ folder: string }>;
}

/** Files for a node. */
export interface Furnishing {
  node_id: number;
  /** The member for whom the AI employee works. */
  member_id: number;
  employee_id: number;
  /** Their kind and name, two folders below the AI employee's: `.skills/acme.reports`. Each hash has a folder of its own in it. */
  folder: string;
  /** `sha256:` and hex: two with the same hold the same. */
  content_hash: string;
  /** At most 2,000, together at most 200 MiB. */
  files: readonly FurnishedFile[];
}

export interface FurnishedFile {
  /** Below their folder, with slashes: no `..`, no control characters, at most 400 bytes. */
  path: string;
  bytes: number;
  /** Where it lies on this machine. */
  from: string;
  /** Whether it can be run; what begins with `#!` can be in any case. */
  executable: boolean;
}

/** A node's status has changed. */
export interface NodeChanged {
  id: number;
  name: string;
  status: NodeStatus;
  /** Null where it is new. */
  previous: NodeStatus | null;
  reason: string;
  reason_code: string;
  draining: boolean;
}

/** Something that a person should know of: `out_of_memory`, `died`, `unhealthy`. */
export interface NodeIncident {
  id: number;
  name: string;
  code: 'out_of_memory' | 'died' | 'unhealthy';
  message: string;
}

export type NodesEvents = {
  'nodes.changed': NodeChanged;
  'nodes.incident': NodeIncident;
  /** It takes no work any more; what runs on it is to be ended. Its container goes next. */
  'nodes.deleted': { id: number; name: string };
};
