import type { ObjectSchema, Root, Schema } from 'joi';
import type { CallerRoom } from './room-rights.js';

/** An `admin` may do everything that a `member` may. AI employees and plugins' own members are `member`s. */
export type Role = 'admin' | 'member';

/** A right that a personal token can be limited to. A login's token has all scopes. */
export type Scope = 'read' | 'chat' | 'admin';

/**
 * The people who get the same answer from an operation or a tool. Decides whether an AI employee may use it freely in a room, where several
 * people read the result.
 * - `members`: every member gets the same answer for the same input, and nothing of the caller's own changes.
 * - `caller`: the answer or the effect depends on the caller: the caller's own records, or fields that only some members see.
 * - `admin`: only administrators may know the answer or have the effect.
 */
export type OperationAudience = 'members' | 'caller' | 'admin';

/** The door by which a request came in. */
export type Door = 'http' | 'local' | 'direct' | 'schedule' | 'tool' | 'mcp' | 'plugin';

/** The member for whom an operation runs, and how it was authenticated. */
export interface Caller {
  /** 0 for an unauthenticated caller, who may call `public` operations only. */
  member_id: number;
  username: string;
  role: Role;
  /** `all` for a login; a personal token may have fewer. */
  scopes: 'all' | readonly Scope[];
  door: Door;
  /** The client's network address, after trusted proxies; empty for callers in this process. */
  address: string;
  /** Id of the token or login, so that it can be revoked; empty if there is none. */
  token_id: string;
  /** When the token or login expires, in ms since the epoch; 0 for never. */
  expires_at: number;
  /** Set if an AI employee acts for the member in a room. All calls within the call have it too. */
  room?: CallerRoom | undefined;
}

/** One event of a stream. */
export interface StreamEvent {
  /** Cursor after this event, for `after` and `Last-Event-ID`; left out if a reader can't resume here. */
  id?: string;
  type: string;
  data: object;
}

/**
 * The events of a stream. A stream of events from now on may set `from`, the cursor at which it starts: over HTTP readers get it with the
 * first bytes, so that one who loses the connection before the first event misses nothing. Not for plugins.
 */
export interface StreamEvents extends AsyncIterable<StreamEvent> {
  readonly from?: string;
}

/** Progress of a call. */
export interface Step {
  /** Current step in a few words, such as `fetching`. */
  doing: string;
  /** Bytes done; 0 if bytes aren't counted. */
  done: number;
  /** Bytes in all, possibly estimated; 0 if unknown. */
  total: number;
}

/**
 * - `call`: one input, one answer.
 * - `stream`: the answer is {@link StreamEvents}; the input of a `GET` may have `after`, a cursor,
 *   which over HTTP also comes from `Last-Event-ID`.
 * - `upload`: a call that takes one file beside its fields (multipart).
 * - `file`: a `GET` whose answer is a {@link FileAnswer}. As with streams, the query may hold a token or a ticket, because `<img>` sends
 *   no headers. Not for plugins, whose answers are JSON.
 */
export type Kind = 'call' | 'stream' | 'upload' | 'file';

/** Bytes as an answer. It is sent with headers by which a browser executes nothing in it. */
export interface FileAnswer {
  mime_type: string;
  bytes: Buffer;
  /**
   * Identifies the content, in visible ASCII without quotes; set it only if the content at the address never changes. Over HTTP it is the
   * `ETag`: clients that cache the file ask each time whether they may still show it.
   */
  etag?: string;
  /** Name under which a browser saves the file instead of showing it. Default: it may show the file. */
  save_as?: string;
}

/** A type of events or frames: when it is sent, and the shape of its data. */
export interface EventType {
  /** One sentence for documentation. */
  readonly description: string;
  readonly data: Schema;
}

/** Types of events, by name. Joi is passed in, as to an operation's `input`. */
export type EventTypes = (j: Root) => Readonly<Record<string, EventType>>;

/** A heading under which documentation lists operations. */
export interface Subject {
  /** Unique in the platform, such as `Members`. Operations with the same subject are listed together. */
  readonly name: string;
  /** Purpose of its operations, in one sentence. */
  readonly description: string;
}

