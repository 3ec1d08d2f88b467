import { STATUS_CODES } from 'node:http';
import { type Failure, type Fault, fail, isFailure } from '../contract/failure.js';

/** The body of every answer that is not a success. */
export interface ErrorBody {
  statusCode: number;
  /** The name of the status, as hapi gives it. */
  error: string;
  message: string;
  code: string;
  details?: readonly Fault[];
  request_id: string;
}

export function errorBody(failure: Failure, request_id: string): ErrorBody {
  return {
    statusCode: failure.status,
    error: STATUS_CODES[failure.status] ?? 'Unknown',
    message: failure.message,
    code: failure.code,
    ...(failure.details ? { details: failure.details } : {}),
    request_id,
  };
}

/** The headers that belong to a failure whatever raised it: names and values in turn. */
export function errorHeaders(failure: Failure): readonly string[] {
  if (failure.retry_after !== undefined) return ['Retry-After', String(failure.retry_after)];
  if (failure.status === 401) return ['WWW-Authenticate', 'Bearer'];
  // The rest of a body that comes too slowly is not waited for.
  return failure.status === 408 ? ['Connection', 'close'] : [];
}

/** What was thrown, as a failure that may be shown: of a fault that nobody foresaw nothing gets out. */
export function asFailure(thrown: unknown): Failure {
  if (isFailure(thrown)) return thrown;
  return fail('internal_error', 'Something went wrong inside the platform; its log has the cause under this request_id', { cause: thrown });
}
