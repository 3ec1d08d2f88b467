import type { Operations } from '../../kernel/contract/index.js';
import type { AgentsApi } from './contract.js';
import * as shape from './shapes.js';

/** What can be asked of this extension. */
export const operations = {
  'approvals.list': {
    summary: 'Lists what AI employees ask before they do it, in the sessions that one takes part in; the latest first.',
    method: 'GET',
    path: '/api/approvals',
    who: 'member',
    input: (j) =>
      j.object({
        status: shape.approvalStatus(j),
        limit: j.number().integer().min(1).max(200).default(50),
        offset: j.number().integer().min(0).max(2_147_483_647).default(0),
      }),
    answer: (j) => j.array().items(shape.approval(j)),
  },
  'approvals.get': {
    summary: 'Shows what an AI employee asks before it does it.',
    method: 'GET',
    path: '/api/approvals/{id}',
    who: 'member',
    input: (j) => j.object({ id: shape.approvalId(j).required() }),
    answer: shape.approval,
    failures: ['approval_not_found'],
  },
  'approvals.decide': {
    summary: 'Approves or denies what an AI employee asks; it goes on at once. The same decision again changes nothing.',
    method: 'POST',
    path: '/api/approvals/{id}',
    who: 'member',
    input: (j) =>
      j.object({
        id: shape.approvalId(j).required(),
        decision: j.string().valid('approve', 'deny').required(),
        reason: shape.reason(j).description('Told to the AI employee, and kept'),
      }),
    answer: shape.approval,
    failures: ['approval_not_found', 'approval_decided', 'approval_expired', 'approval_cancelled', 'approval_needs_person'],
    audited: true,
  },
} satisfies Operations<AgentsApi>;
