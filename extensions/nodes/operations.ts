import type { Joi, Operations } from '../../kernel/contract/index.js';
import type { NodesApi } from './contract.js';
import * as shape from './shapes.js';

const page = (j: Joi) => ({
  limit: j.number().integer().min(1).max(200).default(50),
  offset: j.number().integer().min(0).max(2_147_483_647).default(0),
});

type Life = Pick<NodesApi, 'nodes.list' | 'nodes.get'>;

/** What can be asked of this extension. */
export const operations = {
  'nodes.list': {
    summary: 'Lists the work nodes, the oldest first; addresses and reasons only administrators see.',
    method: 'GET',
    path: '/api/remote-nodes',
    who: 'member',
    input: (j) => j.object({ status: shape.status(j), ...page(j) }),
    answer: (j) => j.object({ items: j.array().items(shape.node(j)).required(), total: j.number().integer().min(0).required() }),
    tool: true,
  },
  'nodes.get': {
    summary: 'Shows a work node; its address and the reason of its status only administrators see.',
    method: 'GET',
    path: '/api/remote-nodes/{id}',
    who: 'member',
    input: (j) => j.object({ id: shape.id(j).required() }),
    answer: shape.node,
    failures: ['node_not_found'],
    tool: true,
  },
} satisfies Operations<Life>;
