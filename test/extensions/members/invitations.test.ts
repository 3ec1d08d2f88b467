import t from 'tap';
import type { AuditRecord } from '../../../kernel/contract/index.js';
import { ownExtension } from '../../helpers/platform.js';
import { startMailServer } from '../../helpers/vendors/mail.js';
import { eachDatabase, eachPair, failureOf, movableClock, until, type World } from './world.js';

const day = 24 * 3_600_000;
const password = 'long enough';
const unknown = { code: 'invitation_not_found', status: 404 };

t.test('an invitation makes one member with its role and address, whatever else is sent', async (t) => {
  await eachPair(t, async (t, _open, shared) => {
    const world = await shared();
    const [admin, nobody] = [await world.admin(), await world.as()];
    const { token, id } = await admin.invitations.create({ email: 'Eva@example.com' });
    t.match(await nobody.auth.invitation({ token }), { email: 'Eva@example.com', role: 'member', invited_by: 'admin' });
    const sent = { token, username: 'eva', nickname: 'Eva', password, role: 'admin', email: 'other@example.com' } as const;
    if (world.way === 'direct') t.match(await failureOf(nobody.auth.accept_invitation(sent)), { code: 'unknown_field' });
    const made = await nobody.auth.accept_invitation({ token, username: 'eva', nickname: 'Eva', password });
    t.match(made, { username: 'eva', nickname: 'Eva', role: 'member', active: true, email: 'Eva@example.com' });
    t.equal((await nobody.auth.login({ username: 'eva', password })).token_type, 'bearer');
    t.same(await failureOf(nobody.auth.invitation({ token })), unknown, 'it is used up');
    t.same(await failureOf(nobody.auth.accept_invitation({ token, username: 'eve', password })), unknown);
    t.same(await failureOf(admin.invitations.get({ id })), unknown);
  });
});

t.test('of many who accept one link at once, one becomes a member', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const worlds = await several(open);
    const admin = await (worlds[0] as World).admin();
    const { token } = await admin.invitations.create({});
    const tries = Array.from({ length: 12 }, async (_, n) => {
      const client = await (worlds[n % worlds.length] as World).as();
      return client.auth.accept_invitation({ token, username: `eva-${n}`, password }).then(
        () => 'joined',
        (fault: { code: string }) => fault.code,
      );
    });
    const outcomes = await Promise.all(tries);
    t.equal(outcomes.filter((outcome) => outcome === 'joined').length, 1);
    t.equal(outcomes.filter((outcome) => outcome === 'invitation_not_found').length, 11);
    t.equal((await admin.members.list({ keyword: 'eva-' })).total, 1);
  });
});

t.test('a refused attempt leaves the invitation as it was', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open({ settings: { 'members.seats': 2 } });
    const [admin, nobody] = [await world.admin(), await world.as()];
    const { token } = await admin.invitations.create({});
    for (const [username, code] of [
      ['ADMIN', 'username_taken'],
      ['me', 'invalid_input'],
    ] as const)
      t.match(await failureOf(nobody.auth.accept_invitation({ token, username, password })), { code }, username);
    const { id } = await admin.members.create({ username: 'ben', password });
    t.match(await failureOf(nobody.auth.accept_invitation({ token, username: 'eva', password })), { code: 'seat_limit_reached' });
    await admin.members.delete({ id });
    t.equal((await nobody.auth.accept_invitation({ token, username: 'eva', password })).username, 'eva');
  });
});

t.test('an invitation ends after seven days, when it is withdrawn, and with the rights of who made it', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ clock });
    const [admin, nobody] = [await world.admin(), await world.as()];
    const second = await admin.members.create({ username: 'boss', password, role: 'admin' });
    const boss = async () => world.as((await nobody.auth.login({ username: 'boss', password })).access_token);
    const fails = async ({ token }: { token: string }, why: string) => {
      t.same(await failureOf(nobody.auth.invitation({ token })), unknown, why);
      t.same(await failureOf(nobody.auth.accept_invitation({ token, username: 'eva', password })), unknown, why);
    };
    const withdrawn = await admin.invitations.create({});
    await admin.invitations.delete({ id: withdrawn.id });
    await fails(withdrawn, 'withdrawn');
    for (const [why, end, again] of [
      ['demoted', { role: 'member' }, { role: 'admin' }],
      ['inactive', { active: false }, { active: true }],
    ] as const) {
      const made = await (await boss()).invitations.create({ role: 'admin' });
      await admin.members.update({ id: second.id, ...end });
      await admin.members.update({ id: second.id, ...again });
      await fails(made, why);
    }
    const orphaned = await (await boss()).invitations.create({});
    await admin.members.delete({ id: second.id });
    await fails(orphaned, 'deleted');
    const old = await admin.invitations.create({});
    clock.forward(7 * day - 60_000);
    t.equal((await nobody.auth.invitation({ token: old.token })).role, 'member');
    clock.forward(120_000);
    await fails(old, 'expired');
    const later = await world.admin();
    t.same(await later.invitations.list(), []);
  });
});

