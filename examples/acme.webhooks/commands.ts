import type { CommandHint } from 'platform/contract';

const columns = ['id', 'name', 'session_id', 'posted', 'last_at', 'error'];

/** How operations read on the command line. */
export const commands: CommandHint[] = [
  { operation: 'acme.webhooks.create', command: 'create', arguments: ['session_id', 'name'], columns: ['id', 'path', 'secret'] },
  { operation: 'acme.webhooks.list', command: 'list', columns },
  { operation: 'acme.webhooks.delete', command: 'delete', arguments: ['id'], confirm: 'Delete this hook?' },
];
