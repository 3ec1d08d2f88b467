import t from 'tap';
import { eachPlatform } from '../../helpers/cluster.js';
import { say, sayFor, startModelServer } from '../../helpers/model-server.js';
import { callerOf, startPlatform } from '../../helpers/platform.js';
import { administrator, failureOf, onEachPlatform, someone } from '../chat/world.js';
import { agentsOf, employ, rowsOf } from './employment.js';

const usual = {
  instructions: '',
  model: null,
  fallback_models: [],
  fallback_node_ids: [],
  skills: 'all',
  tools: 'all',
  node_users: 'admins',
  oversight: false,
  limits: { steps: 50, tokens: 1_000_000, seconds: 1_800, tokens_per_day: 0 },
};

t.test('an AI employee has default settings until changed, and omitted ones stay', async (t) => {
  await eachPlatform(t, {}, async (t, platform, again) => {
    const agents = agentsOf(platform);
    const { member_id } = await employ(platform);
    t.match(await agents.get({ member_id }), {
      member_id,
      name: 'Vic',
      post: '',
      mode: 'assistant',
      status: 'idle',
      ...usual,
      updated_at: null,
    });

    const first = await agents.update({
      member_id,
      name: 'Victor',
      instructions: 'Be brief.\nAnd kind.',
      limits: { steps: 7, tokens_per_day: 100 },
    });
    t.match(first, {
      ...usual,
      name: 'Victor',
      instructions: 'Be brief.\nAnd kind.',
      limits: { steps: 7, seconds: 1_800, tokens_per_day: 100 },
    });
    const second = await agents.update({
      member_id,
      mode: 'supervised',
      tools: ['members_list'],
      node_users: [1],
      limits: { seconds: 60 },
    });
    t.match(second, {
      name: 'Victor',
      mode: 'supervised',
      instructions: 'Be brief.\nAnd kind.',
      tools: ['members_list'],
      node_users: [1],
      limits: { steps: 7, tokens: 1_000_000, seconds: 60, tokens_per_day: 100 },
      updated_at: /Z$/,
    });
    t.match(await administrator(platform).members.get({ id: member_id }), { nickname: 'Victor' }, 'the name is that of the member');
    await administrator(platform).members.update({ id: member_id, nickname: 'Vic' });
    t.equal((await agents.get({ member_id })).name, 'Vic');
    t.match(
      (await agents.list({})).map((employee) => [employee.name, employee.limits.steps]),
      [
        ['Assistant', 50],
        ['Vic', 7],
      ],
    );
    await platform.kernel.close();
    t.same(await agentsOf(await again()).get({ member_id }), { ...second, name: 'Vic' }, 'the settings survive a restart');
  });
});

t.test('no concurrent change of settings is lost', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const agents = agentsOf(platform);
    const { member_id } = await employ(platform);
    const limits = { steps: 2, tokens: 3, seconds: 4, tokens_per_day: 5 };
    const changes = [
      ...Object.entries(limits).map(([name, value]) => ({ limits: { [name]: value } })),
      { instructions: 'Be brief.' },
      { name: 'Victor' },
      { post: 'Clerk' },
      { oversight: true },
    ];
    await Promise.all(changes.map((change) => agents.update({ member_id, ...change })));
    t.match(await agents.get({ member_id }), { limits, instructions: 'Be brief.', name: 'Victor', post: 'Clerk', oversight: true });
  });
});

t.test('all faults of a change are reported at once, and nothing is applied', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const agents = agentsOf(platform);
    const { member_id } = await employ(platform);
    await t.rejects(
      agents.update({
        member_id,
        name: 'Changed',
        model: { base_url: 'https://models.example/v1?key=1' },
        fallback_models: [{ base_url: 'https://a.example' }, { base_url: 'ftp://b.example' }, { api_key: 'sk-x' }],
        node_users: [1, 999_999],
      }),
      {
        code: 'invalid_input',
        details: [
          { path: 'model.base_url' },
          { path: 'fallback_models.1.base_url' },
          { path: 'fallback_models.2.api_key' },
          { path: 'node_users.1' },
        ],
      },
    );
    t.match(await agents.get({ member_id }), { ...usual, name: 'Vic', updated_at: null });
    for (const id of [1, 999_999]) {
      t.same(await failureOf(agents.get({ member_id: id })), { code: 'employee_not_found', status: 404 });
      t.same(await failureOf(agents.update({ member_id: id, name: 'X' })), { code: 'employee_not_found', status: 404 });
    }
    t.match(await administrator(platform).members.get({ id: 1 }), { nickname: 'admin' });
  });
});

