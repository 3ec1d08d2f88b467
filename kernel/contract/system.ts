/** Records about the kernel itself, which the operations of the extension `system` return. */
import type { Contract } from './extension.js';
import type { OperationData, PanelHint } from './manifest.js';
import type { Call, Caller, FileAnswer } from './operation.js';

export type ExtensionState = 'loading' | 'active' | 'disabled' | 'restarting' | 'failed';

/** State of an extension on one instance. */
export interface ExtensionReport {
  version: string;
  state: ExtensionState;
  /** Why it is not active there, or runs another version than the installed one; null if neither applies. */
  error: string | null;
}

/** State of an extension, with the instance's name. */
export interface InstanceReport extends ExtensionReport {
  instance: string;
}

/** An extension, as administrators and members see it. */
export interface PluginRecord {
  /** Its id. */
  name: string;
  /** Name for people. */
  title: string;
  version: string;
  type: 'plugin' | 'skill';
  description: string;
  author: string;
  /** Whether it belongs to the platform. */
  builtin: boolean;
  state: ExtensionState;
  /** Why it is not active, as a sentence; null if it is. */
  error: string | null;
  permissions: object;
  /** Contributions by id or name, and the number of listeners to events. */
  contributes: { operations: string[]; actions: string[]; tools: string[]; topics: string[]; channels: string[]; subscriptions: number };
  /** Number of replacements, reloads and restarts since the server started. */
  restarts: number;
  /** Memory of its own process in MB; null if it runs in the server's process, or the operating system doesn't report it. */
  memory_mb: number | null;
  loaded_at: string | null;
  /** Seconds since `loaded_at`. */
  uptime_s: number | null;
  /** The walls around its process that hold on this machine; empty if it runs in the server's process. */
  walls: string[];
  /** Whether `plugins.trusted` names it, so that it also runs if the system refuses walls. True for the platform's own. */
  trusted: boolean;
  /** State on each instance, this one first. */
  instances: InstanceReport[];
}

export interface PluginDetail extends PluginRecord {
  /** Markdown; empty if it has none. */
  readme: string;
  /** Its settings, secrets masked; empty unless the caller is an administrator. */
  config: object;
  /** Its last 100 lines in the log, oldest first; empty unless the caller is an administrator. */
  log: { at: string; level: string; message: string; fields: object }[];
}

/** Settings as administrators see them. */
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
  /** Id of the extension that has registered the check, or `kernel`. */
  extension: string;
  code: string;
  ok: boolean;
  message: string;
  /** Since when this instance has seen the check fail; null if it succeeds or has just failed for the first time. Kept in memory only. */
  since: string | null;
  /** How to fix it, if the check knows; null if it succeeds. */
  fix: string | null;
}

/** Numbers of HTTP answers, since the start and in the last minute. */
export interface TrafficFigures {
  /** Answers since the start. */
  requests: number;
  /** Answers with a status of 500 and above. */
  errors: number;
  /** Average of the last minute, with two decimals. */
  requests_per_second: number;
  /** Errors in the last minute. */
  errors_per_minute: number;
}

/** Current load of the HTTP door. */
export interface HttpReport extends TrafficFigures {
  /** Address on which it listens. */
  url: string;
  /** Open event streams, and open sockets. */
  streams: number;
  sockets: number;
}

/** Status of the process that answers. */
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
  /** Null if nothing listens, because a command without a server answers. */
  http: HttpReport | null;
  /** Delay of timers since the previous reading, at least a second ago; null if there was none in the last two minutes. */
  event_loop_delay_ms: { p50: number; p99: number; max: number } | null;
  /** Share of one core in the same time. */
  cpu_percent: number | null;
  memory_mb: { rss: number; heap_used: number; heap_total: number };
  /** Numbers of extensions, and the faults of failed ones. */
  extensions: { active: number; disabled: number; failed: { name: string; error: string }[] };
  /** Number of people and the limit, 0 for none; null if no extension counts them. */
  seats: { used: number; limit: number } | null;
  /** The extensions' gauges, as in `/metrics`. */
  figures: { extension: string; name: string; help: string; value: number }[];
}

/** The loaded operations that a member may call. */
export interface CatalogRecord {
  /** Changes with each change of the catalog. */
  generation: number;
  /** Operations by id. */
  operations: Record<string, OperationData & { extension: string }>;
  /** Hints for their commands. */
  commands: object[];
  /** Plugins' pages in the dashboard that the member may use. */
  panels: PanelRecord[];
}

