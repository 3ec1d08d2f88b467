import type { CommandHint } from '../../../kernel/contract/index.js';

const columns = ['id', 'name', 'public_key', 'created_at'];

/** How the list of trusted keys reads on the command line. */
export const trustedKeyCommands: readonly CommandHint[] = [
  { operation: 'marketplace.trusted_keys', command: 'extension keys', columns },
  {
    operation: 'marketplace.trust_key',
    command: 'extension trust',
    arguments: ['name', 'public_key'],
    columns,
    confirm: 'Trust the key of {name}? Whatever it has signed counts as theirs.',
    example: 'platform extension trust Acme O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik=',
  },
  {
    operation: 'marketplace.distrust_key',
    command: 'extension distrust',
    arguments: ['id'],
    refers: { id: 'trusted key' },
    confirm: 'Stop trusting {id}? What is installed stays.',
  },
];
