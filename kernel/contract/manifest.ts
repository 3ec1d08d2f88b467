import type { OperationAudience } from './operation.js';

/** `manifest.json`: everything that is known about an extension without running its code. */
export interface Manifest {
  /** `^[a-z0-9][a-z0-9._-]{1,63}$` */
  id: string;
  /** Name for people. */
  name: string;
  type: 'plugin' | 'skill';
  /** Semantic version. */
  version: string;
  description: string;
  author: string;
  license?: string;
  /** One word of lower-case letters, digits and dashes, by which people search. */
  category?: string;
  /** At most 20, without commas. */
  tags?: readonly string[];
  /** `https://…` or `http://…` */
  homepage?: string;
  /** File of the bundle with its description in Markdown. Default `README.md`. */
  readme?: string;
  /**
   * Path prefixes that belong to it, in whole segments. No two extensions may claim the same. A third party may claim only `/api/x/<id>`.
   * `/` claims only navigations of browsers that nothing else claims.
   */
  claims?: readonly string[];
  /** Claims with a public protocol. Clients get errors in the protocol's shape, also while the extension is unavailable. */
  protocols?: Readonly<Record<string, Protocol>>;
  /** Whether the platform needs it: it may be replaced but not disabled, and the platform doesn't start if it fails. */
  required?: boolean;
  /** The bundled file. Default `index.cjs`. */
  main?: string;
  /** npm packages that its bundle loads from the platform instead of containing them. */
  requires?: readonly string[];
  /** Extensions that must be active: id → semver range. */
  dependencies?: Readonly<Record<string, string>>;
  /** Platform versions that it works with. */
  engines?: { readonly platform?: string };
  /** Its pages in the navigation of the web app. Not for third parties, whose pages are `contributes.panels`. */
  pages?: readonly PageEntry[];
  /** Permissions that it requests beyond answering its own operations. Only for third parties. Default: none. */
  permissions?: Permissions;
  /** JSON Schema of its settings: one flat object. A value that is `writeOnly`, or has the format `password`, is stored encrypted. */
  config?: object;
  /** Limits of its process. */
  limits?: PluginLimits;
  /** Its contributions as data, so that help and documentation don't run its code. The build fills this in. */
  contributes?: Contributions;
}

/** Permissions that an administrator grants to a third party's plugin. Everything else is refused with `permission_denied`. */
export interface Permissions {
  /** Ids of the operations that it may call; its own need no permission. */
  readonly operations?: readonly string[];
  /** Topics of events that it may listen to; its own need no permission. It may only emit its own: `<its id>.…`. */
  readonly events?: readonly string[];
  /** Hosts that it may reach: `example.org`, or `*.example.org` for its subdomains; with `:8443` for another port than the scheme's, `:*` for any. */
  readonly network?: readonly string[];
  /** Whether it may use key-value storage. */
  readonly storage?: boolean;
  /** Names of the platform's environment variables that it may read; none that begin with `PLATFORM_`. */
  readonly env?: readonly string[];
  /** Whether it may have public operations, which need no token. */
  readonly public_routes?: boolean;
}

export interface PluginLimits {
  /** Limit of its heap, in MB: 16 to 512. Default 64. */
  memory_mb?: number;
  /** Time limit in ms of operations that don't set one: 100 to 120,000. Default 30,000. */
  call_timeout_ms?: number;
}

export interface Contributions {
  operations?: Readonly<Record<string, OperationData>>;
  /** Commands for its operations. */
  commands?: readonly CommandHint[];
  /** Its operations that schedules may run, by id. */
  actions?: readonly string[];
  /** Its operations that AI employees may be given as tools, by id. */
  tools?: readonly string[];
  /** Topics that sockets may subscribe to. */
  topics?: readonly { readonly name: string; readonly readers: 'member' | 'admin' }[];
  /** Ways of sending notifications, by name: `<its id>.…`. */
  channels?: readonly string[];
  panels?: readonly PanelHint[];
  /** Its files for browsers. Not in a third party's manifest. */
  web?: BrowserFiles;
}

/** A page in the navigation of the web app. */
export interface PageEntry {
  /** Its address: `/chat`. All addresses below it belong to the extension, too. */
  path: string;
  /** Title in each language of the web app. */
  title: Readonly<Record<'en' | 'zh-CN', string>>;
  /** Name of an icon of the web app's kit. */
  icon: string;
  /** Lower ones come first. */
  order: number;
  /** Members for whom its addresses are there. */
  for: 'member' | 'admin';
  /** `work` for everyday pages, `manage` for those that run the platform: administrators alone see them in the navigation. */
  group: 'work' | 'manage';
}

