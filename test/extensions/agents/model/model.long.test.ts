import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { ModelFeature } from '../../../../extensions/agents/contract.js';
import type { Habits } from '../../../../extensions/agents/model/habits.js';
import { Model, type RetryOptions } from '../../../../extensions/agents/model/model.js';
import { ModelChain } from '../../../../extensions/agents/model/models.js';
import type { ModelRequest, Piece, Prompt, Waits } from '../../../../extensions/agents/model/prompt.js';
import { isFailure } from '../../../../kernel/contract/index.js';
import { callTools, type ModelServer, type Script, say, sayFor, startModelServer } from '../../../helpers/model-server.js';

const quick: Partial<RetryOptions> = { pause_ms: 5 };
const waits = { first_byte_ms: 5_000, idle_ms: 5_000 };
const brief = { first_byte_ms: 200, idle_ms: 200 };

function modelAt(server: ModelServer, patience: Partial<RetryOptions> = {}, name = 'test-model'): ModelChain {
  return new ModelChain([singleAt(server, patience, name)]);
}

function singleAt(server: ModelServer, patience: Partial<RetryOptions> = {}, name = 'test-model', habits?: Habits): Model {
  return new Model({
    settings: { base_url: server.url, api_key: 'sk-secret-key', name },
    patience: { ...quick, ...patience },
    random: () => 1,
    fetch,
    ...(habits ? { habits } : {}),
  });
}

async function collect(model: ModelChain, ask: Partial<ModelRequest> = {}): Promise<Piece[]> {
  const pieces: Piece[] = [];
  const whole = { prompts: [{ role: 'user' as const, content: 'Hi' }], signal: new AbortController().signal, waits, ...ask };
  await model.answer(whole, (piece) => void pieces.push(piece));
  return pieces;
}

/** Returns a response's pieces except the usage. */
async function written(model: ModelChain, ask: Partial<ModelRequest> = {}): Promise<Piece[]> {
  return (await collect(model, ask)).filter(({ type }) => type !== 'usage');
}

const seen: Prompt = { role: 'user', content: 'What is it?', images: [{ mime_type: 'image/png', bytes: new Uint8Array([1, 2, 3]) }] };

async function codeOf(t: Test, model: ModelChain, ask: Partial<ModelRequest> = {}): Promise<string> {
  try {
    await collect(model, ask);
  } catch (fault) {
    if (!isFailure(fault)) throw fault;
    t.notMatch(fault.message, /sk-secret-key/, 'the failure does not reveal the key');
    return fault.code;
  }
  return 'no failure';
}

t.test('a model is called only through the given fetch', async (t) => {
  const server = await startModelServer(t);
  const addresses: string[] = [];
  const closed: typeof fetch = async (address) => {
    addresses.push(String(address));
    throw new TypeError('There is no way out');
  };
  const settings = { base_url: server.url, api_key: '', name: 'test-model' };
  t.equal(
    await codeOf(t, new ModelChain([new Model({ settings, patience: { ...quick, retries: 0 }, fetch: closed })])),
    'model_unavailable',
  );
  t.same(addresses, [`${server.url}/chat/completions`]);
  t.same(server.exchanges, []);
});

