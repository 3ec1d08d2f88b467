import t from 'tap';
import { sayFor } from '../../../helpers/model-server.js';
import { administrator, converse, onEachPlatform, someone } from '../../chat/world.js';
import { agentsOf, employ } from '../employment.js';

t.test('usage is summed by employee, model, member and room, with its cost', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const agents = agentsOf(platform);
    const { member_id, talk } = await employ(platform);
    const [ada, ben] = [await someone(t, platform), await someone(t, platform)];
    await agents.update({ member_id, model: { price: { input: 10, output: 20, currency: 'EUR' } } });
    model.script(sayFor(100, 10));
    await talk(ada.http);
    await talk(ben.http);
    const room = { title: 'Launch', target_type: 'room', target_id: '', member_ids: [member_id, ben.id] } as const;
    const open = await ada.http.sessions.create({ ...room, visibility: 'open' });
    const hidden = await ada.http.sessions.create(room);
    const { username } = await administrator(platform).members.get({ id: member_id });
    for (const { id } of [open, hidden]) await converse(ada.http, `@${username} hello`, id);
    const { length } = model.exchanges;
    t.equal(length, 4);

    const summary = await agents.usage_summary({});
    t.match(summary, { input_tokens: 400, output_tokens: 40, calls: 4, replies: 4, costs: [{ currency: 'EUR', amount: 0.0048 }] });
    t.match(summary.days, [{ input_tokens: 400, costs: [{ amount: 0.0048 }] }]);
    t.match(summary.employees, [{ member_id, name: 'Vic', input_tokens: 400 }]);
    t.match(summary.models, [{ model: 'test-model', calls: 4 }]);
    t.match(summary.members, [
      { requested_by: ada.id, name: ada.name, replies: 3 },
      { requested_by: ben.id, name: ben.name, replies: 1 },
    ]);
    const rooms = new Map(summary.rooms.map(({ session_id, title, replies }) => [session_id, [title, replies]]));
    t.same(
      [rooms.get(null), rooms.get(open.id), rooms.get(hidden.id)],
      [
        [null, 2],
        ['Launch', 1],
        [null, 1],
      ],
      'private titles stay private',
    );

    t.match(await agents.usage_summary({ requested_by: ben.id }), {
      input_tokens: 100,
      days: [{ replies: 1 }],
      rooms: [{ session_id: null }],
    });
    t.match(await agents.usage_summary({ session_id: open.id }), { input_tokens: 100, members: [{ requested_by: ada.id }] });
    t.match(await agents.usage_summary({ member_id: 999 }), { input_tokens: 0, days: [], employees: [] });
    t.match(await agents.usage({ member_id }), { costs: [{ currency: 'EUR', amount: 0.0048 }], models: [{ costs: [{}] }] });

    await administrator(platform).members.delete({ id: ben.id });
    t.match((await agents.usage_summary({})).members, [{ requested_by: ada.id }, { requested_by: null, name: null, replies: 1 }]);
    await agents.update({ member_id, model: { price: null } });
    t.same((await agents.usage_summary({})).costs, [], 'costs are at the prices of now');
  });
});