/** Files for browsers in the folder `web` of an extension, as the build has named them by their content. */
export interface BrowserFiles {
  /** The module with its pages; in the extension `web`, the module that starts the web app. */
  module?: string;
  /** Its style sheet. */
  style?: string;
  /** Modules that pages import by name: `react` → its file. Only in the extension `web`. */
  imports?: Readonly<Record<string, string>>;
  /** The module that loads once a member is logged in. Only in the extension `web`. */
  app?: string;
  /** Files that a module imports at once, itself or by others, so that a browser can ask for all of them together. */
  parts?: Readonly<Record<string, readonly string[]>>;
  /** Names of `imports` that `module` imports at once. */
  uses?: readonly string[];
  /** Documents for frames: name → its module and style sheet. Only in the extension `web`. */
  frames?: Readonly<Record<string, { readonly module: string; readonly style?: string }>>;
}

/** A page of the dashboard that lists records, as data. It uses the extension's own operations, of the kind `call`. */
export interface PanelHint {
  /** 1 to 24 characters. */
  title: string;
  /** Operation that returns the list, itself or as `items`; a single record is a list of one. It is called without input. */
  operation: string;
  /** Keys of a record, dotted for nested ones; at most 12. Default: the first six. */
  columns?: readonly string[];
  /** Seconds between two calls: 1 to 3,600. Default 5. */
  refresh_s?: number;
  /** Operation whose answer is shown for an opened record. Default: shows the record itself. */
  details?: string;
  /** At most 10. */
  actions?: readonly PanelAction[];
  /** Action that removes a record, after a confirmation. */
  remove?: Pick<PanelAction, 'operation' | 'confirm'>;
}

/**
 * An action of a page. The operation's input gets the record's values under the same names; the page asks for other required ones.
 */
export interface PanelAction {
  /** A letter other than `g j k q y`, which all lists use, in either case. */
  key: string;
  /** 1 to 24 characters. */
  label: string;
  operation: string;
  /** Question to confirm first, 1 to 120 characters. Default: a question if the operation is `dangerous`. */
  confirm?: string;
  /** `list`: the action is for no record, so the page asks for all of its input. Default `record`. */
  of?: 'record' | 'list';
  /** Whether its answer is shown. Default false. */
  shows?: boolean;
}

/** An {@link Operation} with its schemas as JSON Schema. */
export interface OperationData {
  summary: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  who: 'public' | 'member' | 'admin';
  kind: 'call' | 'stream' | 'upload' | 'file';
  input: object;
  query?: readonly string[];
  answer?: object;
  status: number;
  also?: readonly number[];
  failures?: readonly string[];
  scope?: string;
  dangerous?: boolean;
  audience?: OperationAudience;
  secrets?: readonly string[];
  audited?: boolean | 'refused';
  costly?: boolean;
  tool?: boolean;
  mcp?: boolean;
  schedulable?: boolean;
  idempotent?: 'data' | 'external';
  verbatim?: boolean;
  respond_async?: boolean;
  progress?: boolean;
  etag?: boolean;
  raw?: string;
  file_field?: string;
  max_bytes?: number;
  timeout_ms?: number;
}

/** Kinds of records that people may refer to on the command line by a name or a part of an id. */
export type ReferenceKind =
  | 'member'
  | 'employee'
  | 'node'
  | 'schedule'
  | 'token'
  | 'session'
  | 'open room'
  | 'message'
  | 'task'
  | 'run'
  | 'approval'
  | 'extension'
  | 'installed extension'
  | 'trusted key'
  | 'notification'
  | 'audit';

