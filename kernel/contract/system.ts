/** Records about the kernel itself: the operations of the extension `system` answer with them. */
import type { Contract } from './extension.js';
import type { OperationData, PanelHint } from './manifest.js';
import type { Call, Caller, FileAnswer } from './operation.js';

export type ExtensionState = 'loading' | 'active' | 'disabled' | 'restarting' | 'failed';

/** How an extension stands on one instance. */
export interface ExtensionReport {
  version: string;
  state: ExtensionState;
  /** Why it is not active there, or not of the version that is installed. */
  error: string | null;
}

/** The same, with the instance's name. */
export interface InstanceReport extends ExtensionReport {
  instance: string;
}

/** How an extension stands, as administrators and members see it. */
export interface PluginRecord {
  /** Its id. */
  name: string;
  /** The name that people read. */
  title: string;
  version: string;
  type: 'plugin' | 'skill';
  description: string;
  author: string;
  /** Whether it belongs to the platform. */
  builtin: boolean;
  state: ExtensionState;
  /** Why it is not active, as a sentence. */
  error: string | null;
  permissions: object;
  /** Contributions, by id or name; for listeners to events, their number. */
  contributes: { operations: string[]; actions: string[]; tools: string[]; topics: string[]; channels: string[]; subscriptions: number };
  /** How often it was replaced, reloaded or started again since the server started. */
  restarts: number;
  /** The memory of its own process, in MB; null for those that run in the server's, and where this system doesn't tell. */
  memory_mb: number | null;
  loaded_at: string | null;
  /** Since then, in seconds. */
  uptime_s: number | null;
  /** The walls around its process that hold on this machine; empty for those that run in the server's. */
  walls: string[];
  /** Whether `plugins.trusted` names it: it runs also where walls are refused. Of the platform's own: true. */
  trusted: boolean;
  /** How it stands on each instance, this one first. */
  instances: InstanceReport[];
}

export interface PluginDetail extends PluginRecord {
  /** Markdown; empty where it brings none. */
  readme: string;
  /** Its settings, secrets masked; empty for who is no administrator. */
  config: object;
  /** Its last lines in the log, oldest first, at most 100; none for who is no administrator. */
  log: { at: string; level: string; message: string; fields: object }[];
}

/** The record for administrators. */
export interface ShownSettings {
  /** JSON Schema. */
  schema: object;
  /** Its settings, without secrets. */
  config: Readonly<Record<string, unknown>>;
  /** The names of the secrets that are set. */
  secrets: string[];
}

/** The settings of a third party's plugin. */
export interface PluginSettings extends ShownSettings {
  name: string;
}

export interface CheckRecord {
  /** The extension that checks, or `kernel`. */
  extension: string;
  code: string;
  ok: boolean;
  message: string;
  /** Since when it is red, as far as this instance knows; null where it is not, or has just been found so. Kept in memory alone. */
  since: string | null;
  /** How to mend it, if the check knows; null if it is not red. */
  fix: string | null;
}

/** Counts of HTTP answers, since the start and in the last minute. */
export interface TrafficFigures {
  /** Answered since the start. */
  requests: number;
  /** Answers with a status of 500 and above. */
  errors: number;
  /** In the last minute, with two decimals. */
  requests_per_second: number;
  /** In the last minute. */
  errors_per_minute: number;
}

/** The load of the HTTP door at a moment. */
export interface HttpReport extends TrafficFigures {
  /** Where it listens. */
  url: string;
  /** Event streams and sockets that are open. */
  streams: number;
  sockets: number;
}

/** How the process that is asked does, at a glance. */
export interface StatusRecord {
  version: string;
  /** Its id among the instances of the installation. */
  instance: string;
  /** Its name in the header `X-Instance` of its answers. */
  instance_name: string;
  pid: number;
  node_version: string;
  database: 'sqlite' | 'postgres';
  started_at: string;
  uptime_s: number;
  /** Null where nothing listens: a command works on the data folder by itself. */
  http: HttpReport | null;
  /** By how much timers came late since the reading before, which is a second old or more; null at the first reading in two minutes. */
  event_loop_delay_ms: { p50: number; p99: number; max: number } | null;
  /** Share of one core, in the same time. */
  cpu_percent: number | null;
  memory_mb: { rss: number; heap_used: number; heap_total: number };
  /** How many extensions, and why those that failed did. */
  extensions: { active: number; disabled: number; failed: { name: string; error: string }[] };
  /** `limit` 0: no limit. Null where nobody counts them. */
  seats: { used: number; limit: number } | null;
  /** The extensions' gauges, as `/metrics` has them. */
  figures: { extension: string; name: string; help: string; value: number }[];
}

/** The loaded operations that a member may call. */
export interface CatalogRecord {
  /** Another one after each change. */
  generation: number;
  /** By id. */
  operations: Record<string, OperationData & { extension: string }>;
  /** How they read on the command line. */
  commands: object[];
  /** The pages that plugins have in the dashboard, as far as the member may use them. */
  panels: PanelRecord[];
}

export interface PanelRecord extends PanelHint {
  extension: string;
}

/** One setting as a person sees it. */
export interface SettingRow {
  key: string;
  /** Secrets are masked; `''` where a setting is not set. */
  value: unknown;
  /** Where the value comes from: `default`, `file <path>`, `environment <variable>`, `flag`, or `unknown`. */
  source: string;
  environment: string;
  summary: string;
}

