import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { sayFor, startModelServer } from '../../../helpers/model-server.js';
import { startPlatform } from '../../../helpers/platform.js';
import { failureOf, withModel } from '../../chat/world.js';
import { agentsOf, employ, rowsOf } from '../employment.js';

/** A server with one model behind a key. */
async function guardedServer(t: Test) {
  const keys: (string | undefined)[] = [];
  const server = createServer(({ headers: { authorization } }, res) => {
    keys.push(authorization);
    const known = authorization === 'Bearer sk-right';
    res.writeHead(known ? 200 : 401, { 'content-type': 'application/json' });
    res.end(JSON.stringify(known ? { object: 'list', data: [{ id: 'only' }] } : { error: { message: 'Incorrect API key provided' } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { keys, base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

t.test('a model is tested by a question, and a server without a list of models is no fault', async (t) => {
  const model = await startModelServer(t);
  model.script(sayFor(11, 2, 'OK'));
  const platform = await startPlatform(t, {});
  const before = await rowsOf(t, platform);
  const report = await agentsOf(platform).test_model({ base_url: model.url, model: 'm', features: { tools: false } });
  t.match(report, { ok: true, error: null, models: [], model: 'm', answer: 'OK', usage: { input_tokens: 11, output_tokens: 2 } });
  t.type(report.duration_ms, 'number');
  t.match(model.exchanges, [{ body: { model: 'm', max_tokens: 256 } }]);
  const after = await rowsOf(t, platform);
  for (const table of ['agents_usage', 'agents_days', 'agents_settings', 'agents_model_habits'])
    t.same(after.get(table), before.get(table), `nothing is stored in ${table}`);
});

t.test('a test without a name only lists the models, and has the stored key of an AI employee for its own address alone', async (t) => {
  const [server, other] = [await guardedServer(t), await guardedServer(t)];
  const platform = await startPlatform(t, {});
  const agents = agentsOf(platform);
  const { member_id } = await employ(platform);
  const { base_url } = server;
  t.match(await agents.test_model({ base_url, api_key: 'sk-right' }), { ok: true, models: ['only'], model: null, answer: null });
  t.match(await agents.test_model({ base_url, api_key: 'sk-wrong' }), {
    ok: false,
    error: { code: 'model_auth', message: /refused the key: 401 .* An administrator must check 'api_key'$/ },
    models: [],
  });
  await agents.update({ member_id, model: { base_url, api_key: 'sk-right', model: 'only' } });
  t.match(await agents.test_model({ member_id, base_url }), { ok: true, models: ['only'] });
  server.keys.length = 0;
  t.match(await agents.test_model({ member_id, base_url: other.base_url }), { ok: false, error: { code: 'model_auth' } });
  t.notMatch(other.keys.join(), 'sk-right', 'no other server gets the key');
  t.same(server.keys, []);
});

t.test("without an address the platform's model is tested", async (t) => {
  const { model, options } = await withModel(t);
  model.script(sayFor(1, 1, 'OK'));
  const platform = await startPlatform(t, options);
  t.match(await agentsOf(platform).test_model({}), { ok: true, answer: 'OK' });
  const bare = await startPlatform(t, {});
  t.same(await failureOf(agentsOf(bare).test_model({})), { code: 'invalid_input', status: 400 });
});
