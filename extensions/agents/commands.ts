import type { CommandHint } from '../../kernel/contract/index.js';

const approvalColumns = ['id', 'name', 'effect', 'status', 'created_at'];

/** How the operations read on the command line. */
export const commands: readonly CommandHint[] = [
  { operation: 'approvals.list', command: 'approvals list', columns: approvalColumns, example: 'platform approvals list --status pending' },
  { operation: 'approvals.get', command: 'approvals show', arguments: ['id'], columns: [...approvalColumns, 'input'] },
  {
    operation: 'approvals.decide',
    command: 'approvals decide',
    arguments: ['id', 'decision'],
    columns: ['name', 'status', 'decided_by_name'],
    example: 'platform approvals decide 0b5c… approve',
  },
];