t.test('an API key is never returned, logged or audited, and is used only for its own origin', async (t) => {
  await eachPlatform(t, {}, async (t, platform) => {
    const agents = agentsOf(platform);
    const { member_id } = await employ(platform);
    const base_url = 'https://models.example/v1';
    const changed = await agents.update({ member_id, model: { base_url, api_key: 'sk-very-secret', model: 'm' } });
    t.same(changed.model, { base_url, model: 'm', has_api_key: true, features: {}, max_tokens: 0, price: null });
    t.match(await agents.update({ member_id, model: { model: 'n' } }), { model: { base_url, model: 'n', has_api_key: true } });
    t.match(
      await agents.update({
        member_id,
        fallback_models: [{ base_url: 'https://models.example/v2', model: 'o' }, { base_url: 'https://other.example' }],
      }),
      { fallback_models: [{ has_api_key: true }, { has_api_key: false }] },
      'the key is kept for the same origin, and for no other',
    );
    t.match(await agents.update({ member_id, fallback_models: [] }), { fallback_models: [] });
    await t.rejects(agents.update({ member_id, model: { base_url: 'https://evil.example/v1' } }), {
      code: 'invalid_input',
      details: [{ path: 'model.api_key' }],
    });
    t.match(await agents.update({ member_id, model: { base_url: 'https://evil.example/v1', api_key: '' } }), {
      model: { has_api_key: false },
    });
    await agents.update({ member_id, model: { base_url, api_key: 'sk-very-secret' } });

    const tables = await rowsOf(t, platform);
    t.ok((tables.get('kernel_audit')?.length ?? 0) > 4);
    const rows = [...tables];
    t.notMatch(JSON.stringify([rows, platform.lines, await agents.list({})]), /sk-very-secret/);
  });
});

t.test('partners see oversight, and the audit trail records it', async (t) => {
  await eachPlatform(t, {}, async (t, platform) => {
    const ada = await someone(t, platform);
    const { member_id } = await employ(platform);
    const seen = async () => (await ada.http.members.list_virtual({})).find(({ id }) => id === member_id)?.oversight;
    t.equal(await seen(), false);
    await agentsOf(platform).update({ member_id, oversight: true });
    t.equal(await seen(), true);
    t.match((await ada.http.contacts.list({ offset: 0 })).map((contact) => [contact.member_id === member_id, contact.oversight]).sort(), [
      [false, false],
      [false, false],
      [true, true],
    ]);
    const audited = ((await rowsOf(t, platform)).get('kernel_audit') ?? []).map((row) => JSON.parse(row));
    t.match(
      audited.filter(({ operation }) => operation === 'agents.update').map((row) => [row.member_id, JSON.parse(row.input)]),
      [[1, { member_id, oversight: true }]],
    );
  });
});

