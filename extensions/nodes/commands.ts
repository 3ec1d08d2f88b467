import type { CommandHint } from '../../kernel/contract/index.js';

const columns = ['id', 'name', 'status', 'reason', 'host', 'draining', 'last_heartbeat'];
const settings = ['config', 'reason_code', 'since', 'shell', 'walls', 'container_id', 'created_by', 'created_at'];

/** Command line form of the operations. */
export const commands: readonly CommandHint[] = [
  { operation: 'nodes.list', command: 'node list', columns },
  { operation: 'nodes.get', refers: { id: 'node' }, command: 'node show', arguments: ['id'], columns: [...columns, ...settings] },
  {
    operation: 'nodes.create',
    command: 'node create',
    arguments: ['name'],
    spread: ['config'],
    columns,
    follow: { operation: 'nodes.events', input: ['id'] },
    example: 'platform node create box --image python:3.12-slim --memory-limit 1g',
  },
  {
    operation: 'nodes.register',
    command: 'node register',
    arguments: ['name', 'node_type', 'host'],
    spread: ['config'],
    columns,
    follow: { operation: 'nodes.events', input: ['id'] },
    example: 'platform node register far docker tcp://10.0.0.5:2376',
  },
  {
    operation: 'nodes.update',
    refers: { id: 'node' },
    command: 'node change',
    arguments: ['id'],
    spread: ['config'],
    columns,
    example: 'platform node change 7 --name builder',
  },
  {
    operation: 'nodes.health',
    refers: { id: 'node' },
    command: 'node health',
    arguments: ['id'],
    columns: ['status', 'uptime_seconds', 'last_heartbeat', 'reason', 'since'],
  },
  {
    operation: 'nodes.stats',
    refers: { id: 'node' },
    command: 'node stats',
    arguments: ['id'],
    columns: ['cpu_usage_percent', 'memory_usage_mb', 'memory_limit_mb', 'disk_usage_mb'],
  },
  { operation: 'nodes.drain', refers: { id: 'node' }, command: 'node drain', arguments: ['id'], columns },
  {
    operation: 'nodes.events',
    refers: { id: 'node' },
    command: 'node events',
    arguments: ['id'],
    progress: { event: 'pull.progress', done: 'bytes', total: 'total_bytes', failed: ['error', 'offline'] },
  },
  {
    operation: 'nodes.exec',
    refers: { id: 'node' },
    command: 'node exec',
    arguments: ['id', 'command'],
    confirm: false,
    process: { output: 'output', exit: 'exit' },
    example: `platform node exec 7 'ls -l'`,
  },
  { operation: 'nodes.logs', refers: { id: 'node' }, command: 'node logs', arguments: ['id'], text: { delta: 'log', whole: 'text' } },
  {
    operation: 'nodes.files_get',
    refers: { id: 'node' },
    command: 'node fetch',
    arguments: ['id', 'path'],
    example: 'platform node fetch 7 /workspace --out workspace.tar',
  },
  {
    operation: 'nodes.files_put',
    refers: { id: 'node' },
    command: 'node put',
    arguments: ['id', 'path'],
    example: 'platform node put 7 /workspace --file workspace.tar',
  },
  {
    operation: 'nodes.delete',
    refers: { id: 'node' },
    command: 'node rm',
    arguments: ['id'],
    confirm: 'Delete {id} and everything in its container? This cannot be undone.',
  },
];
