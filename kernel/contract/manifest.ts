/** `manifest.json`: all that can be known of an extension without running its code. */
export interface Manifest {
  /** `^[a-z0-9][a-z0-9._-]{1,63}$` */
  id: string;
  /** The name that people read. */
  name: string;
  type: 'plugin' | 'skill';
  /** Semantic version. */
  version: string;
  description: string;
  author: string;
  license?: string;
  /** One word of lower-case letters, digits and dashes, by which people find it. */
  category?: string;
  /** At most 20, without commas. */
  tags?: readonly string[];
  /** `https://…` or `http://…` */
  homepage?: string;
  /** Its description in Markdown, a file of the bundle. Default `README.md`. */
  readme?: string;
  /** Path prefixes that belong to it, by whole segments; no two extensions may claim the same. Of a third party: `/api/x/<id>` and nothing else. */
  claims?: readonly string[];
  /** Claims under which a public protocol is spoken: its clients get errors in its shape, also while the extension is unavailable. */
  protocols?: Readonly<Record<string, Protocol>>;
  /** The platform can't do without it: may be replaced, not disabled; its failure at boot ends the boot. */
  required?: boolean;
  /** The bundled file. Default `index.cjs`. */
  main?: string;
  /** npm packages that its bundle takes from the platform instead of bringing them. */
  requires?: readonly string[];
  /** Extensions that must be active, by semver range. */
  dependencies?: Readonly<Record<string, string>>;
  /** Platform versions that it works with. */
  engines?: { readonly platform?: string };
  /** Permissions beyond answering its own operations. Only third parties ask for them; left out: none. */
  permissions?: Permissions;
  /** JSON Schema of its settings: one flat object. A value that is `writeOnly`, or of the format `password`, is kept sealed. */
  config?: object;
  /** Limits of its process. */
  limits?: PluginLimits;
  /** Filled in by the build: what it contributes, as data, so that help and docs need no running code. */
  contributes?: Contributions;
}

/** Permissions that an administrator grants to a plugin of a third party; everything else is refused with `permission_denied`. */
export interface Permissions {
  /** Ids of the operations that it may call; its own need no permission. */
  readonly operations?: readonly string[];
  /** Topics of events that it may listen to; its own need no permission. It emits its own alone: `<its id>.…`. */
  readonly events?: readonly string[];
  /** Hosts that it may reach: `example.org`, `*.example.org` (not the name itself), with `:8443` for a port other than the scheme's, `:*` for any. */
  readonly network?: readonly string[];
  /** Whether it has key-value storage. */
  readonly storage?: boolean;
  /** Names of the platform's environment variables that it may read; none that begin with `PLATFORM_`. */
  readonly env?: readonly string[];
  /** Whether it may have operations that need no token. */
  readonly public_routes?: boolean;
}

export interface PluginLimits {
  /** Limit of its heap, in MB: 16 to 512. Default 64. */
  memory_mb?: number;
  /** For operations that name no time of their own, in ms: 100 to 120,000. Default 30,000. */
  call_timeout_ms?: number;
}

export interface Contributions {
  operations?: Readonly<Record<string, OperationData>>;
  /** How operations read on the command line. */
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
}

/** How operations read as a page of the dashboard: a list of records; data only. All operations are its own calls. */
export interface PanelHint {
  /** 1 to 24 characters. */
  title: string;
  /** Its answer is the list, or has it as `items`; a single record is a list of one. It is called without input. */
  operation: string;
  /** Keys of a record, dotted where they lie deeper; at most 12. Default: its first six. */
  columns?: readonly string[];
  /** Seconds between two readings: 1 to 3,600. Default 5. */
  refresh_s?: number;
  /** Its answer is shown for the record that is opened. Default: the record itself. */
  details?: string;
  /** At most 10. */
  actions?: readonly PanelAction[];
  /** Removes a record, after a question. */
  remove?: Pick<PanelAction, 'operation' | 'confirm'>;
}