t.test('an answer streams piece by piece with its usage', async (t) => {
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
    { type: 'usage', usage: { input_tokens: 3, output_tokens: 2 }, model: 'test-model', estimated: false },
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

t.test('a missing usage is estimated', async (t) => {
  const server = await startModelServer(t);
  server.script(say('Hello'));
  t.same(await collect(modelAt(server)), [
    { type: 'text', text: 'Hello' },
    { type: 'usage', usage: { input_tokens: 5, output_tokens: 6 }, model: 'test-model', estimated: true },
  ]);
});

t.test('a usage repeated in each chunk counts once, and an empty one is ignored', async (t) => {
  const server = await startModelServer(t);
  server.script((exchange) => {
    exchange.usage(3, 1);
    exchange.text('Hello');
    exchange.usage(3, 2);
    exchange.finish();
  });
  t.match((await collect(modelAt(server))).slice(1), [{ type: 'usage', usage: { input_tokens: 3, output_tokens: 2 }, estimated: false }]);
  server.script((exchange) => {
    exchange.usage(0, 0);
    exchange.usage(-1, 1);
    exchange.text('Hello');
    exchange.finish();
  });
  t.match((await collect(modelAt(server))).slice(1), [{ type: 'usage', estimated: true }]);
});

t.test('tools are sent, and tool calls arrive complete at the end', async (t) => {
  const server = await startModelServer(t);
  const calls = [
    { name: 'list_files', arguments: { path: '/tmp' } },
    { name: 'read_file', arguments: '{"path": "a' + '"}' },
  ];
  server.script(callTools(calls, 'Let me see.'));
  const tools = [{ name: 'list_files', description: 'Lists files', input: { type: 'object', properties: { path: { type: 'string' } } } }];
  const offered = new Set(['list_files']);
  t.same(await written(modelAt(server), { tools }), [
    { type: 'text', text: 'Let me see.' },
    { type: 'tool_call', id: 'call_0', name: 'list_files', arguments: '{"path":"/tmp"}', offered },
    { type: 'tool_call', id: 'call_1', name: 'read_file', arguments: '{"path": "a"}', offered },
  ]);
  t.same(server.exchanges[0]?.body.tools, [
    { type: 'function', function: { name: 'list_files', description: 'Lists files', parameters: tools[0]?.input } },
  ]);
});

t.test("sends calls and their outputs in the protocol's form", async (t) => {
  const server = await startModelServer(t);
  const tool_calls = [{ id: 'a', name: 'read_file', arguments: '{}' }];
  await written(modelAt(server), {
    prompts: [
      { role: 'user', content: 'Read it' },
      { role: 'assistant', content: '', tool_calls },
      { role: 'tool', content: 'the text', tool_call_id: 'a' },
    ],
  });
  t.same(server.exchanges[0]?.body.messages, [
    { role: 'user', content: 'Read it' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'read_file', arguments: '{}' } }] },
    { role: 'tool', content: 'the text', tool_call_id: 'a' },
  ]);
});

t.test('retries an interrupted answer that has produced no output', async (t) => {
  const server = await startModelServer(t);
  server.script(
    (exchange) => {
      exchange.toolCall(0, { name: 'read_file', arguments: { path: 'half' } });
      setTimeout(() => exchange.breakOff(), 20);
    },
    callTools([{ name: 'read_file', arguments: { path: 'whole' } }]),
  );
  t.match(await written(modelAt(server)), [{ type: 'tool_call', arguments: '{"path":"whole"}' }]);
});

t.test('a server that does not stream is supported', async (t) => {
  const server = await startModelServer(t);
  const message = { content: 'Hello', tool_calls: [{ id: 'a', type: 'function', function: { name: 'run', arguments: '{}' } }] };
  const usage = { prompt_tokens: 3, completion_tokens: 2 };
  server.script((exchange) =>
    exchange.answer('application/json; charset=utf-8', JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage })),
  );
  t.match(await collect(modelAt(server)), [
    { type: 'text', text: 'Hello' },
    { type: 'tool_call', id: 'a', name: 'run', arguments: '{}' },
    { type: 'usage', usage: { input_tokens: 3, output_tokens: 2 }, estimated: false },
  ]);
});

t.test('both names of reasoning and all line ends are read at any chunk boundary', async (t) => {
  const server = await startModelServer(t);
  const events = ['reasoning', 'reasoning_content', 'content'].map((name) => JSON.stringify({ choices: [{ delta: { [name]: 'é漢' } }] }));
  const end = JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] });
  const stream = `: hello\r\n\r\ndata: ${events[0]}\r\n\r\nid: 4\rdata:${events[1]}\r\revent: x\ndata: ${events[2]}\n\ndata: ${end}\n\ndata: [DONE]`;
  for (const size of [1, 7, 10_000]) {
    server.script(async (exchange) => {
      const bytes = Buffer.from(stream);
      for (let start = 0; start < bytes.length; start += size) exchange.bytes(bytes.subarray(start, start + size));
      exchange.close();
    });
    t.same(
      await written(modelAt(server)),
      [
        { type: 'reasoning', text: 'é漢' },
        { type: 'reasoning', text: 'é漢' },
        { type: 'text', text: 'é漢' },
      ],
      `${size} bytes at a time`,
    );
  }
});

t.test('images are sent to a model with vision', async (t) => {
  const server = await startModelServer(t);
  await written(modelAt(server), { prompts: [seen] });
  t.same(server.exchanges[0]?.body.messages, [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
      ],
    },
  ]);
});

