import type { Root } from 'joi';
import type { ChannelDeliver, ChannelDescription } from './channel.js';
import type { Blobs, Database, Migration, Secrets } from './data.js';
import type { DoorHandler, ProtocolDoor } from './door.js';
import type { Codes } from './failure.js';
import type { Extensions } from './installation.js';
import type { Bus, Journal } from './journal.js';
import type {
  CallCookie,
  Caller,
  Door,
  Examples,
  Handlers,
  Kind,
  Operation,
  Operations,
  Role,
  Scope,
  Step,
  Verbatim,
} from './operation.js';
import type { Audience, Frame, FrameHandler, FrameSchema, PresenceService, PushedFrames, PushOptions, Readers } from './socket.js';
import type { JobId, JobRow, Work, Worker } from './work.js';

/** The types of an extension: what it offers to whom. Types only; nothing of it exists at run time. */
export interface Contract {
  id: string;
  /** Operations: id → input and answer. */
  api: object;
  /** Service for extensions in the same process. */
  service: object;
  /** Events: topic → payload. */
  events: object;
}

/** An extension: its bundle exports this as `default`. */
export interface Extension<Own extends Contract = Contract> {
  /** The steps of its schema, all of them, in order. Those that have not run yet run before it is activated. */
  readonly migrations?: readonly Migration[];
  /** At most 30 s. Contributions count from the moment it has returned; a throw drops them all. */
  activate(ctx: Context<Own>): void | Promise<void>;
  /**
   * Ends what `ctx` can't know of. Awaited, at most 5 s. Called when calls under way have ended and,
   * after a replacement, also all that was given to `ctx.track`: claimed work ends in its own time.
   */
  deactivate?(reason: StopReason): void | Promise<void>;
}

/** Why an extension stops: another version has taken its place, it was disabled or removed, or the process ends. */
export type StopReason = 'replaced' | 'removed' | 'shutdown';

/** A plugin: its bundle exports this as `default`. It is an extension with the narrower context. */
export interface Plugin<Own extends Contract = Contract> {
  activate(ctx: PluginContext<Own>): void | Promise<void>;
  deactivate?(reason: StopReason): void | Promise<void>;
}

export interface Log {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** The same instant as ISO 8601, UTC, with milliseconds and `Z`. */
  iso(): string;
}

/** Something acquired that must be released. Awaited, last in first out; its faults are collected. */
export interface Disposable {
  dispose(): void | Promise<void>;
}

/**
 * Key-value storage of an extension's own. Keys up to 256 characters; values JSON up to 64 KiB; 10,000 keys, and 16 MiB in all. What is
 * larger belongs into the extension's folder of files.
 */
export interface Storage {
  get(key: string): Promise<unknown>;
  /** Fails with `storage_key_invalid`, `storage_value_too_large`, and with `storage_full` until something is removed. */
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
  /** The keys that start with `prefix`, sorted, at most 1,000. */
  keys(prefix?: string): Promise<string[]>;
}

/** An event as a listener gets it. */
export interface Delivery<Payload> {
  payload: Payload;
  /** Strictly rising per topic: what was already handled can be told by it. */
  cursor: string;
  emitted_at: string;
}

/** An outgoing answer of the guarded fetch. */
export interface FetchAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** After redirects. */
  url: string;
}

export interface FetchOptions {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Default 30,000. */
  timeout_ms?: number;
  /** Limit of the answer's body. Default 10 MiB. */
  max_bytes?: number;
  /** Default 5. */
  max_redirects?: number;
  /** `manual` gives an answer that redirects as it is, instead of following it. Default `follow`. */
  redirect?: 'follow' | 'manual';
  signal?: AbortSignal;
}

/** One red or green light for `doctor`. */
export interface CheckResult {
  ok: boolean;
  /** A sentence: what was found, at most 500 characters of a plugin's. */
  message: string;
  /** How to mend a red check: a command that can be pasted, or a setting with an example. A plugin's is cut at 500 characters. */
  fix?: string | undefined;
  /** Since when it is red, ISO 8601, where the probe knows. Else the kernel tells since when it has seen it so. */
  since?: string | undefined;
}