/** An operation of the platform, as data. Its logic is in its handler. */
export interface Operation {
  /** One sentence for documentation, help and AI employees. */
  summary: string;
  /** The subject in documentation. Default: the extension, by its name. Not for plugins. */
  subject?: Subject;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below the claims of the extension, with path parameters as `{name}`. */
  path: string;
  /** Role that may call it. `public` needs no token. */
  who: 'public' | Role;
  kind?: Kind;
  /**
   * Schema of the input: one flat object. Keys that are path parameters come from the path. The others come from the query for `GET` and
   * `DELETE`, and from the JSON body for `POST` and `PUT`, except those in {@link query}. Unknown keys never reach the handler: they are
   * refused, or, over HTTP at the top level, dropped and reported to the client. Joi is passed in, so that bundles don't contain another
   * copy.
   */
  input?: (j: Root) => ObjectSchema;
  /** Keys that `POST` and `PUT` take from the query. */
  query?: readonly string[];
  /** Schema of the answer; left out for 204 and for streams. Checked in tests, not in production. */
  answer?: (j: Root) => Schema;
  /**
   * The events of a stream, for documentation; required if the kind is `stream`. Checked in tests, not in production. Not for plugins.
   */
  events?: EventTypes;
  /** HTTP status of success. Default: 200, or 204 without an `answer`. A handler may choose another one of {@link also}. */
  status?: 200 | 201 | 202 | 204;
  /** Further statuses of success that a handler may choose with `call.status()`. */
  also?: readonly number[];
  /** Failure codes of the extension that it may raise. The kernel's codes are implied. */
  failures?: readonly string[];
  /** Scope that a personal token needs. Default: `admin` if only administrators may call it, `read` for `GET`, otherwise `chat`. */
  scope?: Scope;
  /** Whether it deletes, installs, or sends something to the outside. An AI employee always needs approval for it. */
  dangerous?: boolean;
  /**
   * Members who get the same answer. Default: `caller`. If only administrators may call it, it is `admin`, and nothing else may be declared. A
   * plugin's manifest declares it, and reviewers see it.
   */
  audience?: OperationAudience;
  /** Keys of the input that hold secrets. The audit trail masks their values. */
  secrets?: readonly string[];
  /**
   * Whether the audit trail records each call, in the transaction of its effect, and each refusal. `refused`: only refusals, for frequent
   * operations.
   */
  audited?: boolean | 'refused';
  /** Whether it takes far more work than others. Over HTTP a lower rate limit applies (`limits.costly_per_minute`). */
  costly?: boolean;
  /** Whether AI employees and members' own MCP clients may get it as a tool. */
  tool?: boolean;
  /**
   * Whether members' own MCP clients may get it as a tool and AI employees may not: for what people do in their own name, such as sending a
   * message. Leave it out if it is a {@link tool}. Only for calls. Not for plugins.
   */
  mcp?: boolean;
  /** Whether schedules may run it. */
  schedulable?: boolean;
  /**
   * Whether it accepts an `Idempotency-Key`. `data`: the effect is in the database, and the key is stored in the same transaction.
   * `external`: the effect is elsewhere, and the key is stored before it.
   */
  idempotent?: 'data' | 'external';
  /**
   * Whether it can answer at once, with 202, and continue in the background. Over HTTP the header `Prefer: respond-async` (RFC 7240) sets
   * the input's key `respond_async`, which the schema must have.
   */
  respond_async?: boolean;
  /**
   * Whether the handler gets the HTTP body and headers unparsed, in {@link Call.verbatim}, so that it can check a signature. The input's keys
   * then come from path and query. Only for calls that are `POST` or `PUT`.
   */
  verbatim?: boolean;
  /**
   * Whether it reports progress by {@link Call.progress}. Over HTTP a client that accepts `text/event-stream` then gets events if there is any
   * progress to report: `progress` with a {@link Step}, at most ten times a second, and at the end `answer` with `status` and `body`, or
   * `error` with the usual body of an error. Only for calls. Not for plugins.
   */
  progress?: boolean;
  /** Whether the HTTP answer has an `ETag`, so that a request with `If-None-Match` gets 304. */
  etag?: boolean;
  /** For an upload: a media type. A body of this type is the file itself; the other keys then come from path and {@link query}. */
  raw?: string;
  /** For an upload: name of the form's file field in documentation and clients; other names are accepted too. Default `file`. */
  file_field?: string;
  /** Cookies that a call reads and sets over HTTP, by a key for {@link Call.cookies}. Only for calls. Not for plugins. */
  cookies?: Readonly<Record<string, Cookie>>;
  /** Limit of the body in bytes. Default: 1 MiB. */
  max_bytes?: number;
  /** Time limit in ms. Default: 30,000; a stream has none. */
  timeout_ms?: number;
}

