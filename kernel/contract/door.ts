import type { Failure } from './failure.js';
import type { Caller, Scope, Subject } from './operation.js';

/**
 * A path with a protocol of its own (OpenAI's, MCP's), through which clients call operations. The kernel checks the token and the origin of
 * web pages, allows at most 100 concurrent requests with 128 MiB of bodies for one member, and limits the body and the time until the
 * answer begins.
 */
export interface ProtocolDoor {
  /** Id in documentation, like that of an operation: `openai.models`. */
  id: string;
  /** Path below the claims of the extension, with path parameters as `{name}`. */
  path: string;
  methods: readonly ('GET' | 'POST' | 'PUT' | 'DELETE')[];
  /** One sentence for the documentation. */
  summary: string;
  /** The subject in documentation. Default: the extension, by its name. */
  subject?: Subject;
  /** Example for documentation: JSON of a request and of its answer. */
  example?: () => { readonly body?: object; readonly answer?: object; readonly params?: Readonly<Record<string, string>> };
  /** `public`: needs no token, and the handler gets an anonymous caller. Default: members only. */
  who?: 'public';
  /** Scope that a personal token needs. Default: none; each operation that is called checks its own. */
  scope?: Scope;
  /** Limit of the body in bytes. Default: 1 MiB. */
  max_bytes?: number;
  /** Time limit until the answer begins, in ms. Default: 30,000. A streamed body has no time limit. */
  timeout_ms?: number;
  /** Writes a failure in the protocol's own form. Default: the platform's. `Retry-After` and the like are added. */
  refuse?: (failure: Failure) => Response;
  /** Path prefix of the protocol. {@link refuse} also answers unknown paths and methods at and below it. Default: {@link path}. */
  root?: string;
}

/** Facts about a request that a standard `Request` doesn't have. */
export interface DoorCall {
  caller: Caller;
  /** Also in the answer's header `X-Request-Id`. */
  request_id: string;
  /** The client's `User-Agent`, at most 200 characters; empty if there is none. */
  agent: string;
  /** The path parameters, decoded. */
  params: Readonly<Record<string, string>>;
}

/**
 * Answers one request, whose whole body is in memory. `request.signal` aborts when the client disconnects, the token expires or is revoked,
 * the time is up, or the extension stops; then the answer's body is cancelled. The body is pulled as fast as the client reads. A thrown
 * fault becomes an answer by `refuse`; after the headers were sent it closes the connection.
 */
export type DoorHandler = (request: Request, call: DoorCall) => Response | Promise<Response>;