export interface PanelRecord extends PanelHint {
  extension: string;
}

/** One setting, as people see it. */
export interface SettingRow {
  key: string;
  /** Value, masked if it is secret; `''` if it is not set. */
  value: unknown;
  /** Source of the value: `default`, `file <path>`, `environment <variable>`, `flag`, or `unknown`. */
  source: string;
  environment: string;
  summary: string;
}

/** Record in the audit trail of one call of an operation. */
export interface AuditEntry {
  /** Time of the call, ISO 8601 in UTC. */
  at: string;
  /** Member for whom it ran, or who logged in; 0 if unknown. */
  member_id: number;
  /** The member's user name at that time; for a refused login the name that was tried. Empty if unknown. */
  username: string;
  operation: string;
  door: string;
  /** Id of the extension that called on the member's behalf, such as a plugin during a call; otherwise empty. */
  via: string;
  /** The client's network address, after trusted proxies; empty for callers in this process. */
  address: string;
  /** Id of the whole request; calls that a plugin makes during a call have the same id. */
  request_id: string;
  /** Affected record: the path parameters, joined by `/`, or the id that the handler has set. */
  target: string;
  /** `success`, or the failure code of the refusal. */
  outcome: string;
  /** The input, with secrets masked; empty for a refused call. */
  input: object;
}

export interface AuditRecord extends AuditEntry {
  /** Rises with time among the records that one instance writes. */
  id: number;
  /** Number of equal refusals within the minute; 1 for a success. */
  times: number;
  /** Time of the last of them. */
  last_at: string;
}

/** Filter of the audit trail. A key that is left out matches everything. */
export interface AuditQuery {
  member_id?: number;
  operation?: string;
  target?: string;
  /** `success`, `refused` for everything else, or the failure code of a refusal. */
  outcome?: string;
  /** Start of the period (included) and its end (excluded), ISO 8601. */
  from?: string;
  to?: string;
  /** Id of the last record of the previous page. */
  before?: number;
  limit: number;
}

export interface CleanupReport {
  /** Cleaners that ran, in order, with the number of deleted rows and the time that each took. */
  removed: { name: string; rows: number; ms: number }[];
  failed: { name: string; code: string; message: string }[];
}

/** An archive in the list of backups. */
export interface BackupRecord {
  /** Name in the folder `backups` of the data folder. */
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
  /** Number of extensions' files that the archive lacks or has in another state; counted up to a hundred. */
  left_out: number;
  /** These files, relative to the data folder, with the reason. */
  left_out_files: readonly { name: string; why: string }[];
  duration_ms: number;
  /** Older archives that were deleted. */
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

/** The kernel's service for the extension `system`. Each method fails with the codes of the corresponding operation. */
export interface Administration {
  readonly version: string;
  plugins(): PluginRecord[];
  record(name: string): PluginRecord;
  /** Returns an extension's detail; without settings and log lines unless the caller is an administrator. */
  plugin(name: string, caller: Caller): Promise<PluginDetail>;
  disable(name: string): Promise<void>;
  enable(name: string): Promise<void>;
  reload(name: string): Promise<void>;
  settings(name: string): Promise<PluginSettings>;
  configure(name: string, config: Record<string, unknown>): Promise<PluginSettings>;
  catalogFor(caller: Caller): CatalogRecord;
  checks(): Promise<CheckRecord[]>;
  status(): Promise<StatusRecord>;
  /** Returns the settings of this process, secrets masked. */
  config(): SettingRow[];
  auditTrail(query: AuditQuery): Promise<AuditRecord[]>;
  cleanup(signal: AbortSignal): Promise<CleanupReport>;
  backup(options: { keep: number } & Pick<Call, 'signal' | 'progress'>): Promise<BackupReport>;
  backups(): Promise<BackupRecord[]>;
  /** Reads a piece of an archive; empty after its end. */
  readBackup(file: string, piece: { offset: number; bytes: number }): Promise<Buffer>;
  removeBackup(file: string): Promise<void>;
}

/** The kernel as a dependency of extensions. */
export interface Kernel extends Contract {
  id: 'kernel';
  api: object;
  service: Administration;
}

/** Matches the name of an archive: its time and eight hex digits that make it unique, as in `20261120T133059123Z-5f3a9c01.tar`. */
export const backup_name = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-[0-9a-f]{8}\.tar$/;
