import t from 'tap';
import { SigningKeys } from '../../../extensions/members/keys.js';
import { migrations } from '../../../extensions/members/migrations/index.js';
import { exchange } from '../../../extensions/members/refresh-tokens.js';
import { openStore } from '../../../extensions/members/store.js';
import { eachDatabase } from '../../helpers/databases.js';

const created_at = '2030-01-01T00:00:00.000Z';
const later = '2030-02-01T00:00:00.000Z';
const end = '2030-03-01T00:00:00.000Z';

t.test('expired credentials are swept in batches, and the rest is kept', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('members', migrations);
    const db = data.facade('members');
    const store = openStore(db);
    const { id } = await store.members.insert({ ...person('mia'), created_at });
    await store.transaction(async () => {
      for (let n = 0; n < 1_001; n += 1) {
        const expires_at = n === 0 ? end : later;
        const failed_at = n === 0 ? end : created_at;
        await store.failures.insert({ name_hash: `name-${n}`, address: 'address', network: 'network', device: '', failed_at });
        await store.tickets.insert({ ...ticket(id, `ticket-${n}`), expires_at });
      }
      await store.tokens.insert(
        { member_id: id, hash: 'hash-1' },
        { name: 'old', scopes: ['read'], created_at, expires_at: later, last_used_at: null },
      );
      await store.tokens.insert(
        { member_id: id, hash: 'hash-2' },
        { name: 'endless', scopes: ['read'], created_at, expires_at: null, last_used_at: null },
      );
      await store.logins.insert({ ...login(id, 'old'), expires_at: later });
      await store.logins.insert({ ...login(id, 'new'), expires_at: end });
      await store.keys.create({ kid: 'old', sealed: 'x', created_at, valid_until: later });
      await store.keys.create({ kid: 'new', sealed: 'x', created_at, valid_until: null });
    });
    for (const table of [store.failures, store.tickets, store.tokens, store.logins]) await table.sweep(later);
    const clock = { now: () => Date.parse(later), iso: () => later };
    await new SigningKeys({ store, clock, secrets: { seal: String, open: (sealed) => Buffer.from(sealed) }, access_ttl_s: 60 }).sweep();
    const left = async (table: string, column: string) =>
      (await db.rows<Record<string, string>>(`SELECT ${column} FROM ${table}`)).map((row) => row[column]);
    t.same(await left('members_failures', 'name_hash'), ['name-0']);
    t.same(await left('members_tickets', 'hash'), ['ticket-0']);
    t.same(await left('members_tokens', 'name'), ['endless']);
    t.same(await left('members_logins', 'id'), ['new']);
    t.same(await left('members_keys', 'kid'), ['new']);
  });
});

t.test("a member's 1,001st login ends the one idle longest", async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('members', migrations);
    const store = openStore(data.facade('members'));
    const { id } = await store.members.insert({ ...person('mia'), created_at });
    const time = (n: number) => new Date(Date.parse(created_at) + n).toISOString();
    await store.transaction(async () => {
      for (let n = 0; n <= 1_000; n += 1) await store.logins.insert({ ...login(id, `l${n}`), used_at: time(n === 7 ? -1 : n) });
    });
    t.equal(await store.logins.byId('l7', created_at), undefined);
    for (const kept of ['l0', 'l6', 'l8', 'l1000']) t.match(await store.logins.byId(kept, created_at), { id: kept });
  });
});

t.test('logins and tokens from before sessions were listed go on', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('members', migrations.slice(0, 10));
    const db = data.facade('members');
    const names = 'id, username, username_key, nickname, search, role, is_virtual, created_at';
    const id = 1;
    const mia = [id, 'mia', 'mia', 'mia', 'mia', 'member', false, created_at];
    await db.run(`INSERT INTO members_members (${names}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, mia);
    const columns = 'id, member_id, refresh_hash, mark_key, rotation, address, agent, created_at, used_at, expires_at';
    const values = ['old', id, 'hash', 'key', 7, '192.0.2.1', 'curl', created_at, created_at, end];
    await db.run(`INSERT INTO members_logins (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, values);
    const token = [id, 'hash', 'ci', '["read"]', created_at];
    await db.run('INSERT INTO members_tokens (member_id, hash, name, scopes, created_at) VALUES ($1, $2, $3, $4, $5)', token);
    await data.migrate('members', migrations);

    const store = openStore(db);
    const found = await store.logins.byId('old', created_at);
    t.match(found, { rotation: 7, generation: 0, generation_at: null, other_hashes: [], kind: 'command_line' });
    t.match(exchange(found as NonNullable<typeof found>, { used: 'hash', next: 'next', now: 0 }), { refresh_hash: 'next', generation: 1 });
    t.match(await store.logins.of(id, created_at), [{ id: 'old', address: '192.0.2.1', agent: 'curl' }]);
    t.match(await store.tokens.validOf(id, created_at), [{ name: 'ci', kind: 'token', address: '', last_used_at: null }]);
    t.match(await store.tokens.valid('hash', created_at), { scopes: ['read'] });
  });
});

t.test('deleting a member deletes its credentials', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('members', migrations);
    const db = data.facade('members');
    const store = openStore(db);
    const { id } = await store.members.insert({ ...person('mia'), created_at });
    await store.logins.insert(login(id, 'one'));
    await store.tickets.insert(ticket(id, 'two'));
    await store.tokens.insert(
      { member_id: id, hash: 'three' },
      { name: 'ci', scopes: ['read'], created_at, expires_at: null, last_used_at: null },
    );
    await store.members.delete(id);
    for (const table of ['logins', 'tickets', 'tokens']) t.same(await db.rows(`SELECT * FROM members_${table}`), [], table);
  });
});

function person(username: string) {
  return { username, nickname: username, role: 'member', is_virtual: false, remote_node_id: null, password_hash: 'x' } as const;
}

function login(member_id: number, id: string) {
  return {
    id,
    member_id,
    refresh_hash: 'x',
    mark_key: '',
    rotation: 0,
    generation: 0,
    generation_at: null,
    other_hashes: [],
    kind: 'browser' as const,
    address: '',
    agent: '',
    created_at,
    used_at: created_at,
    expires_at: end,
  };
}

function ticket(member_id: number, hash: string) {
  return { hash, member_id, version: 1, token_id: '', scopes: 'all' as const, valid_until: null, expires_at: end };
}