t.test('an address that a member got meanwhile is not given twice', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open();
    const [admin, nobody] = [await world.admin(), await world.as()];
    const { token } = await admin.invitations.create({ email: 'eva@example.com' });
    await admin.members.create({ username: 'first', password, email: 'EVA@example.com' });
    t.match(await nobody.auth.accept_invitation({ token, username: 'eva', password }), { email: null });
    t.match(await failureOf(admin.members.create({ username: 'third', password, email: 'eva@Example.com' })), { code: 'email_taken' });
  });
});

t.test('no link is stored, logged or in the audit trail', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open({ settings: { log_level: 'debug', 'members.seats': 2 } });
    const [admin, nobody] = [await world.admin(), await world.as()];
    const { token, id } = await admin.invitations.create({ email: 'eva@example.com' });
    await nobody.auth.invitation({ token });
    await fetch(`${world.url}/invitation/${token}`, { headers: { accept: 'text/html' } });
    const other = await admin.members.create({ username: 'ben', password: 'another password' });
    await failureOf(nobody.auth.accept_invitation({ token, username: 'eva', password }));
    await admin.members.delete({ id: other.id });
    const made = await nobody.auth.accept_invitation({ token, username: 'eva', password });
    const audit = async () =>
      (await world.kernel.invoke('audit.list', { limit: 200 }, await world.kernel.localCaller('direct'))).body as AuditRecord[];
    const accepted = async () => (await audit()).filter(({ operation }) => operation === 'auth.accept_invitation');
    await until(async () => (await accepted()).length === 2);
    const [refused, added] = (await accepted()).sort((one, other) => (one.outcome < other.outcome ? -1 : 1));
    t.match(added, { outcome: 'success', target: String(made.id), username: 'eva', member_id: made.id });
    t.match(refused, { outcome: 'seat_limit_reached', target: '', username: '' });
    const body = await audit();
    t.match(
      body.find(({ operation }) => operation === 'invitations.create'),
      { target: String(id), username: 'admin' },
    );
    const seen = JSON.stringify([body, world.lines]);
    t.notOk(seen.includes(token), 'the token');
    t.notOk(seen.includes(password), 'the password');
  });
});

t.test('the link is mailed if there is a mail server, and the reason shown if it refuses', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const refused = (address: string) =>
      address.startsWith('bad') ? Object.assign(new Error('5.1.1 Nobody here'), { responseCode: 550 }) : undefined;
    const server = await startMailServer(t, { recipient: refused });
    const smtp = {
      'notifications.smtp.host': '127.0.0.1',
      'notifications.smtp.port': server.port,
      'notifications.smtp.secure': 'none',
    } as const;
    const extensions = ['members', 'notifications'].map(ownExtension);
    const world = await open({ extensions, settings: { ...smtp, base_url: 'https://work.example/team' } });
    const admin = await world.admin();
    const made = await admin.invitations.create({ email: 'eva@example.com' });
    t.match(made, { mailed: true, mail_error: null, link: `https://work.example/team/invitation/${made.token}` });
    t.match(server.mails, [{ to: ['eva@example.com'] }]);
    t.ok(server.mails[0]?.text.replaceAll(/=\r?\n/g, '').includes(made.link));
    t.match(server.mails[0]?.text, /Subject: admin invites you/);
    t.match(await admin.invitations.create({ email: 'bad@example.com' }), {
      mailed: false,
      mail_error: /refused the address.*Nobody here/,
    });
    t.match(await admin.invitations.create({}), { mailed: false, mail_error: null });
    t.equal(server.mails.length, 1);

    const nowhere = await open({ extensions, settings: smtp });
    t.match(await (await nowhere.admin()).invitations.create({ email: 'eva@example.com' }), {
      mailed: false,
      mail_error: /PLATFORM_BASE_URL/,
    });
  });
});

/** Instances on one database: three on PostgreSQL, one on SQLite. */
async function several(open: (options?: object) => Promise<World>): Promise<World[]> {
  const first = await open({ settings: { secret_key: 'a key that all instances know, 32+' } });
  if (!first.database_url.startsWith('postgres')) return [first];
  const settings = { database_url: first.database_url, secret_key: 'a key that all instances know, 32+' };
  return [first, await open({ settings }), await open({ settings })];
}
