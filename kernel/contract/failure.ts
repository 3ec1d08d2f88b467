/**
 * A failure of the world (bad input, a missing record, an engine that is away), as opposed to a
 * programmer's mistake, which is an assertion.
 *
 * A code is API: stable, lower snake_case, documented by each operation that raises it. The message
 * is prose for a person: it names the thing, what was wanted and what was found.
 */
export class Failure extends Error {
  /** Recognised by this field, not by `instanceof`: bundles may carry a copy of this class. */
  readonly isFailure = true;
  readonly code: string;
  /** The HTTP status that the code stands for. */
  readonly status: number;
  /** Each fault of an invalid input, only for `invalid_input` and `unknown_field`. */
  readonly details: readonly Fault[] | undefined;
  /** Whole seconds after which another try makes sense. */
  readonly retry_after: number | undefined;
  /** Since when it is so, ISO 8601, where that is known. Like `fix` it stays in this process. */
  readonly since: string | undefined;
  /** How to mend this very case: a command that can be pasted, or a setting with an example. */
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
 * Makes the constructor for a table of codes: `fail('session_not_found', 'Session 5 …')`.
 * A code that is not in the table doesn't compile.
 */
export function failures<const Table extends Codes>(table: Table) {
  return (code: keyof Table & string, message: string, options: Omit<FailureOptions, 'status'> = {}): Failure =>
    new Failure(code, message, { ...options, status: table[code] as number });
}

/** The codes that the kernel itself raises, and that any operation may therefore answer. */
export const coreCodes = {
  invalid_input: 400,
  unknown_field: 400,
  malformed_request: 400,
  unauthenticated: 401,
  invalid_token: 401,
  forbidden: 403,
  scope_missing: 403,
  tool_needs_person: 403,
  permission_denied: 403,
  not_found: 404,
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

/** Raises one of the kernel's own codes. */
export const fail = failures(coreCodes);

/** Whether something thrown is a {@link Failure}, also one of another bundle's copy of the class. */
export function isFailure(thrown: unknown): thrown is Failure {
  return thrown instanceof Error && (thrown as { isFailure?: unknown }).isFailure === true;
}
