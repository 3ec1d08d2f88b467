import { generateKeyPairSync } from 'node:crypto';
import { publicText } from '../../../kernel/platform/bundles/signature.js';
import { goodSkill, sha256, skillManifest } from '../../kernel/platform/bundles/world.js';
import { zipOf } from '../../kernel/platform/bundles/zip.js';
import type { Side } from '../side.js';
import type { Row, Uses } from '../table.js';

interface Named {
  id: string;
  version: string;
}

const skill = (id: string, version = '1.0.0') => zipOf(goodSkill({ ...skillManifest, id, version, tags: ['writing'], category: 'office' }));
const upload = (bytes: Buffer) => ({ type: 'skill', file: { name: 'bundle.zip', bytes } });

/** A version that waits for its review, published by ada. */
const waiting =
  (rest: object = {}) =>
  async (side: Side): Promise<Named> => {
    await makeRoom(side);
    const { id, version } = await side.give<Named>('marketplace.publish', upload(skill(side.newName())), 'ada');
    return { id, version, ...rest };
  };

/** A member has few versions under review; those of earlier rows nobody needs any more. */
async function makeRoom(side: Side): Promise<void> {
  const { items, total } = await side.give<{ items: Named[]; total: number }>('marketplace.reviews', { status: 'under_review' });
  if (total < 10) return;
  for (const { id, version } of items) await side.give('marketplace.reject', { id, version, reason: 'It is in the way' });
}

const approved =
  (rest: object = {}) =>
  async (side: Side): Promise<Named> => {
    const { id, version } = await waiting()(side);
    await side.give('marketplace.approve', { id, version });
    return { id, version, ...rest };
  };

const judged = (operation: string, first: (side: Side) => Promise<Named>) => async (side: Side) => {
  const name = await first(side);
  await side.give(operation, { ...name, reason: 'It was so decided' });
  return name;
};
const rejected = judged('marketplace.reject', waiting());
const yanked = judged('marketplace.yank', approved());

const installed =
  (rest: object = {}) =>
  async (side: Side) => {
    const { id } = await approved()(side);
    await side.give('marketplace.install', { id });
    return { id, ...rest };
  };

const idOf = (made: (side: Side) => Promise<Named>) => async (side: Side) => ({ id: (await made(side)).id });

const unknown: Named = { id: 'nothing', version: '1.0.0' };
const noVersion = (name: string, code: string, rest: object = {}): Row => ({ name, input: { ...unknown, ...rest }, code });
const badId: Row = { name: 'an invalid id', input: { ...unknown, id: 'Not An Id' }, code: 'invalid_input' };
const badVersion: Row = { name: 'an invalid version', input: { ...unknown, version: '1 0' }, code: 'invalid_input' };
const refused = (name: string, bytes: Buffer, code: string, more: object = {}): Row => ({
  name,
  input: { ...upload(bytes), ...more },
  code,
});

/** Keys of their own, the same on every side. */
const keys = new Map<string, string>();
const keyOf = (name: string) => {
  const key = keys.get(name) ?? publicText(generateKeyPairSync('ed25519').publicKey);
  keys.set(name, key);
  return { name, public_key: key };
};
const newKey = (side: Side) => keyOf(side.newName());
const trusted = async (side: Side) => {
  const key = newKey(side);
  return { ...key, ...(await side.give<{ id: number }>('marketplace.trust_key', key)) };
};

