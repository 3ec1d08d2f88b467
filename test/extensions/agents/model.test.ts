import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Model, type Patience, type Piece } from '../../../extensions/agents/model.js';
import { isFailure } from '../../../kernel/contract/index.js';
import { type ModelServer, say, startModelServer } from '../../helpers/model-server.js';

const quick: Partial<Patience> = { first_ms: 5_000, gap_ms: 5_000, total_ms: 20_000, pause_ms: 5 };

function modelAt(server: ModelServer, patience: Partial<Patience> = {}, api_key = 'sk-secret-key'): Model {
  return new Model({
    settings: { base_url: server.url, api_key, name: 'test-model' },
    patience: { ...quick, ...patience },
    random: () => 1,
    fetch,
  });
}

async function collect(model: Model, signal = new AbortController().signal): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for await (const piece of model.answer([{ role: 'user', content: 'Hi' }], signal)) pieces.push(piece);
  return pieces;
}

async function codeOf(t: Test, model: Model): Promise<string> {
  try {
    await collect(model);
  } catch (fault) {
    if (!isFailure(fault)) throw fault;
    t.notMatch(fault.message, /sk-secret-key/, 'the key is not told');
    return fault.code;
  }
  return 'no failure';
}

t.test('a model is asked by the way out that is given, and by no other', async (t) => {
  const server = await startModelServer(t);
  const addresses: string[] = [];
  const closed: typeof fetch = async (address) => {
    addresses.push(String(address));
    throw new TypeError('There is no way out');
  };
  const settings = { base_url: server.url, api_key: '', name: 'test-model' };
  t.equal(await codeOf(t, new Model({ settings, patience: { ...quick, retries: 0 }, fetch: closed })), 'model_unavailable');
  t.same(addresses, [`${server.url}/chat/completions`]);
  t.same(server.exchanges, []);
});

t.test('an answer comes piece by piece, with its usage', async (t) => {
  const server = await startModelServer(t);
  server.script((exchange) => {
    exchange.delta({ role: 'assistant', content: '' });
    exchange.delta({ reasoning_content: 'Hm' });
    exchange.text('Hel');
    exchange.text('lo');
    exchange.delta({}, 'stop');
    exchange.usage(3, 2);
    exchange.end();
  });
  t.same(await collect(modelAt(server)), [
    { type: 'reasoning', text: 'Hm' },
    { type: 'text', text: 'Hel' },
    { type: 'text', text: 'lo' },
    { type: 'usage', usage: { input_tokens: 3, output_tokens: 2 } },
  ]);
  const [asked] = server.exchanges;
  t.same(asked?.body, {
    model: 'test-model',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
    stream_options: { include_usage: true },
  });
  t.equal(asked?.headers.authorization, 'Bearer sk-secret-key');
});

t.test('a missing usage is no fault', async (t) => {
  const server = await startModelServer(t);
  server.script(say('Hello'));
  t.same(await collect(modelAt(server)), [{ type: 'text', text: 'Hello' }]);
});