/** A command that calls an operation, as data. */
export interface CommandHint {
  operation: string;
  /** The words of the command: `member create`. */
  command: string;
  /** Input keys that are positional arguments, in order. If the last one accepts a text or a list of texts, it takes all remaining words. */
  arguments?: readonly string[];
  /** Input keys that hold the id of a record: key → kind. People may write its name, or a part of a UUID, instead. */
  refers?: Readonly<Record<string, ReferenceKind>>;
  /** Input keys that hold secrets: the command asks for them without echo, or reads them from standard input with `--<key>-stdin`. */
  secrets?: readonly string[];
  /** Keys of the answer, or of its items, that are shown as columns. */
  columns?: readonly string[];
  /** The one of the columns that is Markdown: on a terminal it is formatted below the others. Not in a third party's manifest. */
  markdown?: string;
  /**
   * Keys of lists with named records that a terminal shows above that column: `{ file: 'files' }` makes `[file report.pdf]`, with the record's
   * `id` if it has one. Not in a third party's manifest.
   */
  named?: Readonly<Record<string, string>>;
  /**
   * Question to confirm first, unless `--yes` is set. `{key}` is replaced by the record that the input's key refers to, as in `Delete {id}?`.
   * `false`: asks nothing even if the operation is dangerous, because the typed command is explicit enough.
   */
  confirm?: string | false;
  /** Asks the question only if the input has these values: `{ visibility: 'open' }`. Default: always. Not in a third party's manifest. */
  confirm_if?: Readonly<Record<string, string>>;
  /** Key of the answer that reports success: if it is `false`, the exit code is 1 although the call succeeded. */
  success?: string;
  /** Input keys that are objects and whose own keys become flags: `--image` instead of JSON for all of `config`. */
  spread?: readonly string[];
  /**
   * Input that the command always sends: `{ target_type: 'room' }`. For a key that refers to a member, `me` is the caller. These keys are
   * neither arguments nor flags. Not in a third party's manifest.
   */
  preset?: Readonly<Record<string, string>>;
  /** Further flags for input keys: `{ room: 'session_id' }` makes `--room` beside `--session-id`. Not in a third party's manifest. */
  aliases?: Readonly<Record<string, string>>;
  /** Flag for files of this machine that are uploaded before the call. Not in a third party's manifest. */
  attachments?: AttachmentFlag;
  /** Names of flags that differ from their input key: `{ member_ids: 'to' }` makes `--to`. */
  flags?: Readonly<Record<string, string>>;
  /** For a stream: how its events become running text, unless JSON is requested. */
  text?: RunningText;
  /** For a stream with a process's output: how to forward its bytes and its exit code. Not in a third party's manifest. */
  process?: ProcessOutput;
  /** For a stream: the events that report progress. */
  progress?: StreamProgress;
  /** Stream that `--follow` reads after the answer, and the keys of the answer that are its input. */
  follow?: { readonly operation: string; readonly input: readonly string[] };
  /** Example for the command's help. Default: one made of the required arguments and flags. */
  example?: string;
}

/** A flag that takes the path of a file, which is uploaded before the call. It may be repeated. */
export interface AttachmentFlag {
  /** Name of the flag: `file` makes `--file`. */
  flag: string;
  /** Operation that uploads one file; its answer has an `id`. */
  operation: string;
  /** Input key of the list that these ids are added to. */
  key: string;
  /** Input key of a text that may be left out if a file is sent. */
  instead_of: string;
}

/** Events that report progress: a bar on a terminal, lines like all others elsewhere. */
export interface StreamProgress {
  /** Type of the events. */
  event: string;
  /** Keys of the done bytes and of all bytes. */
  done: string;
  total: string;
  /** Values of `status` in the event `done` that mean failure, so that the exit code is 1. */
  failed?: readonly string[];
}

/** The events of a process. */
export interface ProcessOutput {
  /** The type of `{stream: "stdout" | "stderr", delta, base64?}`; `base64` holds the bytes if they are not UTF-8. */
  output: string;
  /** The type of `{exit_code, timed_out, truncated}`; `exit_code` is null if the process was killed. */
  exit: string;
}

/** How a stream's events make up one text. Other events are not shown. */
export interface RunningText {
  /** The type of the events whose `delta` adds to the text. */
  delta: string;
  /** Dotted key under which an event has the whole text so far: `message.content`. */
  whole: string;
  /** Lines to print: type of event → text. `{approval.id}` is replaced by the value of that field. */
  notices?: Readonly<Record<string, string>>;
  /** The type of the events whose `delta` is shown beside the text, dimmed, on a terminal only. */
  aside?: string;
  /** Whether the stream has `tool.started`, `tool.output` and `tool.finished`, as a reply has; they are shown beside the text. */
  tools?: boolean;
  /** Whether the stream has `approval.required` and `approval.resolved`; a terminal asks for the decision at once. Not in a third party's manifest. */
  approvals?: boolean;
  /** Key of events: if an event has it and it is not 0, the exit code is 1. */
  status?: string;
}

/** A protocol with an error shape of its own. */
export type Protocol = 'openai' | 'json-rpc';
