import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { checkModels } from '../../../../extensions/agents/model/check.js';
import type { ModelSettings } from '../../../../extensions/agents/settings.js';
import { callerOf, startPlatform } from '../../../helpers/platform.js';
import { checkOf } from '../../../kernel/platform/checks/world.js';

/** A model's server that knows one key, and lists its models or does not. */
async function serverOf(t: Test, { key, lists = true }: { key: string; lists?: boolean }) {
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(`${req.method} ${req.url}`);
    const known = req.headers.authorization === `Bearer ${key}`;
    res.writeHead(known ? (lists ? 200 : 404) : 401, { 'content-type': 'application/json' });
    res.end(JSON.stringify(known ? { object: 'list', data: [] } : { error: { message: 'Incorrect API key provided: sk-wrong' } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { asked, base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close: () => server.close() };
}

async function platformWith(t: Test, base_url: string, api_key: string) {
  const settings = { 'agents.model.base_url': base_url, 'agents.model.name': 'm', 'agents.model.api_key': api_key };
  return startPlatform(t, { listen: false, background: false, settings });
}

t.test('a rejected key is red with the setting to change, and only the list of models is requested', async (t) => {
  const { asked, base_url, close } = await serverOf(t, { key: 'sk-right' });
  const wrong = await platformWith(t, base_url, 'sk-wrong');
  const found = await checkOf(wrong, 'model');
  t.match(found, {
    ok: false,
    message:
      /^The model 'm' at 127\.0\.0\.1:\d+ refused the key: 401 Incorrect API key provided: … An administrator must check PLATFORM_MODEL_API_KEY$/,
  });
  t.equal(found?.fix, 'PLATFORM_MODEL_API_KEY_FILE=/path/to/key platform serve');
  t.notMatch(JSON.stringify([found, wrong.lines]), /sk-wrong/);
  t.same(asked, ['GET /v1/models']);

  const right = await platformWith(t, base_url, 'sk-right');
  t.match(await checkOf(right, 'model'), { ok: true, message: /^AI employees ask the model 'm' at 127\.0\.0\.1:\d+, which answers$/ });

  await t.test("doctor checks an AI employee's own key too", async (t) => {
    const [{ id }] = (await right.kernel.invoke('members.list_virtual', {}, callerOf())).body as [{ id: number }];
    await right.kernel.invoke('agents.update', { member_id: id, model: { base_url, api_key: 'sk-wrong', model: 'n' } }, callerOf());
    t.match(await checkOf(right, 'model'), {
      ok: false,
      message: new RegExp(`^The model 'n' at .* refused the key: .* AI employee ${id} `),
      fix: `platform employee update ${id} --model '{"api_key":"…"}'`,
    });
    await right.kernel.invoke('agents.update', { member_id: id, model: { api_key: 'sk-right' } }, callerOf());
    t.match(await checkOf(right, 'model'), { ok: true });
  });

  await t.test('doctor reports an unavailable model server', async (t) => {
    close();
    t.match(await checkOf(right, 'model'), {
      ok: false,
      message: /can't be reached or is overloaded: nothing listens there/,
      fix: /PLATFORM_MODEL_BASE_URL=/,
    });
  });
});

t.test('a server without a list of models has accepted the key', async (t) => {
  const { base_url } = await serverOf(t, { key: '', lists: false });
  t.match(await checkOf(await platformWith(t, base_url, 'none'), 'model'), { ok: false }, 'a key that the server rejects is red');
  const other = await serverOf(t, { key: 'any', lists: false });
  t.match(await checkOf(await platformWith(t, other.base_url, 'any'), 'model'), { ok: true });
});

const settingsOf = (base_url: string): ModelSettings => ({ base_url, api_key: '', name: 'm' });

t.test('models that are set for single AI employees are counted in a sentence', async (t) => {
  const answers = async () => Response.json({ object: 'list', data: [] });
  const asked = (n: number) => ({ settings: settingsOf(`http://127.0.0.${n}:1/v1`), fallback: false });
  const message = async (platform: ModelSettings | undefined, own: number[]) =>
    (await checkModels(platform, own.map(asked), { web: () => answers, habits: [] })).message;
  const platform = settingsOf('http://127.0.0.1:1/v1');
  const asksIt = "AI employees ask the model 'm' at 127.0.0.1:1, which answers";
  t.equal(await message(platform, []), asksIt);
  t.equal(await message(platform, [2]), `${asksIt}. One other model, set for single AI employees, answers too`);
  t.equal(await message(platform, [2, 3]), `${asksIt}. 2 other models, set for single AI employees, answer too`);
  t.match(await message(undefined, []), /^No model is configured: .* to use a model$/);
  t.match(await message(undefined, [2]), /to use a model\. One model, set for single AI employees, answers$/);
  t.match(await message(undefined, [2, 3]), /to use a model\. 2 models, set for single AI employees, answer$/);
});
