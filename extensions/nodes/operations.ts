import type { Joi, Operations } from '../../kernel/contract/index.js';
import type { NodesApi } from './contract.js';
import * as shape from './shapes.js';
import { nodeEvents } from './stream-events.js';
import { workOperations } from './work/operations.js';

const page = (j: Joi) => ({
  limit: j.number().integer().min(1).max(200).default(50),
  offset: j.number().integer().min(0).max(2_147_483_647).default(0),
});
/** Failures of the connection to an engine. */
const engine = ['engine_unavailable', 'engine_error', 'tls_untrusted', 'ssh_host_key_mismatch', 'ssh_auth_failed'] as const;
const one = (j: Joi) => j.object({ id: shape.id(j).required() });

/** Operations of this extension. */
export const operations = {
  'nodes.list': {
    summary: 'Lists the work nodes, oldest first; only administrators see addresses and reasons.',
    method: 'GET',
    path: '/api/remote-nodes',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ status: shape.status(j), ...page(j) }),
    answer: (j) => j.object({ items: j.array().items(shape.node(j)).required(), total: j.number().integer().min(0).required() }),
    tool: true,
  },
  'nodes.get': {
    summary: 'Shows a work node; only administrators see its address and the reason of its status.',
    method: 'GET',
    path: '/api/remote-nodes/{id}',
    who: 'member',
    audience: 'caller',
    input: one,
    answer: shape.node,
    failures: ['node_not_found'],
    tool: true,
  },
  'nodes.register': {
    summary: 'Registers a work node on an engine; answers at once, and creates its container as soon as the engine answers.',
    method: 'POST',
    path: '/api/remote-nodes',
    who: 'admin',
    audience: 'admin',
    input: (j) =>
      j.object({
        name: shape.name(j).required(),
        node_type: j.string().valid('docker').required(),
        host: j
          .string()
          .trim()
          .max(512)
          .allow('')
          .description('tcp://host[:port], http(s)://host[:port], unix:///path or ssh://user@host[:port]. Default: the local engine'),
        config: shape.config(j),
      }),
    answer: shape.node,
    status: 201,
    failures: ['node_name_taken'],
    audited: true,
    idempotent: 'external',
  },
  'nodes.create': {
    summary: 'Creates a work node on the local engine: pulls its image, creates the container and starts it.',
    method: 'POST',
    path: '/api/remote-nodes/docker',
    who: 'admin',
    audience: 'admin',
    input: (j) =>
      j.object({
        name: shape.name(j).required(),
        config: shape.localConfig(j),
        respond_async: j.boolean().default(false).description('Answers before it is created'),
      }),
    answer: shape.node,
    status: 201,
    also: [202],
    failures: ['node_name_taken', 'node_removing', 'image_pull_failed', 'container_failed', ...engine],
    audited: true,
    idempotent: 'external',
    respond_async: true,
    timeout_ms: 2_400_000,
  },
  'nodes.update': {
    summary: 'Renames a work node, or changes how its engine is reached; omitted fields stay.',
    method: 'PUT',
    path: '/api/remote-nodes/{id}',
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object({ id: shape.id(j).required(), name: shape.name(j), config: shape.configChange(j) }),
    answer: shape.node,
    failures: ['node_not_found', 'node_name_taken', 'node_removing'],
    audited: true,
  },
  'nodes.delete': {
    summary: 'Deletes a work node and everything in its container; ends what runs on it.',
    method: 'DELETE',
    path: '/api/remote-nodes/{id}',
    who: 'admin',
    audience: 'admin',
    input: (j) =>
      j.object({
        id: shape.id(j).required(),
        force: j.boolean().default(false).description('Deletes it even if its engine is unreachable; its container then stays there'),
      }),
    answer: (j) => j.object({ id: shape.id(j).required(), status: j.string().valid('removing').required() }),
    status: 204,
    also: [202],
    failures: ['node_not_found'],
    audited: true,
    timeout_ms: 60_000,
  },
  'nodes.health': {
    summary: 'Shows whether a work node is healthy, even if it is offline; only administrators see the reason.',
    method: 'GET',
    path: '/api/remote-nodes/{id}/health',
    who: 'member',
    audience: 'caller',
    input: one,
    answer: shape.health,
    failures: ['node_not_found', 'node_removing'],
    tool: true,
  },
  'nodes.stats': {
    summary: 'Shows the processor, memory and disk usage of a work node, as its engine counts it.',
    method: 'GET',
    path: '/api/remote-nodes/{id}/stats',
    who: 'member',
    // Only administrators see why an engine doesn't answer.
    audience: 'caller',
    input: one,
    answer: shape.stats,
    failures: ['node_not_found', 'node_removing', 'node_offline'],
    tool: true,
  },
  'nodes.drain': {
    summary: 'Stops giving a work node new work, or resumes it.',
    method: 'POST',
    path: '/api/remote-nodes/{id}/drain',
    who: 'admin',
    audience: 'admin',
    input: (j) =>
      j.object({ id: shape.id(j).required(), draining: j.boolean().default(true).description('false: gives it new work again') }),
    answer: shape.node,
    failures: ['node_not_found', 'node_removing'],
    audited: true,
  },
  'nodes.events': {
    summary: 'Follows a work node while it is created or removed.',
    method: 'GET',
    path: '/api/remote-nodes/{id}/events',
    who: 'admin',
    audience: 'admin',
    kind: 'stream',
    input: (j) => j.object({ id: shape.id(j).required(), after: j.string().max(500) }),
    events: nodeEvents,
    failures: ['node_not_found'],
  },
  ...workOperations,
} satisfies Operations<NodesApi>;