/**
 * The context of an extension, wherever it runs. All that crosses it is JSON, bytes, or an async stream.
 */
export interface PluginContext<Own extends Contract = Contract> {
  readonly name: string;
  readonly log: Log;
  /** The extension's settings, frozen. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly clock: Clock;
  /**
   * Aborts when the extension stops, with a {@link StopReason} as its `reason`. After `replaced`, work
   * that was already claimed goes on to its end; after the others it ends now.
   */
  readonly signal: AbortSignal;
  readonly storage: Storage;
  /** A folder of its own, made on first use; gives its path. */
  files(): Promise<string>;
  /** A variable of the platform's environment, undefined where it isn't set. A plugin needs the permission `env` for it. */
  env(name: string): Promise<string | undefined>;
  /** Makes operations reachable, all together with the activation. Call it once. */
  expose(operations: Operations<Own['api']>, handlers: Handlers<Own['api']>, codes?: Codes): void;
  /**
   * Calls an operation: inside a request as its caller, else as the extension itself, which for a plugin is a member
   * of its own. In the course of a model's tool call what is dangerous fails with `tool_needs_person`; what a plugin
   * was not granted fails with `permission_denied`, as all else that needs a permission.
   */
  call(operation: string, input: object): Promise<unknown>;
  /** Writes an event in the transaction that runs here (or in one of its own). */
  emit<Topic extends keyof Own['events'] & string>(topic: Topic, payload: Own['events'][Topic]): Promise<void>;
  /**
   * Handles an event of any extension (`members.deleted`) after its commit, at least once, in order,
   * on one instance; a handler that throws is asked again with back-off. At most 30 s each.
   */
  listen<Payload>(topic: string, handler: (delivery: Delivery<Payload>) => Promise<void>): void;
  /** A way to reach members outside of the platform, where the extension for notifications is active. */
  channel(description: ChannelDescription, deliver: ChannelDeliver): void;
  /** The guarded fetch: refuses private and own addresses unless the configuration allows them. */
  fetch(url: string, options?: FetchOptions): Promise<FetchAnswer>;
  /**
   * A check for `doctor`, run whenever an administrator asks. `code` is stable; the probe has 5 s. Undefined: it does not
   * apply, and is not told of.
   */
  check(code: string, probe: () => Promise<CheckResult | undefined>): void;
  /** A gauge for `/metrics`, or a counter where its name ends in `_total`, read when asked. The name gets the prefix `platform_<extension>_`. */
  metric(name: string, help: string, read: () => number | Promise<number>): void;
  /**
   * A topic that sockets at `/ws` may subscribe to. The name is lower case, at most 64 characters; a plugin's
   * begins with `<its id>.`, as do the types of its frames.
   */
  topic(name: string, readers: Role): void;
  /**
   * Handles frames that clients send at `/ws`; the type is named as a topic is. A personal token needs the scope
   * `chat` for them. What the handler calls, it calls as the sender.
   */
  frame(type: string, schema: FrameSchema, handler: FrameHandler): void;
  /**
   * Frames to sockets, on all instances, after the commit of the transaction that runs here. In order for each
   * member. A plugin pushes to its own topics only, and what it does otherwise is refused in its log. A frame of more than 60 KiB of JSON that is to be kept
   * arrives as `resync`: clients read anew what they show.
   */
  push(to: Audience, frame: Frame, options?: PushOptions): void;
}

/** The kernel's event `plugins.failed`: an extension could not be started, or not be replaced by another version. */
export interface PluginFailed {
  /** Its id. */
  name: string;
  /** Why, as a sentence. */
  message: string;
}

/** The contribution of one extension to a slot. */
export interface Contribution<Value> {
  from: string;
  value: Value;
}

