import type { Handlers } from '../../kernel/contract/index.js';
import type { ApprovalDesk } from './approvals/desk.js';
import type { AgentsApi } from './contract.js';

interface HandlerParts {
  desk: ApprovalDesk;
}

/** The function behind each operation. */
export function handlersOf({ desk }: HandlerParts): Handlers<AgentsApi> {
  return {
    'approvals.list': (query, { caller }) => desk.list(query, caller),
    'approvals.get': ({ id }, { caller }) => desk.get(id, caller),
    'approvals.decide': ({ id, ...decision }, { caller }) => desk.decide(id, decision, caller),
  };
}
