import t from 'tap';
import { eachDatabase, failureOf, movableClock } from './world.js';

const day = 24 * 3_600_000;

t.test('at most a thousand invitations are open', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ clock });
    const admin = await world.admin();
    for (let n = 0; n < 1_000; n += 100) await Promise.all(Array.from({ length: 100 }, () => admin.invitations.create({})));
    t.match(await failureOf(admin.invitations.create({})), { code: 'invitation_limit_reached', status: 409 });
    clock.forward(8 * day);
    t.match(await (await world.admin()).invitations.create({}), { role: 'member' });
  });
});
