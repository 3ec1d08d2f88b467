import t, { type Test } from 'tap';
import { administrator, someone, withModel } from '../extensions/chat/world.js';
import { exchange } from '../helpers/exchange.js';
import { type ModelServer, say } from '../helpers/model-server.js';
import { startPlatform, type TestPlatform } from '../helpers/platform.js';
import { type CompletionCase, completionCases } from './openai/completions.js';
import { type RequestCase, requestCases } from './openai/requests.js';

interface World {
  platform: TestPlatform;
  model: ModelServer;
  employee: string;
  tokens: Readonly<Record<'full' | 'wrong' | 'read only', string>>;
}

async function runRequest(t: Test, { name, path, method = 'GET', headers = {}, body = '', token, ...expected }: RequestCase, world: World) {
  const { platform, employee, tokens } = world;
  const text = (typeof body === 'string' ? body : JSON.stringify(body)).replaceAll('<employee>', employee);
  const authorization: Record<string, string> = token === 'none' ? {} : { authorization: `Bearer ${tokens[token ?? 'full']}` };
  const answer = await exchange(`${platform.url}/api/v1${path}`, { method, headers: { ...authorization, ...headers }, body: text });
  t.equal(answer.status, expected.status, `${name}: ${answer.body.slice(0, 300)}`);
  t.match(answer.headers, { 'x-request-id': /./, ...expected.answers }, name);
  if (expected.error) {
    const { error } = JSON.parse(answer.body) as { error: object };
    t.match(error, expected.error, name);
    t.same(Object.keys(error).sort(), ['code', 'message', 'param', 'type'], name);
  }
}

async function runCompletion(t: Test, { body, status = 200, error, messages, answer }: CompletionCase, world: World) {
  const { platform, model, employee, tokens } = world;
  const asked = model.exchanges.length;
  const response = await fetch(`${platform.url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.full}` },
    body: JSON.stringify({ model: employee, messages: [{ role: 'user', content: 'Hi' }], ...body }),
  });
  const given = (await response.json()) as { error?: object };
  t.equal(response.status, status, JSON.stringify(given));
  t.match(given, answer ?? {});
  t.match(given.error, error);
  t.equal(model.exchanges.length - asked, status === 200 ? 1 : 0);
  const [, ...told] = model.exchanges.at(-1)?.body.messages ?? [];
  if (messages) t.match(told, messages);
  if (messages) t.equal(told.length, messages.length);
}

/** Disables the extension, so it comes last. */
async function runUnavailable(t: Test, { platform, tokens }: World): Promise<void> {
  const ask = async (path: string) => {
    const answer = await exchange(platform.url + path, { method: 'GET', headers: { authorization: `Bearer ${tokens.full}` }, body: '' });
    return { ...answer, body: JSON.parse(answer.body) as object };
  };
  const malformed = { message: /address/, type: 'invalid_request_error', param: null, code: 'malformed_request' };
  t.match(await ask('/api/v1/%zz'), { status: 400, body: { error: malformed } });
  t.match(await ask('/api/mcp/%zz'), { status: 400, body: { jsonrpc: '2.0', error: { code: -32_600 }, id: null } });
  await platform.kernel.installer.disable('agents');
  const code = 'extension_unavailable';
  for (const path of ['/api/v1/models', '/api/v1/nothing']) {
    const answer = await ask(path);
    t.match(answer, {
      status: 503,
      headers: { 'x-request-id': /./ },
      body: { error: { message: /'agents'/, type: 'server_error', code } },
    });
    t.same(Object.keys(answer.body), ['error'], path);
  }
  t.match(await ask('/api/mcp'), {
    status: 503,
    body: { jsonrpc: '2.0', error: { code: -32_603, message: /'agents'/, data: { code } }, id: null },
  });
  t.match(await ask('/api/agents/1'), { status: 503, body: { statusCode: 503, code } });
}

t.test("the OpenAI endpoint accepts its clients' requests", async (t) => {
  const { model, options } = await withModel(t);
  const platform = await startPlatform(t, options);
  const ada = await someone(t, platform);
  const full = await ada.http.tokens.create({ name: 'full', scopes: ['read', 'chat'] });
  const reader = await ada.http.tokens.create({ name: 'reader', scopes: ['read'] });
  const employee = (await administrator(platform).members.create_virtual({ name: 'Vic' })).username;
  const world = { platform, model, employee, tokens: { full: full.token, wrong: 'plat_wrong', 'read only': reader.token } };
  model.script(say('Hello.'));
  for (const each of requestCases) await t.test(each.name, (t) => runRequest(t, each, world));
  for (const each of completionCases) await t.test(each.name, (t) => runCompletion(t, each, world));
  await t.test("malformed paths, and requests without the agents extension, are rejected in the protocol's format", (t) =>
    runUnavailable(t, world),
  );
});

t.test("reports a request limit in OpenAI's shape with the time to wait", async (t) => {
  const { options } = await withModel(t);
  const platform = await startPlatform(t, { settings: { ...options.settings, 'limits.requests_per_minute': 10 } });
  const answers: Response[] = [];
  for (let count = 0; count < 30; count += 1) answers.push(await fetch(`${platform.url}/api/v1/models`));
  const limited = answers.at(-1) as Response;
  t.equal(limited.status, 429);
  t.match(Number(limited.headers.get('retry-after')), /^[1-9]/);
  t.ok(limited.headers.get('x-request-id'));
  t.match(await limited.json(), { error: { type: 'rate_limit_error', code: 'rate_limited', param: null, message: /./ } });
});
