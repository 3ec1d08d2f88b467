import t from 'tap';
import type { MembersApi } from '../../../extensions/members/contract.js';
import { connect } from '../../../kernel/client/connect.js';
import { http } from '../../../kernel/client/http.js';
import { adminPassword } from '../../helpers/platform.js';
import { connect as connectSocket } from '../../kernel/platform/http/socket/client.js';
import { history, onEach, scheduled } from './world.js';

await onEach(t, async (t, { platform, admin }) => {
  const tokenOf = async (username: string) => {
    const nobody = http({ url: platform.url });
    t.teardown(() => nobody.close());
    return (await connect<MembersApi>(platform.kernel.operations(), nobody).auth.login({ username, password: adminPassword })).access_token;
  };
  const socketOf = async (username: string) => {
    const client = await connectSocket(t, platform.url, { token: await tokenOf(username) });
    await client.next('hello');
    client.send({ type: 'subscribe', id: 1, data: { topics: ['schedules'] } });
    return client;
  };

  await t.test("an administrator's socket receives runs as they start and end", async (t) => {
    const client = await socketOf('admin');
    await client.next('ack');
    const work = await scheduled(admin, { enabled: false, params: { name: 'seen' } });
    const { run_id } = await admin.schedules.run({ id: work.id });
    const [run] = await history(admin, work, 1);
    for (const status of ['queued', 'running', 'success'])
      t.match(await client.next('schedule.run'), { data: { id: run_id, schedule_id: work.id, status } });
    t.same(client.of('schedule.run').at(-1)?.data, { ...run, result: '' }, 'the frame has no text of the conversation');
    await client.close();
  });

  await t.test("a member's socket receives none", async (t) => {
    await admin.members.create({ username: 'mia', password: adminPassword });
    const client = await socketOf('mia');
    t.match(await client.next('error'), { data: { code: 'forbidden' } });
    await client.close();
  });
});
