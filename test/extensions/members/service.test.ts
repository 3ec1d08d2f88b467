import t from 'tap';
import { connect } from '../../../kernel/client/connect.js';
import { http } from '../../../kernel/client/http.js';
import type { Neighbour } from '../../fixtures/extensions/neighbour/contract.js';
import { fixture, ownExtension } from '../../helpers/platform.js';
import { eachDatabase, failureOf, until, type World } from './world.js';

const extensions = [ownExtension('members'), fixture('neighbour')];

function neighbourOf({ kernel, url }: World, token?: string) {
  return connect<Neighbour['api']>(kernel.operations(), http({ url, token })).nodes;
}

t.test("a member's node is verified if the extension nodes is active", async (t) => {
  await eachDatabase(t, async (t, open) => {
    const admin = await (await open({ extensions })).admin();
    const { id } = await admin.members.create_virtual({ name: 'Otto' });
    t.match(await admin.members.update({ id, remote_node_id: 7 }), { remote_node_id: 7 });
    const unknown = { code: 'invalid_input', status: 400, paths: ['remote_node_id'] };
    t.same(await failureOf(admin.members.update({ id, remote_node_id: 8 })), unknown);
    t.same(await failureOf(admin.members.create({ username: 'robo', is_virtual: true, remote_node_id: 8 })), unknown);
  });
});

t.test('the extension of AI employees provides their details', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const admin = await (await open({ extensions })).admin();
    const { id } = await admin.members.create_virtual({ name: 'Otto' });
    t.match(await admin.members.list_virtual(), [{ id, name: 'Otto', status: 'working', skills: [`skill-${id}`], oversight: true }]);
  });
});

t.test('subscribers handle member events in the transaction of the change, and none of a failed one', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open({ extensions });
    const admin = await world.admin();
    const { id } = await admin.members.create({ username: 'mia', password: '12345678' });
    await failureOf(admin.members.create({ username: 'mia', password: '12345678' }));
    await failureOf(admin.members.update({ id, nickname: 'Mia', remote_node_id: 7 }));
    await admin.members.update({ id, nickname: 'Mia' });
    await admin.members.delete({ id });
    t.same(
      await neighbourOf(world).taken(),
      ['created', 'changed', 'deleted'].map((what) => ({ topic: `members.${what}`, id, is_virtual: false })),
    );
  });
});

t.test("the service joins its caller's transaction", async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open({ extensions });
    t.same(await neighbourOf(world).attempt(), { found: true });
    t.same(await (await world.admin()).members.list_virtual(), []);
  });
});

t.test('other extensions find, add and change members through the service', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open({ extensions });
    const { serve } = neighbourOf(world);
    const ask = (method: string, ...given: unknown[]) => serve({ method, given });
    const made = { id: 2, username: 'otto', nickname: 'Otto', name: 'Otto', post: 'Clerk', mode: 'assistant', status: 'working' };
    t.match(await ask('createVirtual', { name: 'Otto', post: 'Clerk' }), made);
    t.match(await ask('updateVirtual', 2, { mode: 'autonomous' }), { ...made, mode: 'autonomous' });
    t.match(await ask('virtual', 2), { ...made, mode: 'autonomous' });
    t.match(await ask('virtuals'), [{ id: 2 }]);
    t.equal(await ask('virtual', 1), null, 'a person is not an AI employee');
    t.same(await failureOf(ask('updateVirtual', 1, { name: 'x' })), { code: 'member_not_found', status: 404 });
    t.match(await ask('get', 2), { id: 2, is_virtual: true });
    t.equal(await ask('get', 3), null);
    t.match(await ask('require', 1), { id: 1, username: 'admin' });
    t.same(await failureOf(ask('require', 3)), { code: 'member_not_found', status: 404 });
    const many = Array.from({ length: 1_200 }, (_, n) => n);
    t.match(await ask('byIds', [2, 2, 1, ...many]), [{ id: 1 }, { id: 2 }], 'existing members are returned once each');
    t.match(await ask('list', {}), { total: 2 });
    t.match(await ask('defaultAdmin'), { id: 1, role: 'admin' });
    const caller = {
      member_id: 2,
      username: 'otto',
      role: 'member',
      scopes: 'all',
      door: 'tool',
      address: '',
      token_id: '',
      expires_at: 0,
    };
    t.same(await ask('caller', 2, 'tool'), caller);
    t.equal(await ask('firstPassword'), null);
  });
});

t.test('a stream ends with the credential that opened it', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open({ extensions });
    const admin = await world.admin();
    const ways = {
      logout: async (person: Person) => void (await person.client.auth.logout()),
      reset: async ({ id }: Person) => void (await admin.members.reset_password({ id, new_password: 'another-one' })),
      role: async ({ id }: Person) => void (await admin.members.update({ id, role: 'admin' })),
      delete: async ({ id }: Person) => admin.members.delete({ id }),
    };
    for (const [name, end] of Object.entries(ways)) {
      const person = await world.person(`mia-${name}`);
      const other = await world.person(`nia-${name}`);
      const [its, others] = [watch(world, `token=${person.token}`), watch(world, `token=${other.token}`)];
      const { ticket } = await person.client.auth.ticket();
      const ticketed = watch(world, `ticket=${ticket}`);
      await until(() => its.text().includes('begun') && others.text().includes('begun') && ticketed.text().includes('begun'));
      await end(person);
      await until(() => its.ended() && ticketed.ended());
      t.notOk(others.ended(), name);
      others.close();
    }
  });
});

type Person = Awaited<ReturnType<World['person']>>;

/** Reads a stream as it comes. */
function watch({ url }: World, query: string): { text(): string; ended(): boolean; close(): void } {
  let text = '';
  let ended = false;
  const abort = new AbortController();
  const read = async () => {
    const { body } = await fetch(`${url}/api/x/nodes/watch?${query}`, { signal: abort.signal });
    for await (const chunk of body ?? []) text += Buffer.from(chunk).toString();
  };
  void read()
    .catch(() => undefined)
    .finally(() => {
      ended = true;
    });
  return { text: () => text, ended: () => ended, close: () => abort.abort() };
}
