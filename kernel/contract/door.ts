import type { Failure } from './failure.js';
import type { Caller, Scope, Subject } from './operation.js';

/**
 * A path that speaks a protocol of its own (OpenAI's, MCP's), by which operations are reached. The kernel lets in
 * who has a valid token, and web pages of the origins that the configuration names, at most 100 requests of one
 * member at once, with 128 MiB of bodies; it bounds the body and the time until the answer begins.
 */
export interface ProtocolDoor {
  /** Identifies it in documentation, as an operation's id does: `openai.models`. */
  id: string;
  /** Below the claims of the extension, path parameters as `{name}`. */
  path: string;
  methods: readonly ('GET' | 'POST' | 'PUT' | 'DELETE')[];
  /** One sentence for the documentation. */
  summary: string;
  /** The subject in documentation. Default: the extension, by its name. */
  subject?: Subject;
  /** A worked example for documentation: JSON of the request and of the answer to it. */
  example?: () => { readonly body?: object; readonly answer?: object; readonly params?: Readonly<Record<string, string>> };
  /** Scope that a personal token needs. Default: none, and each operation asks for its own. */
  scope?: Scope;
  /** The largest body in bytes. Default: 1 MiB. */
  max_bytes?: number;
  /** Until the answer begins, in ms. Default: 30,000. A body that is streamed has no limit but its reader's patience. */
  timeout_ms?: number;
  /** Writes a failure in the protocol's own form. Default: the platform's. `Retry-After` and the like are added. */
  refuse?: (failure: Failure) => Response;
  /** Where the protocol begins. Unknown paths and methods at and below it are refused by {@link refuse} too. Default: {@link path}. */
  root?: string;
}

/** Facts about a request that the standard's `Request` does not have. */
export interface DoorCall {
  caller: Caller;
  /** Also in the answer's header `X-Request-Id`. */
  request_id: string;
  /** The client's `User-Agent`, at most 200 characters; empty where there is none. */
  agent: string;
  /** The path parameters, decoded. */
  params: Readonly<Record<string, string>>;
}

/**
 * Answers one request. The body of the request is whole in memory. `request.signal` aborts when the client is gone,
 * the caller's token ends, the time is up, or the extension goes; the answer's body is cancelled then. It is asked
 * for as fast as the client reads. What is thrown is told through `refuse`; after the headers it cuts the connection.
 */
export type DoorHandler = (request: Request, call: DoorCall) => Response | Promise<Response>;