/** Work that repeats. */
export interface Repeat {
  name: string;
  every_ms: number;
  /** Also in a process that only runs one command. Default false. */
  always?: boolean;
}

/** Counts what happens, by one label of few values: outcomes, states. Forgotten when the extension is replaced. */
export interface Counter {
  /** Values after the 50th are counted as `other`: what grows (ids, names) is no label. */
  add(value: string, count?: number): void;
}

/** The context of an extension in the kernel's process: that of a plugin, and more. */
export interface Context<Own extends Contract = Contract> extends PluginContext<Own> {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly secrets: Secrets;
  readonly dataDir: string;
  /** The public address of the platform, without a slash at its end; undefined where none is configured. */
  readonly baseUrl: string | undefined;
  readonly journal: Journal;
  readonly bus: Bus;
  readonly presence: PresenceService;
  /** Names this process among the instances of the installation. */
  readonly instance: string;
  /** False in a process that only runs one command: then only what that command started runs here. */
  readonly background: boolean;
  /**
   * The guarded fetch as the standard's own, for client libraries: it streams, and has no limits of its
   * own. `allow` names hosts (`localhost:11434`) that an administrator's setting lets it reach besides.
   * What the guard refuses is the `cause` of the error thrown.
   */
  web(allow?: readonly string[]): typeof globalThis.fetch;
  /**
   * Checks a URL that is called later: fails as {@link PluginContext.fetch} would now, with `fetch_bad_url`, and with
   * `fetch_address_refused` if the host is or resolves to an address that may not be reached. A name that can't be
   * resolved within 3 s passes. Not for use within a transaction.
   */
  checkUrl(url: string): Promise<void>;
  /** A counter for `/metrics`, by the values of a label. The name gets the prefix `platform_<extension>_`, and ends in `_total`. */
  counter(name: `${string}_total`, help: string, label: string): Counter;
  /** The service of a declared dependency; always that of the version that runs now. */
  use<Other extends Contract>(id: Other['id']): Other['service'];
  /** The same for one that may be absent: ask each time, never keep. */
  find<Other extends Contract>(id: Other['id']): Other['service'] | undefined;
  /** Gives this extension's service to the others. Call it once. */
  provide(service: Own['service']): void;
  /** Registers a value under a slot's name; taken back when the extension stops. */
  contribute(slot: string, value: unknown): void;
  /** Returns what is registered in a slot now. Ask each time. */
  slot<Value>(name: string): readonly Contribution<Value>[];
  /** Handles another extension's event inside the emitter's transaction: a throw rolls it back. No network. */
  take<Payload>(topic: string, handler: (payload: Payload) => Promise<void>): void;
  /** Gives worked examples of its operations, for documentation. Call it once. */
  examples(examples: Examples<Own['api']>): void;
  /**
   * Declares the frames that it pushes, for documentation. Call it once, before the first push. In tests, pushing another type, to
   * another audience or with data of another shape fails.
   */
  pushes(frames: PushedFrames): void;
  /** As a plugin's; the readers may be told by a function as well. */
  topic(name: string, readers: Readers): void;
  /** Releases it when the extension stops. Returns what it was given. */
  own<T extends Disposable>(disposable: T): T;
  /** Work at an interval, never twice at once; its faults are logged. */
  every(repeat: Repeat, work: () => Promise<void>): void;
  /** A worker for the jobs of one of the extension's tables, released when the extension stops. Call it in `activate`. */
  readonly work: <Row extends JobRow, Job extends { id: JobId }, Outcome>(work: Work<Row, Job, Outcome>) => Worker<Job, Outcome>;
  /**
   * Tells the kernel of work under way: it must be final before the process ends (at most 8 s), and a
   * replaced version keeps what it owns until then.
   */
  track(work: Promise<unknown>): void;
  /** Ends streams and sockets of a member, on every instance; of one token only where `token_id` is given. */
  disconnect(who: { member_id: number; token_id?: string }): Promise<void>;
  /** Runs an operation as somebody: the door for schedules, tools and chats. */
  invoke(operation: string, input: object, caller: Caller, options?: InvokeOptions): Promise<Outcome>;
  /** Fails with `operation_not_found`, `invalid_input` or `unknown_field` unless the operation takes this input. */
  validate(operation: string, input: object): void;
  /**
   * Returns a model's arguments for a tool that is no operation: optional ones that are `null` count as absent. Fails with
   * `unknown_field` if the tool's JSON Schema has `additionalProperties: false` and lacks one.
   */
  modelArguments(schema: object, input: object): object;
  /** Opens a path that speaks a protocol of its own. What it does, it does by calling operations as the caller. */
  door(door: ProtocolDoor, handle: DoorHandler): void;
  /** Third parties' extensions: installs, removes and lists them. */
  readonly extensions: Extensions;
  /** The operations of all that is active, as data. */
  operations(): readonly CatalogEntry[];
  /**
   * Tells the audit trail which record the running operation is about, where its path doesn't: one that it has just
   * made, or found by a name. Call it before the transaction of its effect ends.
   */
  about(target: string | number): void;
  /**
   * Tells the audit trail who the caller of the running operation is, where it came as nobody and the operation has found it out; with
   * the member id 0, whose name it gave. Call it before the transaction of its effect ends.
   */
  identify(caller: Pick<Caller, 'member_id' | 'username'>): void;
}

