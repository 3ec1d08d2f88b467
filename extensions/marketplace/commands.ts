import type { CommandHint } from '../../kernel/contract/index.js';

const columns = ['id', 'type', 'version', 'name', 'downloads', 'installed_version', 'description'];
const named = ['id', 'version'];
const keyColumns = ['id', 'name', 'public_key', 'created_at'];
const reviewColumns = ['id', 'version', 'type', 'status', 'publisher.username', 'created_at', 'reviewed_at', 'reason'];

/** Command line form of the operations. */
export const commands: readonly CommandHint[] = [
  {
    operation: 'marketplace.search',
    command: 'extension search',
    arguments: ['query'],
    columns,
    example: 'platform extension search webhooks --type plugin',
  },
  {
    operation: 'marketplace.get',
    command: 'extension info',
    arguments: ['id'],
    columns: [
      ...columns,
      'author',
      'license',
      'homepage',
      'tags',
      'permissions',
      'contributes',
      'publisher.username',
      'signed_by',
      'source',
      'content_hash',
      'versions',
      'readme',
    ],
    example: 'platform extension info acme.webhooks',
  },
  {
    operation: 'marketplace.version',
    command: 'extension version',
    arguments: named,
    columns: [...columns, 'status', 'reason', 'content_hash', 'permissions'],
    example: 'platform extension version acme.webhooks 1.2.0',
  },
  {
    operation: 'marketplace.download',
    command: 'extension download',
    arguments: named,
    example: 'platform extension download acme.webhooks 1.2.0 --out acme.zip',
  },
  {
    operation: 'marketplace.install',
    command: 'extension install',
    arguments: named,
    columns: ['id', 'version', 'previous', 'changed', 'permissions'],
    confirm: 'Install {id} with the permissions it requests? `platform extension info` shows them.',
    example: 'platform extension install acme.webhooks 1.2.0 --accept-permissions',
  },
  {
    operation: 'marketplace.installed',
    command: 'extension list',
    columns: ['id', 'type', 'version', 'state', 'has_update', 'latest_version', 'yanked', 'source', 'installed_at', 'error'],
  },
  {
    operation: 'marketplace.uninstall',
    command: 'extension rm',
    arguments: ['id'],
    refers: { id: 'installed extension' },
    columns: ['id', 'status', 'released'],
    confirm: 'Remove {id}? Its data stays unless --purge is given.',
    example: 'platform extension rm acme.webhooks --purge --yes',
  },
  {
    operation: 'marketplace.reviews',
    command: 'extension reviews',
    columns: reviewColumns,
    example: 'platform extension reviews --status under_review',
  },
  {
    operation: 'marketplace.review',
    command: 'extension review',
    arguments: named,
    columns: [...reviewColumns, 'content_hash', 'compared_with', 'permissions', 'signature_change', 'contributes', 'checks', 'files'],
    example: 'platform extension review acme.webhooks 1.2.0',
  },
  {
    operation: 'marketplace.approve',
    command: 'extension approve',
    arguments: named,
    columns: reviewColumns,
    confirm: false,
    example: 'platform extension approve acme.webhooks 1.2.0',
  },
  {
    operation: 'marketplace.reject',
    command: 'extension reject',
    arguments: [...named, 'reason'],
    columns: reviewColumns,
    confirm: false,
    example: "platform extension reject acme.webhooks 1.2.0 'It requests network access without need'",
  },
  {
    operation: 'marketplace.yank',
    command: 'extension yank',
    arguments: [...named, 'reason'],
    columns: reviewColumns,
    confirm: false,
    example: "platform extension yank acme.webhooks 1.2.0 'It loses messages'",
  },
  {
    operation: 'marketplace.transfer',
    refers: { member_id: 'member' },
    command: 'extension transfer',
    arguments: ['id', 'member_id'],
    confirm: false,
    example: 'platform extension transfer acme.webhooks 7',
  },
  { operation: 'marketplace.trusted_keys', command: 'extension keys', columns: keyColumns },
  {
    operation: 'marketplace.trust_key',
    command: 'extension trust',
    arguments: ['name', 'public_key'],
    columns: keyColumns,
    confirm: 'Trust the key of {name}? Everything signed with it counts as theirs.',
    example: 'platform extension trust Acme O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik=',
  },
  {
    operation: 'marketplace.distrust_key',
    command: 'extension distrust',
    arguments: ['id'],
    refers: { id: 'trusted key' },
    confirm: 'Stop trusting {id}? Installed extensions stay.',
  },
];