/** The audit trail's record of one use of an operation. */
export interface AuditEntry {
  /** When, ISO 8601 in UTC. */
  at: string;
  /** For whom it ran, of a login whose; 0 where nobody was known. */
  member_id: number;
  /** The user name that they had then; of a login that was refused the member's whose name was given. Empty where nobody was known. */
  username: string;
  operation: string;
  door: string;
  /** The extension that called in the member's name, as a plugin does in the course of a call; else empty. */
  via: string;
  /** The client's network address, after trusted proxies; empty for callers in this process. */
  address: string;
  /** The id of the whole request: a plugin's calls in the course of a call have the id of that call. */
  request_id: string;
  /** The record that it was about: as named by its path (several joined by `/`), or by its handler. */
  target: string;
  /** `success`, or the code of the failure with which it was refused. */
  outcome: string;
  /** Secrets are masked. Of what was refused, nothing. */
  input: object;
}

export interface AuditRecord extends AuditEntry {
  /** Rises with time, as far as one instance writes. */
  id: number;
  /** How often the same was refused within the minute; of a success 1. */
  times: number;
  /** When the last of them was. */
  last_at: string;
}

/** A filter of the trail's rows; a key that is left out matches all. */
export interface AuditQuery {
  member_id?: number;
  operation?: string;
  target?: string;
  /** `success`, `refused` for whatever wasn't one, or the code of a refusal. */
  outcome?: string;
  /** ISO 8601; the first moment, and the one after the last. */
  from?: string;
  to?: string;
  /** The id of the last row of the page before. */
  before?: number;
  limit: number;
}

export interface CleanupReport {
  /** The clean-ups that ran, in order: rows removed, and the time each took. */
  removed: { name: string; rows: number; ms: number }[];
  failed: { name: string; code: string; message: string }[];
}

/** An archive as the list shows it. */
export interface BackupRecord {
  /** Its name in the folder `backups` of the data folder. */
  file: string;
  bytes: number;
  created_at: string;
}

export interface BackupReport {
  file: string;
  bytes: number;
  /** Digest of the archive, in hex. */
  sha256: string;
  tables: number;
  rows: number;
  blobs: number;
  missing_blobs: number;
  /** Extensions' files that are not in it as they are, counted up to a hundred. */
  left_out: number;
  /** Those files, from the data folder, and why. */
  left_out_files: readonly { name: string; why: string }[];
  duration_ms: number;
  /** Older archives that had to go. */
  removed: string[];
  needs_secret_key: true;
}

/** The operations of the extension `system`. */
export interface SystemApi {
  'plugins.list': { input: object; answer: PluginRecord[] };
  'plugins.get': { input: { name: string }; answer: PluginDetail };
  'plugins.disable': { input: { name: string }; answer: PluginRecord };
  'plugins.enable': { input: { name: string }; answer: PluginRecord };
  'plugins.settings': { input: { name: string }; answer: PluginSettings };
  'plugins.configure': { input: { name: string; config: Record<string, unknown> }; answer: PluginSettings };
  'plugins.reload': { input: { name: string }; answer: PluginRecord };
  'catalog.get': {
    input: object;
    answer: CatalogRecord;
  };
  'version.get': { input: object; answer: { api: string; server: string } };
  'checks.list': { input: object; answer: CheckRecord[] };
  'status.get': { input: object; answer: StatusRecord };
  'config.get': { input: object; answer: SettingRow[] };
  'audit.list': { input: AuditQuery; answer: AuditRecord[] };
  'maintenance.cleanup': { input: object; answer: CleanupReport };
  'maintenance.backup': { input: { keep: number }; answer: BackupReport };
  'backups.list': { input: object; answer: BackupRecord[] };
  'backups.read': { input: { file: string; offset: number; bytes: number }; answer: FileAnswer };
  'backups.delete': { input: { file: string }; answer: undefined };
}

/** The kernel's work for the extension `system`. Each fails with the codes that the operation of that name lists. */
export interface Administration {
  readonly version: string;
  plugins(): PluginRecord[];
  record(name: string): PluginRecord;
  /** Settings and log lines are for administrators; others get neither. */
  plugin(name: string, caller: Caller): Promise<PluginDetail>;
  disable(name: string): Promise<void>;
  enable(name: string): Promise<void>;
  reload(name: string): Promise<void>;
  settings(name: string): Promise<PluginSettings>;
  configure(name: string, config: Record<string, unknown>): Promise<PluginSettings>;
  catalogFor(caller: Caller): CatalogRecord;
  checks(): Promise<CheckRecord[]>;
  status(): Promise<StatusRecord>;
  /** The settings that this process runs with, secrets masked. */
  config(): SettingRow[];
  auditTrail(query: AuditQuery): Promise<AuditRecord[]>;
  cleanup(signal: AbortSignal): Promise<CleanupReport>;
  backup(options: { keep: number } & Pick<Call, 'signal' | 'progress'>): Promise<BackupReport>;
  backups(): Promise<BackupRecord[]>;
  /** A piece of an archive; empty after its end. */
  readBackup(file: string, piece: { offset: number; bytes: number }): Promise<Buffer>;
  removeBackup(file: string): Promise<void>;
}

/** The kernel as extensions depend on it. */
export interface Kernel extends Contract {
  id: 'kernel';
  api: object;
  service: Administration;
}

/** The name of an archive: its time, and eight digits that make it unique, as in `20261120T133059123Z-5f3a9c01.tar`. */
export const backup_name = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-[0-9a-f]{8}\.tar$/;
