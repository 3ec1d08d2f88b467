import type { CommandHint } from '../../kernel/contract/index.js';

const columns = ['id', 'name', 'status', 'reason', 'host', 'draining', 'last_heartbeat'];
const settings = ['config', 'reason_code', 'since', 'shell', 'walls', 'container_id', 'created_by', 'created_at'];

/** How the operations read on the command line. */
export const commands: readonly CommandHint[] = [
  { operation: 'nodes.list', command: 'node list', columns },
  { operation: 'nodes.get', command: 'node show', arguments: ['id'], columns: [...columns, ...settings] },
];
