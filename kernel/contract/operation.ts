import type { ObjectSchema, Root, Schema } from 'joi';

/** `admin` may do all that `member` may. AI employees and plugins' own members are `member`s. */
export type Role = 'admin' | 'member';

/** A limit of personal tokens. A login's token has all scopes. */
export type Scope = 'read' | 'chat' | 'admin';

/** The way by which a request came in. */
export type Door = 'http' | 'local' | 'direct' | 'schedule' | 'tool' | 'mcp' | 'plugin';

/** For whom an operation runs. */
export interface Caller {
  /** 0 where nobody is known: only `public` operations run then. */
  member_id: number;
  username: string;
  role: Role;
  /** `all` for a login; a personal token may have fewer. */
  scopes: 'all' | readonly Scope[];
  door: Door;
  /** The client's network address, after trusted proxies; empty for callers in this process. */
  address: string;
  /** Identifies what the caller authenticated with, so that it can be revoked; empty otherwise. */
  token_id: string;
  /** The end of the validity of what the caller authenticated with, in ms since the epoch; 0 for none. */
  expires_at: number;
}

/** One event of a stream. */
export interface StreamEvent {
  /** Cursor after this event, for `after` and `Last-Event-ID`; left out where it can't be resumed from. */
  id?: string;
  type: string;
  data: object;
}

/**
 * The events of a stream. One that tells what happens from now on may say where that is: over HTTP its readers have `from`, a
 * cursor, with the first bytes, so that one who is cut off before the first event misses nothing. Not for plugins.
 */
export interface StreamEvents extends AsyncIterable<StreamEvent> {
  readonly from?: string;
}

/** How far a call is. */
export interface Step {
  /** Current step in a few words, such as `fetching`. */
  doing: string;
  /** Bytes of `total`; 0 where they aren't counted. */
  done: number;
  /** Bytes in all, which may be an estimate; 0 where nobody knows. */
  total: number;
}

/**
 * - `call`: one input, one answer.
 * - `stream`: the answer is {@link StreamEvents}; the input of a `GET` may have `after`, a cursor,
 *   which over HTTP also comes from `Last-Event-ID`.
 * - `upload`: a call that takes one file beside its fields (multipart).
 * - `file`: a `GET` whose answer is a {@link FileAnswer}. As with streams, a token or a ticket may stand in the
 *   query, since `<img>` sends no headers. Not for plugins, whose answers are JSON.
 */
export type Kind = 'call' | 'stream' | 'upload' | 'file';

/** Bytes as an answer. Whatever they are, a browser runs nothing in them. */
export interface FileAnswer {
  mime_type: string;
  bytes: Buffer;
  /**
   * Names this content, in visible ASCII without quotes; what is under the address never changes then. Over HTTP it is
   * the `ETag`: clients that keep the file ask each time whether they may still show it.
   */
  etag?: string;
}

/** A type of events or frames: when it comes, and the shape of its data. */
export interface EventType {
  /** One sentence for documentation. */
  readonly description: string;
  readonly data: Schema;
}

/** Types of events, by name. Joi is handed in, as to an operation's `input`. */
export type EventTypes = (j: Root) => Readonly<Record<string, EventType>>;

/** A subject under which documentation lists operations. */
export interface Subject {
  /** Unique in the platform, such as `Members`. Operations with the same name stand together. */
  readonly name: string;
  /** One sentence: what its operations are for. */
  readonly description: string;
}

