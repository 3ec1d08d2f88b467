import type { Manifest } from '../../contract/manifest.js';

/**
 * Reserved first words of names that no manifest lists: operations and paths of the marketplace and the kernel, frames sent to clients,
 * channels, and names that look like the platform's.
 */
const reserved_words: ReadonlySet<string> = new Set([
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

/** Returns whether an id is reserved, because its names would look like the platform's. `taken` is the result of {@link reservedWords}. */
export function isReserved(id: string, taken: readonly string[]): boolean {
  const [first = ''] = id.split('.');
  return reserved_words.has(first) || first.startsWith('platform') || taken.includes(first);
}

/** Returns the first words used by the built-in extensions: ids, operations (including actions and tools), paths, channels, topics. */
export function reservedWords(manifests: readonly Manifest[]): string[] {
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
