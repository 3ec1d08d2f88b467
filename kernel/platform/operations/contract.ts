import type { SettingRow } from '../../../config/describe.js';
import type { OperationData, PanelHint } from '../../contract/manifest.js';
import type { ShownSettings } from '../../core/plugins/settings.js';
import type { InstanceStanding } from '../../core/plugins/standings.js';
import type { AuditApi } from '../audit/contract.js';
import type { HttpStanding } from '../http/http.js';
import type { MaintenanceApi } from '../maintenance/contract.js';

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
  state: 'loading' | 'active' | 'disabled' | 'restarting' | 'failed';
  /** Why it is not active, as a sentence. */
  error: string | null;
  permissions: object;
  /** What it brings, by id or name; of listeners to events the number. */
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
  instances: InstanceStanding[];
}

export interface PluginDetail extends PluginRecord {
  /** Markdown; empty where it brings none. */
  readme: string;
  /** Its settings, secrets masked; empty for who is no administrator. */
  config: object;
  /** Its last lines in the log, oldest first, at most 100; none for who is no administrator. */
  log: { at: string; level: string; message: string }[];
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
  /** What mends it, where the check knows; null where it is not red. */
  fix: string | null;
}

/** How the process that is asked does, at a glance. */
export interface StatusRecord {
  version: string;
  /** Its id among the instances of the installation. */
  instance: string;
  /** What its answers call it in the header `X-Instance`. */
  instance_name: string;
  pid: number;
  node_version: string;
  database: 'sqlite' | 'postgres';
  started_at: string;
  uptime_s: number;
  /** Null where nothing listens: a command works on the data folder by itself. */
  http: HttpStanding | null;
  /** By how much timers came late since the reading before, which is a second old or more; null at the first reading in two minutes. */
  event_loop_delay_ms: { p50: number; p99: number; max: number } | null;
  /** Of one core, in the same time. */
  cpu_percent: number | null;
  memory_mb: { rss: number; heap_used: number; heap_total: number };
  /** How many extensions, and why those that failed did. */
  extensions: { active: number; disabled: number; failed: { name: string; error: string }[] };
  /** `limit` 0: no limit. Null where nobody counts them. */
  seats: { used: number; limit: number } | null;
  /** The extensions' gauges, as `/metrics` has them. */
  figures: { extension: string; name: string; help: string; value: number }[];
}

/** What a member may ask of what is loaded. */
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

/** The kernel's own operations. */
export interface KernelApi extends MaintenanceApi, AuditApi {
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
}

export interface KernelContract {
  id: 'kernel';
  api: KernelApi;
  service: Record<string, never>;
  events: Record<string, never>;
}