/** An operation of the platform, as data. Its logic is the handler beside it. */
export interface Operation {
  /** One sentence for docs, help and AI employees. */
  summary: string;
  /** The subject in documentation. Default: the extension, by its name. Not for plugins. */
  subject?: Subject;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the claims of the extension, path parameters as `{name}`. */
  path: string;
  /** Role that may call it. `public` needs no token. */
  who: 'public' | Role;
  kind?: Kind;
  /**
   * One flat object. Its keys that stand in the path come from there; of the others, `GET` and
   * `DELETE` take them from the query, `POST` and `PUT` from the JSON body, but for those in `query`.
   * Unknown keys never reach the handler: they are refused, or over HTTP at the top level dropped and named to the client. Joi is
   * handed in, so that a bundle never brings a second one.
   */
  input?: (j: Root) => ObjectSchema;
  /** Keys that `POST` and `PUT` take from the query. */
  query?: readonly string[];
  /** The shape of the answer; left out for 204 and for streams. Checked in tests, not in production. */
  answer?: (j: Root) => Schema;
  /**
   * The events of a stream, for documentation; an operation whose kind is `stream` must have them. Checked in tests, not in production.
   * Not for plugins.
   */
  events?: EventTypes;
  /** The status of success. Default: 200, or 204 without an `answer`. A call may answer another of {@link also}. */
  status?: 200 | 201 | 202 | 204;
  /** Further statuses of success that a handler may choose with `call.status()`. */
  also?: readonly number[];
  /** The codes of the extension's own that it may raise; the kernel's own are implied. */
  failures?: readonly string[];
  /** Scope that a personal token needs. Default: `admin` for admins' operations, `read` for `GET`, else `chat`. */
  scope?: Scope;
  /** Deletes, installs, or sends outside: asks for approval when an AI employee wants it. */
  dangerous?: boolean;
  /** Keys of the input that hold secrets: the audit trail has them without their values. */
  secrets?: readonly string[];
  /**
   * Leaves a row in the audit trail, written in the transaction of its effect, and one where somebody is refused it.
   * `refused`: the latter alone, for what is asked for often.
   */
  audited?: boolean | 'refused';
  /** Takes far more than others do: over HTTP a member may ask for fewer of these in a minute (`limits.costly_per_minute`). */
  costly?: boolean;
  /** AI employees may be given it as a tool. */
  tool?: boolean;
  /** Schedules may run it. */
  schedulable?: boolean;
  /**
   * Takes an `Idempotency-Key`. `data`: the effect is in the database, and the key's row is written in
   * the same transaction. `external`: the effect is elsewhere, and the key's row comes first.
   */
  idempotent?: 'data' | 'external';
  /**
   * Over HTTP the header `Prefer: respond-async` (RFC 7240) gives the input's key `respond_async`, which it must have: the
   * operation answers at once, with 202, and goes on by itself.
   */
  respond_async?: boolean;
  /**
   * Over HTTP the body is no input but bytes of any type, handed over as they came, with the headers, in
   * {@link Call.verbatim}: so that a signature can be checked. The input's keys come from path and query. Only for calls
   * that are `POST` or `PUT`.
   */
  verbatim?: boolean;
  /**
   * Tells how far it is, by {@link Call.progress}. Over HTTP whoever accepts `text/event-stream` gets events, unless nothing is
   * told: `progress` with a {@link Step}, ten times a second at most, and at the end `answer` with `status` and `body`, or `error`
   * with what is the body of an error elsewhere. For calls, and not for plugins.
   */
  progress?: boolean;
  /** Over HTTP the answer carries an `ETag`, and `If-None-Match` gets 304. */
  etag?: boolean;
  /** For an upload: a media type by which the whole body may be the file instead; the other keys then come from path and {@link query}. */
  raw?: string;
  /** For an upload: the name of the file's field in a form, as documentation and clients write it; other names are accepted too. Default `file`. */
  file_field?: string;
  /**
   * A cookie that a call reads and sets over HTTP: `HttpOnly`, `SameSite=Strict`, `Secure` where the platform's own address is https.
   * Browsers send it with requests of other pages' making too, so it must never open anything by itself. Not for plugins.
   */
  cookie?: { readonly name: string; readonly path: string; readonly max_age_s: number };
  /** The largest body in bytes. Default: 1 MiB. */
  max_bytes?: number;
  /** How long it may take, in ms. Default: 30,000; a stream has no limit. */
  timeout_ms?: number;
}

/** An HTTP request as it came, unparsed. */
export interface Verbatim {
  /** By lower-case names; without `authorization` and `cookie`, which are the platform's. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** The cookie of an operation, of one request and its answer. */
export interface CallCookie {
  /** As the client sent it, at most 4,096 characters; undefined if it sent none. */
  readonly sent: string | undefined;
  /** Sets it in the answer: letters, digits and `-_.` alone. */
  set(value: string): void;
}

/** A request as its handler sees it, beside the input. */
export interface Call {
  caller: Caller;
  /** Also in the answer's header `X-Request-Id` and on every log line that the request causes. */
  request_id: string;
  /** Aborts when the client is gone (streams), the time is up, or the process stops. */
  signal: AbortSignal;
  /** The client's `User-Agent`, at most 200 characters; empty where there is none. */
  agent: string;
  /** The key that the client sent, for effects that carry it (a container's label). */
  idempotency_key: string | undefined;
  /** The request as it came; undefined where the operation isn't `verbatim`, and at doors other than HTTP. */
  verbatim?: Verbatim | undefined;
  /** Tells how far it is; undefined where nobody wants to know, or the operation isn't one that tells. As often as one likes. */
  progress?: ((step: Step) => void) | undefined;
  /** The operation's {@link Operation.cookie}; undefined at doors other than HTTP. */
  cookie?: CallCookie | undefined;
  /** Chooses one of the operation's `also` statuses. */
  status(code: number): void;
}

/** Types of an extension's operations: its id → what goes in and what comes out. */
export type Api = Record<string, { input: object; answer: unknown }>;

/** A worked example of a call, for documentation. It runs as it is on a server that has the records that it names. */
export interface Example<Answer = unknown> {
  /** The keys of path, query and body. Default: none. */
  readonly input?: object;
  /** The answer to it. Left out where the answer is not JSON. */
  readonly answer?: Answer;
  /** The status of the answer, if it is one of the operation's `also`. */
  readonly status?: number;
}

/** Examples of operations of `A`, by id. Functions, so that they take no memory before documentation is asked for. */
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
 * A handler in two steps, for an operation that is `idempotent: 'data'` and needs a network, or reads much before it writes: the first
 * runs outside of any transaction, and gives the second, which runs in that of the key. Neither runs for a request whose answer is
 * known already.
 */
export interface Preparing<Input, Answer> {
  prepare(input: Input, call: Call): Promise<SecondStep<Answer>>;
}

/** The step of a {@link Preparing} handler that has the effect. */
export interface SecondStep<Answer> {
  (): Answer | Promise<Answer>;
  /** Releases what the first step acquired. Called in place of the step if a request with the same key was answered meanwhile. */
  unneeded?(): Promise<void>;
}
