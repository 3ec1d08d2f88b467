/**
 * An expected failure, such as invalid input, a missing record or an unreachable engine. A programmer's mistake is an assertion instead.
 *
 * A code is API: stable, lower snake_case, declared by each operation that raises it. The message is prose for a person: it names the
 * subject, what was expected and what was found.
 */
export class Failure extends Error {
  /** Marks a failure. Don't use `instanceof`, because a bundle may contain its own copy of this class. */
  readonly isFailure = true;
  readonly code: string;
  /** The HTTP status of the code. */
  readonly status: number;
  /** Faults of an invalid input. Only for `invalid_input` and `unknown_field`. */
  readonly details: readonly Fault[] | undefined;
  /** Whole seconds after which to retry. */
  readonly retry_after: number | undefined;
  /** Since when the cause exists, ISO 8601, if known. Like `fix` it isn't sent to clients. */
  readonly since: string | undefined;
  /** How to fix this case: a command that can be pasted, or a setting with an example. */
  readonly fix: string | undefined;

  constructor(code: string, message: string, options: FailureOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Failure';
    this.code = code;
    this.status = options.status;
    this.details = options.details;
    this.retry_after = options.retry_after;
    this.since = options.since;
    this.fix = options.fix;
  }
}

/** One fault of an input: the path of the field, dotted, and what is wrong with it. */
export interface Fault {
  path: string;
  message: string;
}

export interface FailureOptions {
  status: number;
  details?: readonly Fault[] | undefined;
  retry_after?: number | undefined;
  since?: string | undefined;
  fix?: string | undefined;
  cause?: unknown;
}

/** A table of failure codes with the HTTP status of each. */
export type Codes = Readonly<Record<string, number>>;

/**
 * Returns a function that creates failures with the codes of a table: `fail('session_not_found', 'Session 5 …')`. A code that is not in the
 * table doesn't compile.
 */
export function failures<const Table extends Codes>(table: Table) {
  return (code: keyof Table & string, message: string, options: Omit<FailureOptions, 'status'> = {}): Failure =>
    new Failure(code, message, { ...options, status: table[code] as number });
}

/** The kernel's own codes, which any operation may raise. */
export const coreCodes = {
  invalid_input: 400,
  unknown_field: 400,
  malformed_request: 400,
  unauthenticated: 401,
  invalid_token: 401,
  forbidden: 403,
  origin_refused: 403,
  scope_missing: 403,
  tool_needs_person: 403,
  permission_denied: 403,
  not_found: 404,
  room_gone: 404,
  operation_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  idempotency_key_reused: 409,
  idempotency_in_progress: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  header_too_large: 431,
  rate_limited: 429,
  internal_error: 500,
  extension_unavailable: 503,
  shutting_down: 503,
  operation_timeout: 503,
  server_busy: 503,
  database_busy: 503,
  database_unavailable: 503,
  disk_full: 503,
  disk_low: 507,
  bus_message_too_large: 413,
  bus_unavailable: 503,
  database_corrupt: 503,
  blob_corrupt: 500,
  blob_missing: 503,
} as const satisfies Codes;

/** Creates a failure with one of the kernel's own codes. Throw it. */
export const fail = failures(coreCodes);

/** Returns whether something thrown is a {@link Failure}, also if it comes from another bundle's copy of the class. */
export function isFailure(thrown: unknown): thrown is Failure {
  return thrown instanceof Error && (thrown as { isFailure?: unknown }).isFailure === true;
}
