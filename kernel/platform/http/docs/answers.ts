import { STATUS_CODES } from 'node:http';
import { coreCodes } from '../../../contract/failure.js';
import type { Example } from '../../../contract/operation.js';
import type { JsonSchema } from '../../../contract/schema.js';
import type { ActiveOperation } from '../../../core/catalog/catalog.js';
import { takesBody } from '../input.js';
import { type Content, type ResponseObject, reference, type SchemaObject } from './openapi.js';

/** Schema of every error response. */
export const errorSchema: SchemaObject = {
  type: 'object',
  description: 'The body of every error response',
  properties: {
    statusCode: { type: 'integer', description: 'The HTTP status' },
    error: { type: 'string', description: 'The name of the status' },
    message: { type: 'string', description: 'A sentence for a person' },
    code: { type: 'string', description: 'A stable code for programs' },
    details: {
      type: 'array',
      description: 'Each fault of an invalid input',
      items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } }, required: ['path', 'message'] },
    },
    request_id: { type: 'string', description: 'Also in the header X-Request-Id' },
  },
  required: ['statusCode', 'error', 'message', 'code', 'request_id'],
  example: {
    statusCode: 400,
    error: 'Bad Request',
    message: 'The input is not valid: "content" is required',
    code: 'invalid_input',
    details: [{ path: 'content', message: '"content" is required' }],
    request_id: 'voX07YZ-Smjy-192',
  },
};

/** Returns all responses of an operation: its successes, and the failure codes by status. */
export function answers(active: ActiveOperation, answer: SchemaObject | undefined): Record<string, ResponseObject> {
  const found: Record<string, ResponseObject> = {};
  const { status, also = [], kind, progress = false } = active.data();
  const example = active.example?.();
  for (const success of [status, ...also].filter((code) => code < 400)) {
    const described = { description: STATUS_CODES[success] ?? 'Success', ...content(kind, success, answer) };
    found[success] = withProgress(withExample(described, success === (example?.status ?? status) ? example : undefined), progress);
  }
  for (const [failed, codes] of failures(active)) {
    found[failed] = { description: codes.map((code) => `\`${code}\``).join(', '), content: json(reference('Error')) };
  }
  return found;
}

function withExample(response: ResponseObject, example: Example | undefined): ResponseObject {
  const json = response.content?.['application/json'];
  if (!json || example?.answer === undefined) return response;
  return { ...response, content: { ...response.content, 'application/json': { ...json, example: example.answer } } };
}

/** Adds the event stream that calls with progress return to clients that accept it. */
function withProgress(response: ResponseObject, progress: boolean): ResponseObject {
  const description =
    'Server-sent events: `progress` with `doing`, `done` and `total`, and at the end `answer` with `status` and `body`, or `error`';
  return progress
    ? { ...response, content: { ...response.content, 'text/event-stream': { schema: { type: 'string', description } } } }
    : response;
}

function content(kind: string, status: number, answer: SchemaObject | undefined): { content?: Content } {
  if (status === 204) return {};
  if (kind === 'stream')
    return {
      content: {
        'text/event-stream': { schema: { type: 'string', description: 'Server-sent events; `data` is a JSON object with its `type`' } },
      },
    };
  if (kind === 'file') return { content: { '*/*': { schema: { type: 'string', format: 'binary' } } } };
  return { content: json(answer ?? {}) };
}

export function json(schema: SchemaObject, example?: unknown): Content {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
}

/** Maps each status to its codes: the operation's own, and those that the kernel raises for it. */
function failures(active: ActiveOperation): Map<number, string[]> {
  const own = active.operation.failures ?? [];
  const codes = new Set([...kernelCodes(active), ...own]);
  const statuses = new Map<number, string[]>();
  for (const code of [...codes].sort()) {
    const status = active.codes[code] ?? coreCodes[code as keyof typeof coreCodes] ?? 500;
    statuses.set(status, [...(statuses.get(status) ?? []), code]);
  }
  return statuses;
}

function kernelCodes({ operation, data }: ActiveOperation): (keyof typeof coreCodes)[] {
  const properties = (data().input as JsonSchema).properties ?? {};
  return [
    'malformed_request',
    'header_too_large',
    'internal_error',
    'extension_unavailable',
    'shutting_down',
    'database_busy',
    'database_unavailable',
    'disk_full',
    'bus_unavailable',
    ...(Object.keys(properties).length > 0 ? (['invalid_input'] as const) : []),
    ...(takesBody(operation) && !operation.verbatim ? (['unknown_field'] as const) : []),
    ...(operation.who === 'public' ? [] : (['unauthenticated', 'invalid_token', 'scope_missing'] as const)),
    ...(operation.who === 'admin' ? (['forbidden'] as const) : []),
    ...(Object.values(operation.cookies ?? {}).some(({ guarded }) => guarded) ? (['origin_refused'] as const) : []),
    'rate_limited',
    ...(operation.kind === 'stream' ? [] : (['operation_timeout'] as const)),
    ...(operation.kind === 'file' ? (['server_busy'] as const) : []),
    ...(operation.idempotent ? (['idempotency_key_reused', 'idempotency_in_progress'] as const) : []),
    ...(takesBody(operation)
      ? (['request_timeout', 'payload_too_large', 'unsupported_media_type', 'server_busy', 'disk_low'] as const)
      : []),
  ];
}
