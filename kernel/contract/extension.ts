import type { Root } from 'joi';
import type { ChannelDeliver, ChannelDescription } from './channel.js';
import type { Blobs, Database, Migration, Secrets } from './data.js';
import type { Documents } from './documents.js';
import type { DoorHandler, ProtocolDoor } from './door.js';
import type { Codes } from './failure.js';
import type { Extensions } from './installation.js';
import type { Bus, Journal } from './journal.js';
import type {
  CallCookies,
  Caller,
  Door,
  Examples,
  Handlers,
  Kind,
  Operation,
  OperationAudience,
  Operations,
  Role,
  Scope,
  Step,
  Verbatim,
} from './operation.js';
import type { ExtensionPages, Site } from './site.js';
import type { Audience, Frame, FrameHandler, FrameSchema, PresenceService, PushedFrames, PushOptions, Readers } from './socket.js';
import type { Thumbnails } from './thumbnails.js';
import type { JobId, JobRow, Work, Worker } from './work.js';

/** The types of what an extension offers. Nothing of it exists at run time. */
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
  /** All steps of its schema, in order. Those that have not run yet run before the activation. */
  readonly migrations?: readonly Migration[];
  /** Registers contributions, within 30 s. They take effect together when it returns; if it throws, none does. */
  activate(ctx: Context<Own>): void | Promise<void>;
  /**
   * Ends what `ctx` doesn't know of, within 5 s. Called after running calls have ended and, for a replacement, also everything that
   * `ctx.track` got: claimed work may take its time.
   */
  deactivate?(reason: StopReason): void | Promise<void>;
}

/** Why an extension stops: another version has replaced it, it was disabled or removed, or the process ends. */
export type StopReason = 'replaced' | 'removed' | 'shutdown';

/** A plugin: its bundle exports this as `default`. It is an extension with a narrower context. */
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

/** A resource that must be released. The last one acquired is released first; each release is awaited, and its faults are collected. */
export interface Disposable {
  dispose(): void | Promise<void>;
}

/**
 * Key-value storage of one extension: keys of up to 256 characters, JSON values of up to 64 KiB, 10,000 keys, 16 MiB in all. Put larger
 * data into the extension's folder of files.
 */
export interface Storage {
  get(key: string): Promise<unknown>;
  /** Fails with `storage_key_invalid`, `storage_value_too_large`, and with `storage_full` until something is removed. */
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
  /** Returns the keys that start with `prefix`, sorted, at most 1,000. */
  keys(prefix?: string): Promise<string[]>;
}

/** An event as a listener gets it. */
export interface Delivery<Payload> {
  payload: Payload;
  /** Rises strictly within a topic, so a listener can recognise an event that it has handled already. */
  cursor: string;
  emitted_at: string;
}

/** An answer to the guarded fetch. */
export interface FetchAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** Address after redirects. */
  url: string;
}

export interface FetchOptions {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Time limit. Default 30,000. */
  timeout_ms?: number;
  /** Limit of the answer's body. Default 10 MiB. */
  max_bytes?: number;
  /** Limit of followed redirects. Default 5. */
  max_redirects?: number;
  /** `manual` returns a redirect as the answer instead of following it. Default `follow`. */
  redirect?: 'follow' | 'manual';
  signal?: AbortSignal;
}

/** Result of a check for `doctor`. */
export interface CheckResult {
  ok: boolean;
  /** Finding, as a sentence. A plugin's is cut at 500 characters. */
  message: string;
  /** How to fix a failed check: a command that can be pasted, or a setting with an example. A plugin's is cut at 500 characters. */
  fix?: string | undefined;
  /** Since when the check fails, ISO 8601, if the probe knows. Default: since when the kernel has seen it fail. */
  since?: string | undefined;
}

