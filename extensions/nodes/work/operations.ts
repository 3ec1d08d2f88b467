import type { Joi, Operations } from '../../../kernel/contract/index.js';
import type { NodesApi } from '../contract.js';
import * as shape from '../shapes.js';
import { commandEvents, logEvents } from '../stream-events.js';
import { max_upload, mime_type } from './admin/archive.js';

/** Failures on the way into a container. */
const inside = [
  'node_not_found',
  'node_removing',
  'node_not_ready',
  'node_offline',
  'engine_unavailable',
  'engine_error',
  'tls_untrusted',
  'ssh_host_key_mismatch',
  'ssh_auth_failed',
] as const;
const text = (j: Joi, max: number) =>
  j
    .string()
    .max(max)
    .pattern(/^[^\0]*$/, 'text');
const path = (j: Joi) =>
  j
    .string()
    .max(4_096)
    .pattern(/^\/[^\0]*$/, 'absolute path');
const file = (j: Joi) => j.object({ path: j.string().required(), bytes: j.number().integer().required() }).unknown();

export type WorkApi = Pick<NodesApi, 'nodes.exec' | 'nodes.logs' | 'nodes.files_get' | 'nodes.files_put'>;

/** Operations inside a node's container. */
export const workOperations = {
  'nodes.exec': {
    summary: "Runs a command in a work node's container.",
    method: 'POST',
    path: '/api/remote-nodes/{id}/exec',
    who: 'admin',
    audience: 'admin',
    costly: true,
    kind: 'stream',
    input: (j) =>
      j.object({
        id: shape.id(j).required(),
        command: j
          .alternatives()
          .try(text(j, 32_000).min(1), j.array().items(text(j, 32_000).allow('')).min(1).max(256))
          .required()
          .description("Text for the container's shell, or a program and its arguments"),
        cwd: path(j).description('Working folder. Default: /workspace'),
        env: j.object().pattern(j.string(), text(j, 32_000).allow('')).max(64).description('Additional environment variables'),
        user: j
          .string()
          .max(80)
          .pattern(/^[A-Za-z0-9_][A-Za-z0-9_.-]*(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?$/, 'user or user:group')
          .description("Name or number in the container. Default: the image's own"),
        timeout_s: j.number().integer().min(1).max(3_600).default(300).description('Time limit after which all its processes are killed'),
      }),
    events: commandEvents,
    failures: [...inside, 'no_shell', 'node_busy', 'command_failed', 'container_failed'],
    dangerous: true,
    audited: true,
    schedulable: true,
  },
  'nodes.logs': {
    summary: "Shows the output of a work node's own program.",
    method: 'GET',
    path: '/api/remote-nodes/{id}/logs',
    who: 'admin',
    audience: 'admin',
    kind: 'stream',
    input: (j) =>
      j.object({
        id: shape.id(j).required(),
        tail: j.number().integer().min(0).max(10_000).default(200).description('Number of lines from the end'),
        since: j.string().isoDate().description('Omits earlier lines'),
        after: j.string().isoDate().max(64).description('`id` of the last line received'),
        follow: j.boolean().default(false).description('Continues with new lines'),
      }),
    events: logEvents,
    failures: inside,
  },
  'nodes.files_get': {
    summary: "Downloads a file or folder of a work node's container as a tar file of at most 64 MiB.",
    method: 'GET',
    path: '/api/remote-nodes/{id}/files',
    who: 'admin',
    audience: 'admin',
    kind: 'file',
    input: (j) => j.object({ id: shape.id(j).required(), path: path(j).required() }),
    failures: [...inside, 'path_not_found', 'node_busy'],
    audited: true,
    timeout_ms: 120_000,
  },
  'nodes.files_put': {
    summary: "Unpacks a tar file of at most 100 MiB into a folder of a work node's container.",
    method: 'PUT',
    path: '/api/remote-nodes/{id}/files',
    who: 'admin',
    audience: 'admin',
    costly: true,
    kind: 'upload',
    raw: mime_type,
    query: ['path'],
    input: (j) => j.object({ id: shape.id(j).required(), path: path(j).required(), file: file(j).required() }),
    answer: (j) => j.object({ path: j.string().required(), bytes: j.number().integer().min(0).required() }),
    failures: [...inside, 'path_not_found', 'node_busy'],
    audited: true,
    max_bytes: max_upload,
    timeout_ms: 120_000,
  },
} satisfies Operations<WorkApi>;