/** A cookie: `HttpOnly`, `SameSite=Strict`, and `Secure` if the client used https. */
export interface Cookie {
  readonly name: string;
  /** Path on the platform; a proxy's path prefix is added. */
  readonly path: string;
  readonly max_age_s: number;
  /**
   * Whether it grants access. Browsers may send a cookie without the page's intent, so it is read and set only for requests of the platform's
   * own pages. Over https the name starts with `__Secure-`.
   */
  readonly guarded?: boolean;
  /** Whether it identifies the caller of a request without a token, by `Authenticator.session`. Only if it is {@link guarded}. */
  readonly identifies?: boolean;
}

/** An unparsed HTTP request. */
export interface Verbatim {
  /** Headers by lower-case name; without `authorization` and `cookie`, which are for the platform. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** The operation's cookies in one request and its answer, by key. At every door but HTTP there are none. */
export interface CallCookies {
  /** Whether one of the platform's own pages sent the request. */
  readonly isOwnPage: boolean;
  /** Fails with `origin_refused` unless one of the platform's own pages sent the request. */
  assertOwnPage(): void;
  /**
   * Returns the value that the client sent, at most 4,096 characters; undefined if it sent none, or several values of a guarded cookie.
   * Fails with `origin_refused` if a guarded cookie came from elsewhere than the platform's own pages.
   */
  read(key: string): string | undefined;
  /** Sets the value in the answer. Only letters, digits and `-_.` are allowed. Fails as {@link assertOwnPage} for a guarded cookie. */
  set(key: string, value: string): void;
  /** Makes the browser delete the cookie. Fails as {@link assertOwnPage} for a guarded one. */
  remove(key: string): void;
}

/** Context of one call, which a handler gets besides the input. */
export interface Call {
  caller: Caller;
  /** Id of the request, also in the answer's header `X-Request-Id` and on each log line about it. */
  request_id: string;
  /** Aborts when the client of a stream disconnects, the time is up, or the process stops. */
  signal: AbortSignal;
  /** The client's `User-Agent`, at most 200 characters; empty if there is none. */
  agent: string;
  /** The client's idempotency key, for effects that can carry it, such as a container's label. */
  idempotency_key: string | undefined;
  /** The unparsed request; undefined unless the operation is `verbatim` and the door is HTTP. */
  verbatim?: Verbatim | undefined;
  /** Reports progress; undefined if nobody has asked for it or the operation doesn't declare it. Throttled, so call it as often as you like. */
  progress?: ((step: Step) => void) | undefined;
  /** The operation's {@link Operation.cookies}. */
  cookies: CallCookies;
  /** Chooses one of the operation's `also` statuses. */
  status(code: number): void;
}

/** Types of an extension's operations: id → input and answer. */
export type Api = Record<string, { input: object; answer: unknown }>;

/** An example of a call, for documentation. It works unchanged on a server that has the records it names. */
export interface Example<Answer = unknown> {
  /** The input, with the keys of path, query and body. Default: none. */
  readonly input?: object;
  /** The answer; left out if it is not JSON. */
  readonly answer?: Answer;
  /** The status of the answer, if it is one of the operation's `also`. */
  readonly status?: number;
}

/** Examples of operations of `A`, by id. They are functions, so that they take no memory until documentation is requested. */
export type Examples<A extends object> = {
  readonly [Id in keyof A]?: () => Example<A[Id] extends { answer: infer Answer } ? Answer : never>;
};

/** A table of operations with exactly the keys of `A`: `{…} satisfies Operations<Chat['api']>`. */
export type Operations<A extends object> = { readonly [Id in keyof A]: Operation };

/** The function behind each operation of `A`. */
export type Handlers<A extends object> = {
  readonly [Id in keyof A]: A[Id] extends { input: infer Input; answer: infer Answer }
    ? ((input: Input, call: Call) => Answer | Promise<Answer>) | Preparing<Input, Answer>
    : never;
};

/**
 * A handler in two steps, for an operation that is `idempotent: 'data'` and needs a network, or reads much before it writes. The first step
 * runs outside of any transaction and returns the second, which runs in the transaction that stores the key. Neither runs if the request
 * with this key was answered before.
 */
export interface Preparing<Input, Answer> {
  prepare(input: Input, call: Call): Promise<SecondStep<Answer>>;
}

/** The step of a {@link Preparing} handler that has the effect. */
export interface SecondStep<Answer> {
  (): Answer | Promise<Answer>;
  /** Releases what the first step acquired. Called instead of the second step if another request with the same key was answered in between. */
  unneeded?(): Promise<void>;
}