/**
 * An action that a page offers. The operation's input takes what the record has under the same names; what else it requires is asked
 * for.
 */
export interface PanelAction {
  /** A letter; not one of `g j k q y`, in either case, which all lists have. */
  key: string;
  /** 1 to 24 characters. */
  label: string;
  operation: string;
  /** Asks this first, as 1 to 120 characters. Default: asks where the operation is `dangerous`. */
  confirm?: string;
  /** `list`: it is for no record, and all of its input is asked for. Default `record`. */
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
  secrets?: readonly string[];
  audited?: boolean | 'refused';
  costly?: boolean;
  tool?: boolean;
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

/** Things that people may name on the command line by a name or a part of an id. */
export type ReferenceKind =
  | 'member'
  | 'employee'
  | 'node'
  | 'schedule'
  | 'token'
  | 'session'
  | 'message'
  | 'task'
  | 'run'
  | 'approval'
  | 'extension'
  | 'installed extension'
  | 'trusted key'
  | 'notification'
  | 'audit';

/** How an operation reads on the command line; data only. */
export interface CommandHint {
  operation: string;
  /** The words of the command: `member create`. */
  command: string;
  /** Input keys that are given as positional arguments, in order. A last one that is a text or a list of texts takes all words after it. */
  arguments?: readonly string[];
  /** Input keys that hold the id of something, by its kind: people may give its name, or a part of a UUID. */
  refers?: Readonly<Record<string, ReferenceKind>>;
  /** Input keys asked for without echo, or read from standard input with `--<key>-stdin`. */
  secrets?: readonly string[];
  /** Keys of the answer (or of its items) shown as columns. */
  columns?: readonly string[];
  /**
   * Asks before it runs, unless `--yes`. `{key}` stands for what the input's key refers to, as in `Delete {id}?`. `false`: doesn't ask,
   * because what is typed says it all, however dangerous it is.
   */
  confirm?: string | false;
  /** A key of the answer: if it is `false`, the work has failed although the call succeeded, and the exit code is 1. */
  success?: string;
  /** Input keys that are objects, and whose own keys are flags: `--image` instead of JSON for all of `config`. */
  spread?: readonly string[];
  /** Input keys whose flag has another name than the key: `{ member_ids: 'to' }` is `--to`. */
  flags?: Readonly<Record<string, string>>;
  /** For a stream: how its events become running text if no JSON is asked for. */
  text?: RunningText;
  /** For a stream that carries a process: passes on its bytes and its exit code. Not in a third party's manifest. */
  process?: ProcessOutput;
  /** For a stream: the events that report progress. */
  progress?: StreamProgress;
  /** With `--follow`, a stream is read after the answer; these keys of the answer are its input. */
  follow?: { readonly operation: string; readonly input: readonly string[] };
  /** Shown in the command's help. */
  example?: string;
}

/** On a terminal these events are a bar; elsewhere lines like all others. */
export interface StreamProgress {
  /** Their type. */
  event: string;
  /** Their keys for the bytes that are done, and for all. */
  done: string;
  total: string;
  /** Values of `status` in the event `done` that mean failure: the exit code is 1 then. */
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
  /** Where an event has the whole text so far, dotted: `message.content`. */
  whole: string;
  /** Line to print when an event of a type comes; `{approval.id}` is replaced by the value of that field. */
  notices?: Readonly<Record<string, string>>;
  /** The type of the events whose `delta` is shown beside the text, dimmed, on a terminal only. */
  aside?: string;
  /** Whether `tool.started`, `tool.output` and `tool.finished` come, as in a reply's stream: they are told beside the text. */
  tools?: boolean;
  /** Whether `approval.required` and `approval.resolved` come: on a terminal they are asked for at once. Not in a third party's manifest. */
  approvals?: boolean;
  /** A key of events: where it is there and not 0, the command fails with exit code 1. */
  status?: string;
}

/** A protocol with an error shape of its own. */
export type Protocol = 'openai' | 'json-rpc';
