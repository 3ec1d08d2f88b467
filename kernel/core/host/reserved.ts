import type { Manifest } from '../../contract/manifest.js';

/**
 * First words of names that no manifest says: of the marketplace's and the kernel's own operations and paths, of the frames that clients
 * get, of channels, and of what would be taken for the platform itself.
 */
const words: ReadonlySet<string> = new Set([
  ...['search', 'install', 'publish', 'installed', 'kernel'],
  ...['plugins', 'catalog', 'version', 'checks', 'status', 'maintenance', 'audit', 'backups', 'http', 'system'],
  ...['scim', 'files', 'rooms', 'invitations', 'device', 'oidc'],
  ...['api', 'ws', 'docs', 'metrics', 'healthz', 'readyz', 'openapi', 'assets', 'admin', 'x'],
  ...['hello', 'ack', 'error', 'ping', 'pong', 'resync', 'subscribe', 'unsubscribe', 'log', 'extension', 'extensions'],
  ...[
    'message',
    'task',
    'session',
    'room',
    'node',
    'schedule',
    'approval',
    'notification',
    'presence',
    'typing',
    'read',
    'unread',
    'reaction',
  ],
  ...['web', 'webhook', 'email', 'slack', 'feishu', 'dingtalk', 'wecom', 'telegram'],
]);

/** Whether nobody may publish under this id: its names would be taken for the platform's. `taken`: what {@link wordsOf} gives. */
export function isReserved(id: string, taken: readonly string[]): boolean {
  const [first = ''] = id.split('.');
  return words.has(first) || first.startsWith('platform') || taken.includes(first);
}

/** The first words of what the platform's own extensions have: their ids, operations (actions and tools are among them), paths, and channels. */
export function wordsOf(manifests: readonly Manifest[]): string[] {
  const all = manifests.flatMap(({ id, claims = [], contributes = {} }) => [
    id,
    ...claims.flatMap((claim) => claim.split('/').filter((part) => part !== '')),
    ...Object.keys(contributes.operations ?? {}).map(firstWord),
    ...(contributes.channels ?? []).map(firstWord),
    ...(contributes.topics ?? []).map(({ name }) => firstWord(name)),
  ]);
  return [...new Set(all)];
}

function firstWord(name: string): string {
  return name.split('.', 1)[0] as string;
}
