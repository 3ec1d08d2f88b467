import type { CommandHint } from '../../kernel/contract/index.js';

/** Commands for the operations. Some have none. */
export const commands: readonly CommandHint[] = [
  {
    operation: 'audit.list',
    refers: { member_id: 'member' },
    command: 'audit list',
    columns: ['id', 'at', 'username', 'operation', 'target', 'outcome', 'times', 'door', 'address'],
    example: 'platform audit list --operation members.create --limit 20',
  },
];
