import type { Subject } from '../../../contract/operation.js';
import { errorSchema, json } from './answers.js';
import {
  type OperationObject,
  type ParameterObject,
  type Paths,
  type ResponseObject,
  reference,
  type SchemaObject,
  type Schemas,
} from './openapi.js';

const server: Subject = { name: 'Server', description: 'Whether the server is alive and ready, its metrics, and this document.' };
const socket: Subject = {
  name: 'WebSocket',
  description: 'Pushes events to open clients: messages, tasks, unread counts, notifications, presence.',
};

export const systemSubjects: readonly Subject[] = [server, socket];

/** Failures that any request may have. */
const always = { 400: failure('`malformed_request`'), 431: failure('`header_too_large`'), 500: failure('`internal_error`') };

/** Paths of the kernel itself. */
export const systemPaths: Paths = {
  '/healthz': {
    get: operation('health', 'Whether the process is alive', json(object({ status: { type: 'string', enum: ['ok'] } }), { status: 'ok' })),
  },
  '/readyz': {
    get: operation(
      'ready',
      'Whether the database, the bus and every internal extension are ready',
      json(reference('Readiness'), { ok: true, checks: [{ extension: 'kernel', code: 'database', ok: true }] }),
      {
        503: failure('`not_ready`, `shutting_down`'),
      },
    ),
  },
  '/metrics': {
    get: {
      ...operation(
        'metrics',
        'Metrics for Prometheus; a collector on the same machine needs no token',
        { 'text/plain': { schema: { type: 'string' } } },
        { 401: failure('`invalid_token`, `unauthenticated`'), 429: failure('`rate_limited`') },
      ),
      security: [{ jwt: [] }, {}],
    },
  },
  '/ws': {
    get: {
      operationId: 'kernel.socket',
      summary: 'A WebSocket for events: JSON text frames `{type, data}`',
      description:
        'Authenticated by the header, `ticket`, `token`, or a first frame `{"type":"auth","token":"…"}` within 10 s. ' +
        'Closed with 4001 if that fails, 4003 if the token expires or is revoked, 1009 after a frame of more than 64 KiB, 1008 after ' +
        'more than 50 frames a second, 1013 if the client does not read, 1001 if the platform stops.',
      tags: [socket.name],
      parameters: [
        text('ticket', 'A ticket from `POST /api/auth/ticket`'),
        text('token', 'An access token'),
        text('after', 'The last cursor seen'),
      ],
      responses: {
        101: { description: 'The connection has switched to a WebSocket' },
        400: failure('`malformed_request`'),
        426: failure('`upgrade_required`'),
      },
      security: [{ jwt: [] }, {}],
    },
  },
  '/openapi.json': {
    get: operation(
      'openapi',
      'This document',
      json({ type: 'object', additionalProperties: true }, { openapi: '3.0.3', info: { title: 'Platform', version: '0.2.0' }, paths: {} }),
    ),
  },
};

export const systemSchemas: Schemas = {
  Error: errorSchema,
  Readiness: object({
    ok: { type: 'boolean' },
    checks: {
      type: 'array',
      items: object({ extension: { type: 'string' }, code: { type: 'string' }, ok: { type: 'boolean' } }),
    },
  }),
};

function operation(
  operationId: string,
  summary: string,
  content: NonNullable<ResponseObject['content']>,
  failures: Record<string, ResponseObject> = {},
): OperationObject {
  const responses = { 200: { description: 'OK', content }, ...always, ...failures };
  return { operationId: `kernel.${operationId}`, summary, tags: [server.name], responses, security: [] };
}

function text(name: string, description: string): ParameterObject {
  return { name, in: 'query', description, schema: { type: 'string' } };
}

function failure(codes: string): ResponseObject {
  return { description: codes, content: json(reference('Error')) };
}

function object(properties: Record<string, SchemaObject>): SchemaObject {
  return { type: 'object', properties, required: Object.keys(properties) };
}
