import type { Handlers } from '../../kernel/contract/index.js';
import type { NodesApi } from './contract.js';
import type { NodeEvents } from './events.js';
import type { Vitals } from './monitor/vitals.js';
import type { Service } from './service.js';
import type { WorkApi } from './work/operations.js';

/** Operations on nodes, without those inside their containers. */
type LifeApi = Omit<NodesApi, keyof WorkApi>;

interface Parts {
  service: Service;
  events: NodeEvents;
  vitals: Vitals;
}

/** Maps each operation to its function. */
export function handlersOf({ service, events, vitals }: Parts): Handlers<LifeApi> {
  return {
    'nodes.list': (query, { caller }) => service.list(query, caller),
    'nodes.get': ({ id }, { caller }) => service.get(id, caller),
    'nodes.register': (node, call) => service.register(node, call),
    'nodes.create': (node, call) => service.create(node, call),
    'nodes.update': ({ id, ...change }, call) => service.update(id, change, call),
    'nodes.delete': async ({ id, force }, call) => {
      if (await service.delete(id, force)) {
        call.status(204);
        return undefined;
      }
      call.status(202);
      return { id, status: 'removing' };
    },
    'nodes.health': async ({ id }, { caller }) => vitals.health(await service.require(id), caller),
    'nodes.stats': async ({ id }, { caller }) => vitals.stats(await service.require(id), caller),
    'nodes.drain': ({ id, draining }, call) => service.drain(id, draining, call),
    'nodes.events': async ({ id, after }, { caller, signal }) => events.follow(await service.get(id, caller), { after, signal }),
  };
}
