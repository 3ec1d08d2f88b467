import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import t from 'tap';
import { publicText, signBundle } from '../../../kernel/platform/bundles/signature.js';
import { openData } from '../../../kernel/platform/data/hub.js';
import { silentLog, systemClock } from '../../helpers/databases.js';
import type { TestPlatform } from '../../helpers/platform.js';
import { hashOf, pluginZip } from '../../kernel/core/plugins/bundle.js';
import { onEach, publish } from './world.js';

const { privateKey: acme } = generateKeyPairSync('ed25519');
const { privateKey: stranger } = generateKeyPairSync('ed25519');

const zipOf = (version: string) => pluginZip({ version });
const signed = (key: KeyObject, version: string, zip = zipOf(version)) =>
  signBundle({ id: 'guest', version, content_hash: hashOf(zip) }, key);

/** Puts another key beside every signature, past the platform. */
async function tampered({ data_dir, database_url }: TestPlatform, public_key: string): Promise<void> {
  const data = await openData({ url: database_url, data_dir, clock: systemClock, log: silentLog });
  try {
    await data.facade('marketplace').run('UPDATE marketplace_versions SET public_key = $1', [public_key]);
  } finally {
    await data.close();
  }
}

t.test('keys can be trusted, listed and distrusted', async (t) => {
  await onEach(t, async (t, { admin, ada }) => {
    const { marketplace } = admin;
    t.strictSame(await marketplace.trusted_keys({}), { items: [], total: 0 });
    const key = await marketplace.trust_key({ name: '  Acme ', public_key: publicText(acme) });
    t.match(key, { name: 'Acme', public_key: publicText(acme), added_by: { member_id: 1, username: 'admin' } });
    await marketplace.trust_key({ name: 'A stranger', public_key: publicText(stranger) });
    t.match(await marketplace.trusted_keys({}), { items: [{ name: 'A stranger' }, key], total: 2 }, 'the keys are sorted by name');
    await t.rejects(marketplace.trust_key({ name: 'Again', public_key: publicText(acme) }), { code: 'key_trusted', message: /as 'Acme'$/ });
    const weak = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]).toString('base64');
    for (const public_key of ['x', `${publicText(acme)} `, weak]) {
      await t.rejects(marketplace.trust_key({ name: 'Bad', public_key }), { code: 'key_invalid' }, public_key);
    }
    await t.rejects(marketplace.trust_key({ name: 'two\nlines', public_key: publicText(acme) }), { code: 'invalid_input' });
    const refused: Promise<unknown>[] = [
      ada.client.marketplace.trusted_keys({}),
      ada.client.marketplace.trust_key({ name: 'Mine', public_key: publicText(acme) }),
      ada.client.marketplace.distrust_key({ id: key.id }),
    ];
    for (const work of refused) await t.rejects(work, { code: 'forbidden' });
    await marketplace.distrust_key({ id: key.id });
    await t.rejects(marketplace.distrust_key({ id: key.id }), { code: 'key_not_found' });
    t.equal((await marketplace.trusted_keys({})).total, 1);
  });
});

t.test('at most two hundred keys can be trusted', async (t) => {
  await onEach(t, async (t, { admin }) => {
    const trust = () =>
      admin.marketplace.trust_key({ name: 'One of many', public_key: publicText(generateKeyPairSync('ed25519').publicKey) });
    for (let n = 0; n < 200; n += 1) await trust();
    await t.rejects(trust(), { code: 'too_many_keys' });
    t.equal((await admin.marketplace.trusted_keys({})).total, 200);
  });
});

t.test('a signature is verified at publication, stored, shown and compared', async (t) => {
  await onEach(t, async (t, { admin, ada }) => {
    const zip = zipOf('1.0.0');
    const { public_key, signature } = signed(acme, '1.0.0');
    const wrong: Record<string, object> = {
      'of another version': signed(acme, '1.0.1'),
      'of another content': signed(acme, '1.0.0', zipOf('2.0.0')),
      'of another key': { ...signed(acme, '1.0.0'), public_key: publicText(stranger) },
    };
    for (const [name, more] of Object.entries(wrong))
      await t.rejects(publish(ada, zip, more), { code: 'signature_invalid', status: 400 }, name);
    for (const more of [{ public_key }, { signature }]) await t.rejects(publish(ada, zip, more), { code: 'invalid_input' });
    await publish(ada, zip, { public_key, signature });
    const name = { id: 'guest', version: '1.0.0' };
    t.match(await admin.marketplace.review(name), { signature: { public_key, signature }, signature_change: 'added', signed_by: null });
    await admin.marketplace.approve(name);
    await admin.marketplace.trust_key({ name: 'Acme', public_key });
    const detail = await ada.client.marketplace.get({ id: 'guest', upstream: false });
    t.match(detail, { signature: { public_key, signature }, signed_by: 'Acme', versions: [{ signature: { public_key } }] });

    const changes = { changed: signed(stranger, '1.1.0'), none: signed(acme, '1.2.0'), removed: {} };
    for (const [index, [change, more]] of Object.entries(changes).entries()) {
      const version = `1.${index + 1}.0`;
      await publish(ada, zipOf(version), more);
      t.match(await admin.marketplace.review({ id: 'guest', version }), { compared_with: '1.0.0', signature_change: change });
    }
  });
});

t.test('with required trust only versions signed by a trusted key are approved and installed', async (t) => {
  await onEach(
    t,
    async (t, { admin, ada }) => {
      const name = (version: string) => ({ id: 'guest', version });
      const install = (version: string) => admin.marketplace.install({ ...name(version), accept_permissions: false });
      await publish(ada, zipOf('1.0.0'));
      await t.rejects(admin.marketplace.approve(name('1.0.0')), { code: 'signature_untrusted', status: 409, message: /is not signed/ });
      await publish(ada, zipOf('1.1.0'), signed(acme, '1.1.0'));
      await t.rejects(admin.marketplace.approve(name('1.1.0')), {
        code: 'signature_untrusted',
        message: `guest 1.1.0 is signed by the key ${publicText(acme)}, which is not trusted here: an administrator who knows its owner can add it to the trusted keys`,
      });
      t.match(await admin.marketplace.review(name('1.1.0')), { status: 'under_review' }, 'the version is still under review');
      const key = await admin.marketplace.trust_key({ name: 'Acme', public_key: publicText(acme) });
      await admin.marketplace.approve(name('1.1.0'));
      await admin.marketplace.distrust_key({ id: key.id });
      await t.rejects(install('1.1.0'), { code: 'signature_untrusted' }, 'the key was trusted at the approval');
      t.strictSame((await admin.marketplace.installed({})).items, []);
      await admin.marketplace.trust_key({ name: 'Acme again', public_key: publicText(acme) });
      t.match(await install('1.1.0'), { changed: true });
      t.match(await admin.marketplace.installed({}), { items: [{ id: 'guest', signed_by: 'Acme again' }] });
    },
    { settings: { 'marketplace.require_trusted': true } },
  );
});

t.test('a signature changed in the database is detected at installation', async (t) => {
  await onEach(t, async (t, { admin, ada, platform }) => {
    await publish(ada, zipOf('1.0.0'), signed(acme, '1.0.0'));
    await admin.marketplace.approve({ id: 'guest', version: '1.0.0' });
    await tampered(platform, publicText(stranger));
    await t.rejects(admin.marketplace.install({ id: 'guest', accept_permissions: false }), { code: 'signature_invalid' });
    t.strictSame((await admin.marketplace.installed({})).items, []);
  });
});
