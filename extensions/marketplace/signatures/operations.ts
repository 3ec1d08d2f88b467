import type { Joi, Operations } from '../../../kernel/contract/index.js';
import type { TrustedKeysApi } from './contract.js';

const trustedKey = (j: Joi) =>
  j
    .object({
      id: j.number().integer().required(),
      name: j.string().required(),
      public_key: j.string().required(),
      added_by: j.object({ member_id: j.number().integer().required(), username: j.string().required() }).required(),
      created_at: j.string().isoDate().required(),
    })
    .label('TrustedKey');

/** Operations on trusted keys. */
export const trustedKeyOperations = {
  'marketplace.trusted_keys': {
    summary: 'Lists the trusted keys of publishers.',
    method: 'GET',
    path: '/api/admin/marketplace/trusted-keys',
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object({}),
    answer: (j) => j.object({ items: j.array().items(trustedKey(j)).required(), total: j.number().integer().min(0).required() }),
  },
  'marketplace.trust_key': {
    summary: "Trusts a publisher's key: everything signed with it counts as theirs.",
    method: 'POST',
    path: '/api/admin/marketplace/trusted-keys',
    who: 'admin',
    audience: 'admin',
    input: (j) =>
      j.object({
        name: j
          .string()
          .trim()
          .min(1)
          .max(64)
          .pattern(/^[^\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]*$/u, 'one line')
          .required()
          .description('Name of the publisher'),
        public_key: j.string().max(200).required().description("Base64 of an Ed25519 key's 32 bytes, as printed by `extension publish`"),
      }),
    answer: trustedKey,
    status: 201,
    failures: ['key_invalid', 'key_trusted', 'too_many_keys'],
    dangerous: true,
    audited: true,
    idempotent: 'data',
  },
  'marketplace.distrust_key': {
    summary: 'Stops trusting a key; installed extensions stay.',
    method: 'DELETE',
    path: '/api/admin/marketplace/trusted-keys/{id}',
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object({ id: j.number().integer().min(1).max(2_147_483_647).required() }),
    failures: ['key_not_found'],
    dangerous: true,
    audited: true,
  },
} satisfies Operations<TrustedKeysApi>;