t.test('a request is retried without images if the model rejects them, which is remembered for a while', async (t) => {
  const server = await startModelServer(t);
  const refuse: Script = (exchange) => exchange.status(400, { message: 'image input is not supported' });
  const learnt = new Map<ModelFeature, string>();
  const habits = {
    known: async () => learnt,
    learn: async (_: object, found: ReadonlyMap<ModelFeature, string>) => {
      for (const [name, said] of found) learnt.set(name, said);
    },
  };
  const model = singleAt(server, {}, 'test-model', habits);
  const ask = async () => {
    const pieces: Piece[] = [];
    await model.answer({ prompts: [seen], signal: new AbortController().signal, waits }, (piece) => void pieces.push(piece));
    return pieces;
  };
  server.script(refuse, say('I cannot see.'));
  t.match(await ask(), [
    { type: 'text', text: 'I cannot see.' },
    {
      type: 'notice',
      code: 'no_images',
      message: /does not accept images \(the server said: image input is not supported\)\. .*PLATFORM_MODEL_FEATURES/,
    },
    { type: 'usage' },
  ]);
  const note = { role: 'user', content: /^What is it\?\n\n\[An image was sent.*cannot see/s };
  t.match(server.exchanges[1]?.body.messages, [note]);
  await ask();
  t.match([server.exchanges.length, server.exchanges[2]?.body.messages], [3, [note]], 'the images are not sent again');
  learnt.clear();
  await ask();
  t.match(server.exchanges[3]?.body.messages, [{ content: [{}, { type: 'image_url' }] }], 'images are tried again later');
});

t.test('a rejection for another reason is not blamed on images', async (t) => {
  const server = await startModelServer(t);
  server.script((exchange) => exchange.status(400, { message: 'no such parameter' }));
  const model = modelAt(server);
  t.equal(await codeOf(t, model, { prompts: [seen] }), 'model_error');
  t.ok(server.exchanges.length <= 9, 'the number of requests is limited');
  server.script(say('Hello.'));
  await written(model, { prompts: [seen] });
  t.match(server.exchanges.at(-1)?.body, { stream_options: {}, messages: [{ content: [{}, { type: 'image_url' }] }] });
});

t.test('if a model fails before its first output the next one answers and says so', async (t) => {
  const [first, second] = [await startModelServer(t), await startModelServer(t)];
  second.script(sayFor(7, 3));
  const failing: Script[] = [
    (e) => e.status(401),
    (e) => e.status(402),
    (e) => e.status(429, {}, { 'retry-after': '3600' }),
    (e) => e.status(500),
    (e) => e.status(503),
    (e) => e.status(404),
    (e) => e.breakOff(),
    (e) => e.raw(': nothing\n\n'),
    (e) => {
      e.toolCall(0, { name: 'half', arguments: '{"a' });
      setTimeout(() => e.breakOff(), 20);
    },
  ];
  const chain = new ModelChain([singleAt(first, { retries: 0, rest_ms: 0 }), singleAt(second, {}, 'other-model')]);
  for (const script of failing) {
    first.script(script);
    t.match(
      (await collect(chain, { waits: brief })).slice(-2),
      [
        { type: 'text', text: 'Hello.' },
        { type: 'usage', usage: { input_tokens: 7, output_tokens: 3 }, model: 'other-model' },
      ],
      String(script),
    );
  }
});

t.test('a failed model is tried after the others for a while', async (t) => {
  const [first, second] = [await startModelServer(t), await startModelServer(t)];
  const chain = new ModelChain([singleAt(first, { retries: 0, rest_ms: 2_000 }), singleAt(second)]);
  first.script(() => undefined, say('Back.'));
  second.script(say('Second.'));
  const ask = async () => {
    const [said] = await written(chain, { waits: { first_byte_ms: 1_000, idle_ms: 1_000 } });
    return { said, asked: first.exchanges.length };
  };
  t.match(await ask(), { said: { text: 'Second.' }, asked: 1 });
  t.match(await ask(), { said: { text: 'Second.' }, asked: 1 });
  second.script((exchange) => exchange.status(401));
  t.match(await ask(), { said: { text: 'Back.' }, asked: 2 }, 'the failed model is still tried last');
  second.script(say('Second.'));
  await sleep(2_100);
  t.match(await ask(), { said: { text: 'Back.' }, asked: 3 });
});

t.test("the API key is not sent to a redirect's other host", async (t) => {
  const [first, second] = [await startModelServer(t), await startModelServer(t)];
  first.script((exchange) => exchange.status(307, {}, { location: `${second.url.replace('127.0.0.1', 'localhost')}/chat/completions` }));
  await collect(modelAt(first)).catch(() => undefined);
  t.match([second.exchanges.length, second.exchanges[0]?.headers.authorization], [1, undefined]);
});

t.test('no other model is tried after the first output, or for a conversation that is too long', async (t) => {
  const [first, second] = [await startModelServer(t), await startModelServer(t)];
  const chain = new ModelChain([singleAt(first), singleAt(second)]);
  first.script((exchange) => exchange.text('Hel', 'break off'));
  t.equal(await codeOf(t, chain), 'model_error');
  first.script((exchange) => exchange.status(400, { code: 'context_length_exceeded' }));
  t.equal(await codeOf(t, chain), 'context_overflow');
  t.same(second.exchanges, []);
});

t.test('if all models fail, the failure is that of the first with the messages of each', async (t) => {
  const [first, second] = [await startModelServer(t), await startModelServer(t)];
  first.script((exchange) => exchange.status(402, { message: 'pay first' }));
  second.script((exchange) => exchange.status(401));
  const chain = new ModelChain([singleAt(first), singleAt(second, {}, 'other-model')]);
  await t.rejects(collect(chain), {
    code: 'model_quota',
    message: /'test-model' at 127.*pay first.*fallback.*'other-model' at 127.*refused the key/s,
  });
});

t.test('the usage of an interrupted answer is reported before its failure', async (t) => {
  const server = await startModelServer(t);
  server.script((exchange) => exchange.text('Hello', 'break off'));
  const pieces: Piece[] = [];
  const ask = { prompts: [], signal: new AbortController().signal };
  await t.rejects(
    modelAt(server).answer(ask, (piece) => void pieces.push(piece)),
    { code: 'model_error' },
  );
  t.match(pieces, [{ type: 'text' }, { type: 'usage', estimated: true, usage: { output_tokens: 6 } }]);
});

t.test('a slow consumer applies back-pressure', async (t) => {
  const server = await startModelServer(t);
  server.script(say('a', 'b', 'c'));
  const seen: string[] = [];
  const slow = async (piece: Piece) => {
    seen.push(`begin ${piece.type}`);
    await sleep(20);
    seen.push(`end ${piece.type}`);
  };
  await modelAt(server).answer({ prompts: [], signal: new AbortController().signal }, slow);
  t.same(
    seen,
    ['text', 'text', 'text', 'usage'].flatMap((type) => [`begin ${type}`, `end ${type}`]),
  );
});

t.test('an error of the consumer is not a model failure: no retry and no further output', async (t) => {
  const [first, second] = [await startModelServer(t), await startModelServer(t)];
  const chain = new ModelChain([singleAt(first), singleAt(second)]);
  first.script(say('a', 'b', 'c'));
  const own = new TypeError('terminated');
  const failing = {
    'at once': () => {
      throw own;
    },
    later: async () => {
      await sleep(5);
      throw own;
    },
  };
  for (const [when, fail] of Object.entries(failing)) {
    const taken: Piece[] = [];
    const take = (piece: Piece) => {
      taken.push(piece);
      return fail();
    };
    const answer = chain.answer({ prompts: [], signal: new AbortController().signal }, take);
    t.equal(await answer.catch((fault: unknown) => fault), own, when);
    t.match(taken, [{ type: 'text', text: 'a' }], when);
    t.equal(taken.length, 1, when);
    await first.exchanges.at(-1)?.closed;
  }
  t.same([first.exchanges.length, second.exchanges.length], [2, 0]);
});

t.test('each kind of failure has its code', async (t) => {
  const server = await startModelServer(t);
  const once = { retries: 0 };
  const cases: [string, Parameters<ModelServer['script']>[0], Partial<RetryOptions & Waits>?][] = [
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
    ['model_error', (e) => e.text('Hel', 'break off')],
    ['model_error', (e) => e.delta({}, 'content_filter')],
    ['model_error', (e) => e.delta({}, 'error'), once],
    ['model_error', (e) => e.answer('text/event-stream', ''), once],
    ['model_error', (e) => e.end(), once],
    ['model_error', (e) => e.answer('text/html', '<html>data: {}</html>')],
    ['model_error', (e) => e.answer('application/json', '{"choices": [')],
    ['model_error', (e) => e.answer('text/event-stream', `data: ${'x'.repeat(9_000_000)}`)],
    ['model_error', (e) => e.answer('application/json', `"${'x'.repeat(9_000_000)}"`)],
    ['model_error', (e) => e.answer('text/plain', 'x'.repeat(1_000_000), 400)],
    ['model_error', (e) => e.status(304)],
    ['model_error', (e) => e.raw('data: {"error": "the engine died"}\n\n')],
    ['model_rate_limited', (e) => e.raw('data: {"error": {"message": "slow down", "code": 429}}\n\n'), once],
    ['model_rate_limited', (e) => e.status(429, {}, { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() })],
    ['model_error', (e) => Array.from({ length: 65 }, (_, index) => e.toolCall(index, { name: 'run' }))],
    ['model_error', (e) => e.toolCall(0, { name: 'run', arguments: 'x'.repeat(1_100_000) })],
    ['model_error', (e) => e.raw('data: {"error": {"message": "the engine died"}}\n\n')],
    ['model_rate_limited', (e) => e.raw('data: {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}\n\n'), once],
  ];
  for (const [index, [code, script, patience]] of cases.entries()) {
    server.script(async (exchange) => {
      await script(exchange);
      if (code === 'model_error' && /data: (42|\{"choices)/.test(String(script))) exchange.end();
    });
    const begun = Date.now();
    t.equal(await codeOf(t, modelAt(server, patience), { waits: { ...waits, ...patience } }), code, `case ${index}: ${code}`);
    t.ok(Date.now() - begun < 20_000, `case ${index} ends soon: ${String(script)}`);
  }
});

t.test('an unreachable server, and one that closes each connection, is unavailable', async (t) => {
  const server = await startModelServer(t);
  server.script((exchange) => exchange.breakOff());
  t.equal(await codeOf(t, modelAt(server)), 'model_unavailable');
  t.equal(server.exchanges.length, 4, 'three retries were made');
  await server.close();
  t.equal(await codeOf(t, modelAt(server)), 'model_unavailable');
});

t.test('an answer that takes too long ends with the time limit of its run', async (t) => {
  const server = await startModelServer(t);
  server.script(async (exchange) => {
    while (!exchange.isClosed) {
      exchange.raw(': and\n\n');
      await sleep(50);
    }
  });
  await t.rejects(collect(modelAt(server), { signal: AbortSignal.timeout(400) }), { name: 'TimeoutError' });
});

t.test('retries transient failures: 429 after Retry-After, 500 and 503 after a wait', async (t) => {
  const server = await startModelServer(t);
  server.script(
    (exchange) => exchange.status(429, {}, { 'retry-after': '0.4' }),
    (exchange) => exchange.status(500),
    (exchange) => exchange.status(503),
    say('At last'),
  );
  const begun = Date.now();
  t.same(await written(modelAt(server)), [{ type: 'text', text: 'At last' }]);
  t.ok(Date.now() - begun >= 400, 'the wait follows Retry-After');
  t.equal(server.exchanges.length, 4);
});

t.test('the fourth failure is final, and a rejection is not retried', async (t) => {
  const server = await startModelServer(t);
  server.script((exchange) => exchange.status(503));
  t.equal(await codeOf(t, modelAt(server)), 'model_unavailable');
  t.equal(server.exchanges.length, 4);
  server.script((exchange) => exchange.status(401));
  t.equal(await codeOf(t, modelAt(server)), 'model_auth');
  t.equal(server.exchanges.length, 5);
});

t.test('an answer is not retried after its first chunk, because the reader would receive it twice', async (t) => {
  const server = await startModelServer(t);
  server.script((exchange) => {
    exchange.text('Hel');
    setTimeout(() => exchange.breakOff(), 20);
  });
  t.equal(await codeOf(t, modelAt(server)), 'model_error');
  t.equal(server.exchanges.length, 1);
});

t.test('an abort closes the socket, both while streaming and while waiting', async (t) => {
  const server = await startModelServer(t);
  for (const text of ['Hello', undefined]) {
    const controller = new AbortController();
    server.script((exchange) => {
      if (text) exchange.text(text);
      setTimeout(() => controller.abort(), 30);
    });
    await t.rejects(collect(modelAt(server), { signal: controller.signal }), { name: 'AbortError' });
    await server.exchanges.at(-1)?.closed;
  }
});

t.test('an abort ends the back-off before a retry', async (t) => {
  const server = await startModelServer(t);
  const controller = new AbortController();
  server.script((exchange) => {
    exchange.status(429, {}, { 'retry-after': '15' });
    setTimeout(() => controller.abort(), 30);
  });
  await t.rejects(collect(modelAt(server), { signal: controller.signal }), { name: 'AbortError' });
});
