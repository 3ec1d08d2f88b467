import { assertSafeValue } from '../../../core/invoke/safe-value.js';
import { fail } from './limits.js';

/** A frame as a client sent it. */
export interface ClientFrame {
  type: string;
  /** The client's id of the frame, returned in `ack` or `error`. */
  id: string | number | undefined;
  data: object;
  /** Token of an `auth` frame, beside its type or in its data. */
  token: unknown;
}

const max_id = 100;

/** Reads the text of a frame. Fails with `malformed_frame`. */
export function readFrame(text: string): ClientFrame {
  const { type, data = {}, id, token } = objectOf(parse(text), 'A frame');
  if (typeof type !== 'string') throw fail('malformed_frame', "A frame needs a 'type', which must be a string");
  if (id !== undefined && !isId(id))
    throw fail('malformed_frame', `The 'id' of a frame must be a number, or a string of at most ${max_id} characters`);
  const fields = objectOf(data, "The 'data' of a frame");
  assertSafeValue(fields);
  return { type, id: id as string | number | undefined, data: fields, token: token ?? fields.token };
}

/** Returns the id of a malformed frame, so that the client knows which one was wrong. */
export function idOf(text: string): string | number | undefined {
  try {
    const { id } = JSON.parse(text) as { id?: unknown };
    return isId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fail('malformed_frame', 'The frame is not valid JSON');
  }
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw fail('malformed_frame', `${what} must be a JSON object`);
}

function isId(id: unknown): id is string | number {
  return typeof id === 'number' || (typeof id === 'string' && id.length <= max_id);
}
