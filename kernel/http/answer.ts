import type { ServerResponse } from 'node:http';
import type { Failure } from '../contract/failure.js';
import { errorBody, errorHeaders } from './errors.js';

/** Answers a request with a failure without a cell. */
export function answerFailure(res: ServerResponse, failure: Failure, request_id: string): void {
  const body = JSON.stringify(errorBody(failure, request_id));
  res.writeHead(failure.status, {
    ...errorHeaders(failure),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  res.end(body);
}