/** Context of an extension, in whichever process it runs. Everything that passes through it is JSON, bytes, or an async stream. */
export interface PluginContext<Own extends Contract = Contract> {
  readonly name: string;
  readonly log: Log;
  /** The extension's settings, frozen. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly clock: Clock;
  /**
   * Aborts when the extension stops, with a {@link StopReason} as its `reason`. After `replaced`, claimed work continues to its end; after
   * other reasons it must end now.
   */
  readonly signal: AbortSignal;
  readonly storage: Storage;
  /** Returns the path of the extension's own folder, which is created at first use. */
  files(): Promise<string>;
  /** Reads an environment variable of the platform; undefined if it isn't set. A plugin needs the permission `env`. */
  env(name: string): Promise<string | undefined>;
  /** Registers operations with their handlers and failure codes. Call it once. */
  expose(operations: Operations<Own['api']>, handlers: Handlers<Own['api']>, codes?: Codes): void;
  /**
   * Calls an operation: inside a request as the request's caller, otherwise as the extension itself, which for a plugin is its own member.
   * During a model's tool call, dangerous operations fail with `tool_needs_person`. Without the plugin's permission the call fails with
   * `permission_denied`, like everything that needs a permission.
   */
  call(operation: string, input: object): Promise<unknown>;
  /** Writes an event in the current transaction, or in one of its own. */
  emit<Topic extends keyof Own['events'] & string>(topic: Topic, payload: Own['events'][Topic]): Promise<void>;
  /**
   * Handles an event of any extension (`members.deleted`) after its commit: at least once, in order, on one instance. A handler that throws,
   * or takes longer than 30 s, is retried with back-off.
   */
  listen<Payload>(topic: string, handler: (delivery: Delivery<Payload>) => Promise<void>): void;
  /** Registers a channel that reaches members outside of the platform. It is used while the extension `notifications` is active. */
  channel(description: ChannelDescription, deliver: ChannelDeliver): void;
  /** Sends a request by the guarded fetch: it refuses private addresses and the platform's own unless the configuration allows them. */
  fetch(url: string, options?: FetchOptions): Promise<FetchAnswer>;
  /**
   * Registers a check for `doctor`, which runs when an administrator asks. `code` must stay the same between versions. The probe has 5 s; it
   * returns undefined if the check doesn't apply, and then it isn't listed.
   */
  check(code: string, probe: () => Promise<CheckResult | undefined>): void;
  /**
   * Registers a gauge for `/metrics`, or a counter if its name ends in `_total`; it is read at each request. The name gets the prefix
   * `platform_<extension>_`.
   */
  metric(name: string, help: string, read: () => number | Promise<number>): void;
  /**
   * Registers a topic that sockets at `/ws` may subscribe to. The name is lower case, at most 64 characters. A plugin's topics, and the types
   * of its frames, begin with `<its id>.`.
   */
  topic(name: string, readers: Role): void;
  /**
   * Handles frames of a type that clients send at `/ws`; types are named like topics. A personal token needs the scope `chat`. The handler
   * calls operations as the sender.
   */
  frame(type: string, schema: FrameSchema, handler: FrameHandler): void;
  /**
   * Sends a frame to sockets on all instances, after the commit of the current transaction. Each member gets frames in order. A plugin may
   * push to its own topics only; other frames are dropped with a line in its log. A stored frame of more than 60 KiB of JSON arrives as
   * `resync`: clients then reload what they show.
   */
  push(to: Audience, frame: Frame, options?: PushOptions): void;
}

/** Payload of the kernel's event `plugins.failed`: an extension could not be started, or another version could not replace it. */
export interface PluginFailed {
  /** Its id. */
  name: string;
  /** The reason, as a sentence. */
  message: string;
}

/** The contribution of one extension to a slot. */
export interface Contribution<Value> {
  /** Id of the extension. */
  from: string;
  value: Value;
}

/** When work is repeated. */
export interface Repeat {
  name: string;
  every_ms: number;
  /** Whether it also runs in a process that runs a single command. Default false. */
  always?: boolean;
}

/** A counter with one label of few values, such as outcomes or states. Starts again at 0 when the extension is replaced. */
export interface Counter {
  /** Adds to the count of a label's value. Counts up to 50 values, the rest as `other`; so don't use ids or names. */
  add(value: string, count?: number): void;
}