t.test('each way to fail has its code', async (t) => {
  const server = await startModelServer(t);
  const once = { retries: 0 };
  const brief = { retries: 0, first_ms: 200, gap_ms: 200 };
  const cases: [string, Parameters<ModelServer['script']>[0], Partial<Patience>?][] = [
    ['model_auth', (e) => e.status(401, { code: 'invalid_api_key', message: 'Incorrect API key provided: sk-secret-key' })],
    ['model_auth', (e) => e.status(403)],
    ['model_quota', (e) => e.status(429, { code: 'insufficient_quota' })],
    ['model_quota', (e) => e.status(402)],
    ['model_rate_limited', (e) => e.status(429), once],
    ['model_rate_limited', (e) => e.status(429, {}, { 'retry-after': '3600' })],
    ['context_overflow', (e) => e.status(400, { code: 'context_length_exceeded' })],
    ['context_overflow', (e) => e.status(400, { message: "This model's maximum context length is 4096 tokens" })],
    ['model_error', (e) => e.status(400)],
    ['model_error', (e) => e.status(404)],
    ['model_error', (e) => e.status(500), once],
    ['model_unavailable', (e) => e.status(503), once],
    ['model_error', (e) => e.raw('data: {"choices": [{"delta\n\n')],
    ['model_error', (e) => e.raw('data: 42\n\ndata: [DONE]\n\n')],
    ['timeout', (e) => e.raw(': nothing more\n\n'), brief],
    ['timeout', () => undefined, brief],
    ['timeout', (e) => e.text('Hel'), brief],
    ['model_error', (e) => e.text('Hel', 'end')],
    ['model_error', (e) => e.text('Hel', 'break off')],
    ['model_error', (e) => e.delta({}, 'content_filter')],
    ['model_error', (e) => e.raw('data: {"error": {"message": "the engine died"}}\n\n')],
    ['model_rate_limited', (e) => e.raw('data: {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}\n\n'), once],
  ];
  for (const [index, [code, script, patience]] of cases.entries()) {
    server.script(async (exchange) => {
      await script(exchange);
      if (code === 'model_error' && /data: (42|\{"choices)/.test(String(script))) exchange.end();
    });
    t.equal(await codeOf(t, modelAt(server, patience)), code, `case ${index}: ${code}`);
  }
});

t.test('a server that is not there is unavailable, and so is one that ends each connection', async (t) => {
  const server = await startModelServer(t);
  server.script((exchange) => exchange.breakOff());
  t.equal(await codeOf(t, modelAt(server)), 'model_unavailable');
  t.equal(server.exchanges.length, 4, 'it was tried again three times');
  await server.close();
  t.equal(await codeOf(t, modelAt(server)), 'model_unavailable');
});

t.test('an answer that takes too long as a whole is given up', async (t) => {
  const server = await startModelServer(t);
  server.script(async (exchange) => {
    while (!exchange.isClosed) {
      exchange.text('and ');
      await sleep(50);
    }
  });
  t.equal(await codeOf(t, modelAt(server, { total_ms: 400 })), 'timeout');
});

t.test('what passes is tried again: 429 after its Retry-After, 500 and 503 after a pause', async (t) => {
  const server = await startModelServer(t);
  server.script(
    (exchange) => exchange.status(429, {}, { 'retry-after': '0.4' }),
    (exchange) => exchange.status(500),
    (exchange) => exchange.status(503),
    say('At last'),
  );
  const begun = Date.now();
  t.same(await collect(modelAt(server)), [{ type: 'text', text: 'At last' }]);
  t.ok(Date.now() - begun >= 400, 'Retry-After was obeyed');
  t.equal(server.exchanges.length, 4);
});

t.test('a fourth failure is the last, and a refusal is not tried again', async (t) => {
  const server = await startModelServer(t);
  server.script((exchange) => exchange.status(503));
  t.equal(await codeOf(t, modelAt(server)), 'model_unavailable');
  t.equal(server.exchanges.length, 4);
  server.script((exchange) => exchange.status(401));
  t.equal(await codeOf(t, modelAt(server)), 'model_auth');
  t.equal(server.exchanges.length, 5);
});

t.test('after the first piece nothing is tried again: the reader would get it twice', async (t) => {
  const server = await startModelServer(t);
  server.script((exchange) => {
    exchange.text('Hel');
    setTimeout(() => exchange.breakOff(), 20);
  });
  t.equal(await codeOf(t, modelAt(server)), 'model_error');
  t.equal(server.exchanges.length, 1);
});

t.test('an abort closes the socket, while it streams and while it waits', async (t) => {
  const server = await startModelServer(t);
  for (const text of ['Hello', undefined]) {
    const controller = new AbortController();
    server.script((exchange) => {
      if (text) exchange.text(text);
      setTimeout(() => controller.abort(), 30);
    });
    await t.rejects(collect(modelAt(server), controller.signal), { name: 'AbortError' });
    await server.exchanges.at(-1)?.closed;
  }
});

t.test('an abort ends the pause before another try', async (t) => {
  const server = await startModelServer(t);
  const controller = new AbortController();
  server.script((exchange) => {
    exchange.status(429, {}, { 'retry-after': '15' });
    setTimeout(() => controller.abort(), 30);
  });
  await t.rejects(collect(modelAt(server), controller.signal), { name: 'AbortError' });
});
