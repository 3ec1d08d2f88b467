import { Failure, type Fault } from '../contract/failure.js';

/** A frame from the server. */
export interface SocketFrame {
  type: string;
  data: Record<string, unknown>;
  /** Id of the request that an `ack`, `error` or `pong` answers. */
  id?: string | number;
  /** Position of a stored frame; absent for frames that are not stored. */
  cursor?: string;
  ts: string;
}

/** Builds the failure from an `error` frame. */
export function failureOfFrame({ data }: SocketFrame): Failure {
  const { code, message, statusCode, details, request_id } = data;
  const faults = details as readonly Fault[] | undefined;
  return new Failure(String(code), String(message), { status: Number(statusCode), details: faults, cause: { request_id } });
}