/** The context of an extension in the kernel's process: that of a plugin, with additions. */
export interface Context<Own extends Contract = Contract> extends PluginContext<Own> {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly documents: Documents;
  readonly thumbnails: Thumbnails;
  readonly secrets: Secrets;
  readonly dataDir: string;
  /** The public address of the platform, without a slash at the end; undefined if none is configured. */
  readonly baseUrl: string | undefined;
  readonly journal: Journal;
  readonly bus: Bus;
  readonly presence: PresenceService;
  /** Id of this process among the instances of the installation. */
  readonly instance: string;
  /** False in a process that runs a single command: then only the work that the command starts runs here. */
  readonly background: boolean;
  /**
   * Returns the guarded fetch with the standard's interface, for client libraries. It streams and has no limits of its own. `allow`: hosts
   * (`localhost:11434`) that it may reach although they are private, because an administrator has configured them. If the guard refuses an
   * address, the thrown error has the refusal as its `cause`.
   */
  web(allow?: readonly string[]): typeof globalThis.fetch;
  /**
   * Checks a URL that will be requested later. Fails as {@link PluginContext.fetch} would now: with `fetch_bad_url`, and with
   * `fetch_address_refused` if the host is, or resolves to, a refused address. Accepts a name that can't be resolved within 3 s. Not inside
   * a transaction.
   */
  checkUrl(url: string): Promise<void>;
  /** Registers a counter for `/metrics` with one label. The name gets the prefix `platform_<extension>_`. */
  counter(name: `${string}_total`, help: string, label: string): Counter;
  /** Returns the service of a declared dependency. Its methods always reach the version that runs now. */
  use<Other extends Contract>(id: Other['id']): Other['service'];
  /** Returns the service of an extension that may be absent. Call it each time; don't store the result. */
  find<Other extends Contract>(id: Other['id']): Other['service'] | undefined;
  /** Registers this extension's service for others. Call it once. */
  provide(service: Own['service']): void;
  /** Registers a value in a slot until the extension stops. */
  contribute(slot: string, value: unknown): void;
  /** Returns what is registered in a slot now. Call it each time. */
  slot<Value>(name: string): readonly Contribution<Value>[];
  /** Handles another extension's event inside the emitter's transaction, which rolls back if the handler throws. Don't use a network there. */
  take<Payload>(topic: string, handler: (payload: Payload) => Promise<void>): void;
  /** Registers examples of its operations, for documentation. Call it once. */
  examples(examples: Examples<Own['api']>): void;
  /**
   * Declares the frames that it pushes, for documentation. Call it once, before the first push. In tests, pushing another type, to
   * another audience or with data of another shape fails.
   */
  pushes(frames: PushedFrames): void;
  /** As for a plugin, but a function may decide who may subscribe. */
  topic(name: string, readers: Readers): void;
  /** Releases a resource when the extension stops. Returns the resource. */
  own<T extends Disposable>(disposable: T): T;
  /** Repeats work at an interval, never twice at once. Its faults are logged. */
  every(repeat: Repeat, work: () => Promise<void>): void;
  /** Creates a worker for the jobs in one of the extension's tables; it is released when the extension stops. Call it in `activate`. */
  readonly work: <Row extends JobRow, Job extends { id: JobId }, Outcome>(work: Work<Row, Job, Outcome>) => Worker<Job, Outcome>;
  /**
   * Makes the kernel wait for work: a process that ends waits at most 8 s, and a replaced version keeps its resources until the work has
   * ended.
   */
  track(work: Promise<unknown>): void;
  /** Ends a member's streams and sockets on all instances; with `token_id` only those of that token. */
  disconnect(who: { member_id: number; token_id?: string }): Promise<void>;
  /** Runs an operation as the given caller, for schedules, tools and chats. */
  invoke(operation: string, input: object, caller: Caller, options?: InvokeOptions): Promise<Outcome>;
  /** Validates the input of an operation. Fails with `operation_not_found`, `invalid_input` or `unknown_field`. */
  validate(operation: string, input: object): void;
  /**
   * Returns a model's arguments for a tool that is no operation: optional ones that are `null` count as absent. Fails with
   * `unknown_field` if the tool's JSON Schema has `additionalProperties: false` and lacks one.
   */
  modelArguments(schema: object, input: object): object;
  /** Opens a path with a protocol of its own. Its handler acts by calling operations as the caller. */
  door(door: ProtocolDoor, handle: DoorHandler): void;
  /** Serves the web app. Call it once. */
  site(site: Site): void;
  /** Returns the files for browsers of all active extensions. Call it each time. */
  pages(): readonly ExtensionPages[];
  /** Installs, removes and lists third parties' extensions. */
  readonly extensions: Extensions;
  /** Returns the operations of all active extensions, as data. */
  operations(): readonly CatalogEntry[];
  /**
   * Sets the target of the running operation in the audit trail if its path doesn't name it, such as a record that was just created or found
   * by name. Call it before the transaction of the effect ends.
   */
  about(target: string | number): void;
  /**
   * Sets the caller of the running operation in the audit trail, for an operation such as a login that started unauthenticated. With the
   * member id 0 it records only the name that was tried. Call it before the transaction of the effect ends.
   */
  identify(caller: Pick<Caller, 'member_id' | 'username'>): void;
}

