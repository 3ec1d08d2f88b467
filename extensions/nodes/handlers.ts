import type { Handlers } from '../../kernel/contract/index.js';
import type { NodesApi } from './contract.js';
import type { Service } from './service.js';

type Life = Pick<NodesApi, 'nodes.list' | 'nodes.get'>;

/** The function behind each operation. */
export function handlersOf({ service }: { service: Service }): Handlers<Life> {
  return {
    'nodes.list': (query, { caller }) => service.list(query, caller),
    'nodes.get': ({ id }, { caller }) => service.get(id, caller),
  };
}