t.test('an AI employee uses its own model, and its fallbacks if that fails', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const [own, other] = [await startModelServer(t), await startModelServer(t)];
    const agents = agentsOf(platform);
    const { member_id, talk } = await employ(platform);
    const ada = (await someone(t, platform)).http;
    model.script(say('The platform.'));
    own.script(say('My own.'));
    other.script(sayFor(5, 3, 'Another.'));
    t.equal((await talk(ada)).reply.content, 'The platform.');

    await agents.update({
      member_id,
      model: { base_url: own.url, api_key: 'sk-own', model: 'own-model' },
      instructions: 'Speak Hungarian.',
    });
    t.equal((await talk(ada)).reply.content, 'My own.');
    t.match(own.exchanges[0], {
      body: { model: 'own-model', messages: [{ content: /Speak Hungarian/ }] },
      headers: { authorization: 'Bearer sk-own' },
    });

    const fallback_models = [{ base_url: other.url, model: 'other-model' }, { model: 'second-model' }];
    await agents.update({ member_id, fallback_models });
    own.script((exchange) => exchange.status(401));
    t.equal((await talk(ada)).reply.content, 'Another.');
    t.notMatch(other.exchanges[0]?.headers.authorization, /sk-own/, 'the key goes to no other address');

    other.script((exchange) => exchange.status(404));
    t.equal((await talk(ada)).reply.content, 'The platform.');
    t.match(model.exchanges.at(-1), { body: { model: 'second-model' }, headers: { authorization: 'Bearer sk-test' } });

    await agents.update({ member_id, fallback_models: [] });
    const { reply } = await talk(ada);
    t.match(reply, { status: 'failed', error: { code: 'model_auth', message: new RegExp(`settings of AI employee ${member_id}`) } });
    t.notMatch(JSON.stringify([reply, platform.lines]), /sk-own/);

    await agents.update({ member_id, model: null });
    t.equal((await talk(ada)).reply.content, 'The platform.');
  });
});

t.test('an own model is enough if the platform has none', async (t) => {
  await eachPlatform(t, {}, async (t, platform) => {
    const own = await startModelServer(t);
    const { member_id, talk } = await employ(platform);
    const ada = (await someone(t, platform)).http;
    await agentsOf(platform).update({ member_id, model: { model: 'a name alone' } });
    t.match((await talk(ada)).reply.content, /no model is configured/);
    await agentsOf(platform).update({ member_id, model: { base_url: own.url } });
    t.equal((await talk(ada)).reply.content, 'Hello.');
    t.equal(own.exchanges[0]?.body.model, 'a name alone', 'omitted settings stay');
  });
});

t.test('deleting the member deletes its settings and its usage', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    model.script(say('Yes.'));
    const { member_id, talk } = await employ(platform);
    await agentsOf(platform).update({ member_id, instructions: 'Soon gone.' });
    await talk((await someone(t, platform)).http);
    const rows = async () => {
      const all = await rowsOf(t, platform);
      const own = (row: string) => JSON.parse(row).member_id === member_id;
      return ['agents_settings', 'agents_usage', 'agents_days'].map((table) => (all.get(table) ?? []).filter(own).length);
    };
    t.same(await rows(), [1, 1, 1]);
    await administrator(platform).members.delete({ id: member_id });
    t.same(await rows(), [0, 0, 0]);
  });
});

t.test('reports unknown names in the list of tools, which apply when the tools exist', async (t) => {
  const mcp_servers = [{ name: 'files', command: '/no/such/program' }];
  const platform = await startPlatform(t, { settings: { 'agents.mcp_servers': mcp_servers } });
  const agents = agentsOf(platform);
  const { member_id } = await employ(platform);
  t.same((await agents.get({ member_id })).missing_tools, []);
  const there = [
    'members_list',
    'members.list',
    'shell',
    'read_file',
    'write_file',
    'list_files',
    'use_skill',
    'read_skill_file',
    'schedule',
  ];
  const unlisted = ['files__read_text', 'files/read_text'];
  const wrong = ['member_list', 'members.lists', 'Shell', 'filesystem__read', 'auth.login'];
  const tools = [...there, ...unlisted, ...wrong];
  const changed = await agents.update({ member_id, tools });
  t.same(changed.missing_tools, wrong);
  t.same(changed.tools, tools, 'unknown names stay, because their extension may be installed later');
  t.same((await agents.update({ ...changed, post: 'Clerk' })).missing_tools, wrong, 'a read record can be sent back unchanged');
  await platform.kernel.invoke('plugins.disable', { name: 'schedules' }, callerOf());
  t.same((await agents.get({ member_id })).missing_tools, ['schedule', ...wrong]);
  await platform.kernel.invoke('plugins.enable', { name: 'schedules' }, callerOf());
  t.same((await agents.get({ member_id })).missing_tools, wrong);
});