export const marketplaceRows: Record<string, Uses> = {
  'marketplace.search': {
    success: [
      {
        name: 'finds by a word, type, category and tags',
        input: async (side) => ({ query: (await approved()(side)).id.toUpperCase(), type: 'skill', category: 'office', tags: 'writing' }),
        body: { items: [{ name: 'Reports', version: '1.0.0', downloads: 0, source: null }], total: 1, unavailable: [] },
      },
      { name: 'finds nothing', input: { query: 'nothing is called so' }, body: { items: [], total: 0 } },
      {
        name: 'does not find a version under review',
        input: async (side) => ({ query: (await waiting()(side)).id }),
        body: { items: [], total: 0 },
      },
    ],
    failures: [
      { name: 'an invalid type', input: { type: 'theme' }, code: 'invalid_input' },
      { name: 'an invalid page', input: { limit: 0 }, code: 'invalid_input' },
    ],
  },
  'marketplace.installed': {
    success: [
      { name: 'lists all of them', input: async (side) => (await installed()(side)) && {}, body: { items: [{ state: 'active' }] } },
    ],
    failures: [],
    cannot_fail: 'It takes nothing',
  },
  'marketplace.get': {
    success: [
      {
        name: 'returns one',
        input: idOf(approved()),
        body: { status: 'approved', publisher: { username: 'ada' }, versions: [{ version: '1.0.0' }], contributes: { operations: [] } },
      },
    ],
    failures: [
      { name: 'an unknown id', input: { id: 'nothing' }, code: 'extension_not_found' },
      { name: 'a version under review', input: idOf(waiting()), code: 'extension_not_found' },
      { name: 'an invalid id', input: { id: 'x' }, code: 'invalid_input' },
    ],
  },
  'marketplace.version': {
    success: [
      { name: 'returns one', asker: 'bob', input: approved(), body: { status: 'approved', reason: null } },
      { name: "the caller's version under review", input: waiting(), body: { status: 'under_review' } },
    ],
    failures: [
      noVersion('an id that nothing has', 'extension_not_found'),
      { name: "another member's version under review", asker: 'bob', input: waiting(), code: 'extension_not_found' },
      badId,
      badVersion,
    ],
  },
  'marketplace.download': {
    success: [{ name: 'returns the ZIP', asker: 'bob', input: approved() }],
    failures: [
      noVersion('an id that nothing has', 'version_not_found'),
      { name: "another member's version under review", asker: 'bob', input: waiting(), code: 'version_not_found' },
      { name: 'a rejected one', input: rejected, code: 'version_gone' },
      badId,
    ],
  },
  'marketplace.publish': {
    success: [
      {
        name: 'publishes a skill',
        input: (side) => upload(skill(side.newName())),
        body: { type: 'skill', status: 'under_review', checks: [{ code: 'archive', ok: true }] },
      },
      {
        name: 'returns the hash of the ZIP',
        input: upload(skill('acme.hashed')),
        body: { id: 'acme.hashed', content_hash: sha256(skill('acme.hashed')) },
      },
      {
        name: 'the number of a rejected version again',
        input: async (side) => upload(skill((await rejected(side)).id)),
        body: { version: '1.0.0', status: 'under_review' },
      },
    ],
    failures: [
      refused('no ZIP', Buffer.from('no ZIP at all '.repeat(10)), 'bundle_not_zip'),
      refused('another type', skill('acme.typed'), 'bundle_type_mismatch', { type: 'plugin' }),
      refused('a reserved id', skill('members'), 'id_reserved'),
      refused('a type that is none', skill('acme.typed'), 'invalid_input', { type: 'theme' }),
      refused('a key without a signature', skill('acme.typed'), 'invalid_input', { public_key: keyOf('half').public_key }),
      refused('a forged signature', skill('acme.typed'), 'signature_invalid', {
        public_key: keyOf('half').public_key,
        signature: Buffer.alloc(64).toString('base64'),
      }),
      { name: 'the same version again', input: async (side) => upload(skill((await waiting()(side)).id)), code: 'version_exists' },
      {
        name: "under another member's id",
        asker: 'bob',
        input: async (side) => upload(skill((await waiting()(side)).id, '2.0.0')),
        code: 'not_owner',
      },
    ],
  },
  'marketplace.install': {
    success: [
      { name: 'the newest', input: idOf(approved()), body: { version: '1.0.0', status: 'installed', changed: true, previous: null } },
      { name: 'the newest, by an empty version', input: approved({ version: '' }), body: { version: '1.0.0', changed: true } },
      { name: 'one version', input: approved(), body: { version: '1.0.0', changed: true } },
      { name: 'the same version again', input: installed(), body: { changed: false } },
    ],
    failures: [
      noVersion('an id that nothing has', 'extension_not_found'),
      { name: 'a version under review', input: waiting(), code: 'extension_not_found' },
      { name: 'a yanked one', input: yanked, code: 'extension_not_found' },
      { name: 'an unknown version', input: approved({ version: '9.9.9' }), code: 'version_not_found' },
      { name: 'an unknown source', input: approved({ source: 'https://nowhere.example' }), code: 'source_not_found' },
      badId,
    ],
  },
  'marketplace.uninstall': {
    success: [
      { name: 'removes it', input: installed(), body: { status: 'uninstalled', released: { operations: 0, process: 0 } } },
      { name: 'removes its data too', input: installed({ purge: true }), body: { status: 'uninstalled' } },
    ],
    failures: [
      { name: 'one that is not installed', input: idOf(approved()), code: 'extension_not_found' },
      { name: "one of the platform's own", input: { id: 'chat' }, code: 'extension_required' },
      { name: 'an invalid id', input: { id: 'x' }, code: 'invalid_input' },
    ],
  },
  'marketplace.reviews': {
    success: [
      {
        name: 'lists waiting ones, latest first',
        input: async (side) => ({ status: 'under_review', limit: 1, ...((await waiting()(side)) && {}) }),
        body: { items: [{ status: 'under_review', publisher: { username: 'ada' }, reviewed_at: null }] },
      },
    ],
    failures: [
      { name: 'an invalid status', input: { status: 'odd' }, code: 'invalid_input' },
      { name: 'an invalid page', input: { offset: -1 }, code: 'invalid_input' },
    ],
  },
  'marketplace.review': {
    success: [
      {
        name: 'returns a version under review',
        input: waiting(),
        body: { compared_with: null, signature_change: 'none', manifest: { type: 'skill' } },
      },
      {
        name: 'lists decided ones too',
        input: rejected,
        body: { status: 'rejected', reason: 'It was so decided', reviewed_by: { username: 'admin' } },
      },
    ],
    failures: [noVersion('an id that nothing has', 'version_not_found'), badId, badVersion],
  },
  'marketplace.approve': {
    success: [{ name: 'approves it', input: waiting(), body: { status: 'approved' } }],
    failures: [
      noVersion('an id that nothing has', 'version_not_found'),
      { name: 'the same decision again', input: approved(), code: 'wrong_state' },
      { name: 'a rejected one', input: rejected, code: 'wrong_state' },
      {
        name: 'content that differs from the reviewed one',
        input: waiting({ content_hash: `sha256:${'0'.repeat(64)}` }),
        code: 'content_changed',
      },
      badId,
    ],
  },
  'marketplace.reject': {
    success: [{ name: 'rejects it', input: waiting({ reason: 'No' }), body: { status: 'rejected', reason: 'No' } }],
    failures: [
      noVersion('an id that nothing has', 'version_not_found', { reason: 'No' }),
      { name: 'an approved one', input: approved({ reason: 'No' }), code: 'wrong_state' },
      { name: 'without a reason', input: waiting(), code: 'invalid_input' },
    ],
  },
  'marketplace.yank': {
    success: [{ name: 'withdraws it', input: approved(), body: { status: 'yanked', reason: null } }],
    failures: [
      noVersion('an id that nothing has', 'version_not_found'),
      { name: 'a version under review', input: waiting(), code: 'wrong_state' },
      { name: 'the same decision again', input: yanked, code: 'wrong_state' },
      badVersion,
    ],
  },
  'marketplace.transfer': {
    success: [
      {
        name: 'transfers it to another',
        input: async (side) => ({ id: (await approved()(side)).id, member_id: 1 }),
        body: { owner: { username: 'admin' } },
      },
    ],
    failures: [
      { name: 'an unknown id', input: { id: 'nothing', member_id: 1 }, code: 'extension_not_found' },
      {
        name: 'to an unknown member',
        input: async (side) => ({ id: (await approved()(side)).id, member_id: 999_999 }),
        code: 'member_not_found',
      },
      { name: 'an invalid target id', input: { id: 'nothing', member_id: 'ada' }, code: 'invalid_input' },
    ],
  },
  'marketplace.trusted_keys': {
    success: [
      {
        name: 'lists all of them',
        input: async (side) => (await trusted(side)) && {},
        body: { items: [{ added_by: { username: 'admin' } }] },
      },
    ],
    failures: [],
    cannot_fail: 'It takes nothing',
  },
  'marketplace.trust_key': {
    success: [{ name: 'trusts one', input: newKey, body: { added_by: { username: 'admin' } } }],
    failures: [
      { name: 'an invalid key', input: { name: 'Acme', public_key: 'no key' }, code: 'key_invalid' },
      {
        name: 'a weak key that anyone can sign for',
        input: { name: 'Acme', public_key: Buffer.alloc(32).toString('base64') },
        code: 'key_invalid',
      },
      {
        name: 'the same decision again',
        input: async (side) => {
          const key = newKey(side);
          await side.give('marketplace.trust_key', key);
          return key;
        },
        code: 'key_trusted',
      },
      { name: 'without a name', input: { name: ' ', public_key: 'x' }, code: 'invalid_input' },
    ],
  },
  'marketplace.distrust_key': {
    success: [{ name: 'distrusts it', input: async (side) => ({ id: (await trusted(side)).id }) }],
    failures: [
      { name: 'an unknown id', input: { id: 999_999 }, code: 'key_not_found' },
      { name: 'an invalid id', input: { id: 'first' }, code: 'invalid_input' },
    ],
  },
};