/**
 * How unknown fields of an input are handled. `strict`: they are refused. `lenient`: those at the top level are dropped and reported,
 * those within an object are refused. `silent`: they are dropped, for input that was accepted before.
 */
export type Handling = 'strict' | 'lenient' | 'silent';

export interface InvokeOptions {
  /** Default: `silent` for what a schedule runs, else `strict`. */
  handling?: Handling | undefined;
  /** Receives the names of the fields that were dropped, dotted; unknown ones first. */
  ignored?: ((names: readonly string[]) => void) | undefined;
  signal?: AbortSignal | undefined;
  request_id?: string | undefined;
  /** The extension that calls in somebody's name. */
  via?: string | undefined;
  idempotency_key?: string | undefined;
  agent?: string | undefined;
  verbatim?: Verbatim | undefined;
  cookie?: CallCookie | undefined;
  /** Told how far a call is whose operation tells that, ten times a second at most. */
  progress?: ((step: Step) => void) | undefined;
}

/** How an operation ended well. A stream's body is {@link StreamEvents}. */
export interface Outcome {
  status: number;
  body: unknown;
}

/** One operation of the catalog, as far as data goes. */
export interface CatalogEntry {
  id: string;
  extension: string;
  /** Whether the extension belongs to the platform; what others say of their operations is their word alone. */
  builtin: boolean;
  summary: string;
  who: 'public' | 'member' | 'admin';
  method: Operation['method'];
  kind: Kind;
  tool: boolean;
  schedulable: boolean;
  /** Marked so, or a deletion, or a change that only administrators may make. */
  dangerous: boolean;
  /** Scope that a personal token needs. */
  scope: Scope;
  /** JSON Schema of the input. */
  input: object;
  /** JSON Schema of the answer, where it has one. */
  answer?: object;
}

/** The slot `authenticator`: turns a bearer token or a ticket into a caller, or fails with `invalid_token`. */
export interface Authenticator {
  token(token: string, door: Door, address: string): Caller | Promise<Caller>;
  ticket(ticket: string, door: Door, address: string): Promise<Caller>;
  /** The caller behind the local socket and commands without a server: the installation's own administrator. */
  local(door: Door): Promise<Caller>;
  /** Returns those of the given callers whose access has ended or changed since they were let in. */
  ended(callers: readonly Caller[]): Promise<readonly Caller[]>;
}

/** Joi, as it is handed to `input` and `answer`. */
export type Joi = Root;