/**
 * How unknown fields of an input are handled. `strict`: they are refused. `lenient`: those at the top level are dropped and reported,
 * those within an object are refused. `silent`: they are dropped, for stored input that was accepted before.
 */
export type Handling = 'strict' | 'lenient' | 'silent';

export interface InvokeOptions {
  /** Default: `silent` if a schedule calls, otherwise `strict`. */
  handling?: Handling | undefined;
  /** Receives the dotted names of the dropped fields, unknown ones first. */
  ignored?: ((names: readonly string[]) => void) | undefined;
  signal?: AbortSignal | undefined;
  request_id?: string | undefined;
  /** Id of the extension that calls on the caller's behalf. */
  via?: string | undefined;
  idempotency_key?: string | undefined;
  agent?: string | undefined;
  verbatim?: Verbatim | undefined;
  cookies?: CallCookies | undefined;
  /** Receives the progress of an operation that reports it, at most ten times a second. */
  progress?: ((step: Step) => void) | undefined;
}

/** The answer of a successful operation. A stream's body is {@link StreamEvents}. */
export interface Outcome {
  status: number;
  body: unknown;
}

/** One operation of the catalog, as data. */
export interface CatalogEntry {
  id: string;
  extension: string;
  /** Whether the extension belongs to the platform. What others declare about their operations is unverified. */
  builtin: boolean;
  summary: string;
  who: 'public' | 'member' | 'admin';
  method: Operation['method'];
  kind: Kind;
  /** Whether AI employees and members' own MCP clients may get it as a tool. */
  tool: boolean;
  /** Whether members' own MCP clients alone may get it as a tool. */
  mcp: boolean;
  schedulable: boolean;
  /** Whether it is marked as dangerous, deletes, or is a change that only administrators may make. */
  dangerous: boolean;
  /** Members who get the same answer; the default is filled in. */
  audience: OperationAudience;
  /** Scope that a personal token needs. */
  scope: Scope;
  /** JSON Schema of the input. */
  input: object;
  /** JSON Schema of the answer, if it has one. */
  answer?: object;
}

/** The slot `authenticator`: turns a bearer token or a ticket into a caller, or fails with `invalid_token`. */
export interface Authenticator {
  token(token: string, door: Door, address: string): Caller | Promise<Caller>;
  ticket(ticket: string, door: Door, address: string): Promise<Caller>;
  /** Returns the caller that a cookie identifies ({@link Cookie.identifies}). Default: none does. */
  session?(cookie: string, door: Door, address: string): Promise<Caller>;
  /** Returns the caller for the local socket and for commands without a server: the installation's own administrator. */
  local(door: Door): Promise<Caller>;
  /** Returns the given callers whose access has ended or changed since they were authenticated. */
  ended(callers: readonly Caller[]): Promise<readonly Caller[]>;
}

/** Joi, as it is passed to `input` and `answer`. */
export type Joi = Root;
