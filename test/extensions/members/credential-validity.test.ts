import t from 'tap';
import type { Authenticator, Caller } from '../../../kernel/contract/index.js';
import { eachDatabase, type World } from './world.js';

function authenticatorOf({ kernel }: World): Authenticator {
  return kernel.host.running.get('members')?.draft.slots.get('authenticator')?.[0] as Authenticator;
}

t.test('callers whose credentials have ended are found', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open();
    const admin = await world.admin();
    const caller = (token: string) => world.kernel.tokenCaller(token, 'http');
    const names = ['stays', 'leaves', 'rises', 'resets', 'goes'] as const;
    const people = await Promise.all(names.map((name) => world.person(name)));
    const [stays, leaves, rises, resets, goes] = people as [Person, Person, Person, Person, Person];
    const tokens = await Promise.all(people.map(async ({ client }) => client.tokens.create({ name: 'script' })));
    const other = await stays.client.tokens.create({ name: 'other' });
    const callers = await Promise.all([...people.map(({ token }) => token), ...tokens.map(({ token }) => token), other.token].map(caller));
    const local = await world.kernel.localCaller('local');
    const demoted: Caller = { ...local, member_id: stays.id };
    const ended = async () =>
      (await authenticatorOf(world).ended([...callers, local, demoted])).map(({ member_id, token_id }) => [member_id, token_id]);
    t.same(await ended(), [[stays.id, '']], 'a caller without a token but with another role');

    await leaves.client.auth.logout();
    await stays.client.tokens.delete({ id: other.id });
    await admin.members.update({ id: rises.id, role: 'admin' });
    await admin.members.reset_password({ id: resets.id, new_password: 'another secret' });
    await admin.members.delete({ id: goes.id });
    const logins = [leaves, rises, resets, goes].map(({ id }, n) => [id, callers[n + 1]?.token_id]);
    const personal = [rises, resets, goes].map(({ id }, n) => [id, `token:${tokens[n + 2]?.id}`]);
    t.same(await ended(), [...logins, ...personal, [stays.id, `token:${other.id}`], [stays.id, '']]);
    t.same(await authenticatorOf(world).ended([]), []);
  });
});

type Person = Awaited<ReturnType<World['person']>>;
