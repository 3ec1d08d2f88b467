import type { Failure } from '../../../kernel/contract/index.js';
import { publicMessage } from '../tools/output.js';

/** OpenAI's error types by status. */
const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'invalid_request_error',
  405: 'invalid_request_error',
  408: 'invalid_request_error',
  413: 'invalid_request_error',
  415: 'invalid_request_error',
  429: 'rate_limit_error',
};

/** Converts a failure to OpenAI's form. `code` is the platform's own, except where clients look for OpenAI's. */
export function errorOf(failure: Failure): { error: { message: string; type: string; param: string | null; code: string } } {
  const { code, details } = failure;
  const status = statusOf(failure);
  return {
    error: {
      message: publicMessage(failure),
      type: code === 'token_limit' ? 'insufficient_quota' : (types[status] ?? 'server_error'),
      param: details?.[0]?.path || null,
      code: status === 401 ? 'invalid_api_key' : code === 'employee_not_found' ? 'model_not_found' : code,
    },
  };
}

/** Statuses from which OpenAI's clients read the kind of failure. */
const statuses: Readonly<Record<string, number>> = { token_limit: 429, model_rate_limited: 429 };

/**
 * Converts a failure to a response. `begun`: whether the AI employee has begun to work. The response then forbids a retry, by which a client
 * would repeat work that is already done.
 */
export function refusalOf(failure: Failure, { begun }: { begun: boolean }): Response {
  const { retry_after } = failure;
  const headers = new Headers();
  if (begun) headers.set('x-should-retry', 'false');
  if (retry_after !== undefined) headers.set('retry-after', String(retry_after));
  return Response.json(errorOf(failure), { status: statusOf(failure), headers });
}

function statusOf({ code, status }: Failure): number {
  return statuses[code] ?? status;
}
