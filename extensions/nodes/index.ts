import type { Context, Extension, Handlers, Operations } from '../../kernel/contract/index.js';
import { Changes } from './changes.js';
import { codes } from './codes.js';
import type { Nodes, NodesApi } from './contract.js';
import { forSiblings } from './for-siblings.js';
import { handlersOf } from './handlers.js';
import { migration } from './migrations/0001-nodes.js';
import { operations } from './operations.js';
import { recordOf } from './record.js';
import { Service } from './service.js';
import { NodeStore } from './store/nodes.js';

async function activate(ctx: Context<Nodes>): Promise<void> {
  const { db, clock, secrets } = ctx;
  await ctx.migrate([migration]);
  const nodes = new NodeStore(db);
  ctx.topic('nodes', 'admin');
  const changes = new Changes({
    db,
    clock,
    nodes,
    emit: (change) => ctx.emit('nodes.changed', change),
    told: (stored) => ctx.push({ topic: 'nodes' }, { type: 'node.updated', data: { node: recordOf(stored, secrets) } }),
  });
  void changes;
  const service = new Service({ nodes, secrets });
  ctx.provide(forSiblings(nodes));
  ctx.expose(operations as unknown as Operations<NodesApi>, handlersOf({ service }) as Handlers<NodesApi>, codes);
}

export default { activate } satisfies Extension<Nodes>;
