import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { SandboxOptions } from '../../../../kernel/platform/sandbox/plugin.js';
import type { Exit } from '../../../../kernel/platform/sandbox/process.js';
import { becomes, until } from '../../../helpers/eventually.js';
import { callerOf, fixture, type TestPlatform } from '../../../helpers/platform.js';
import { pluginProcesses } from './processes.js';
import { failureOf, installSandboxed, pluginFolder, startSandboxed } from './world.js';

const ann = callerOf({ member_id: 7, username: 'ann', role: 'member', token_id: 'secret-id' });

interface World extends TestPlatform {
  exits: Exit[];
  ask: (operation: string, input?: object) => Promise<unknown>;
  failure: (operation: string, input?: object) => Promise<{ code: string; status?: number; message?: string }>;
}

/** A platform with hello, and the plugin `x` whose `activate` has this body. */
async function plugin(t: Test, activate: string, sandbox: Partial<SandboxOptions> = {}): Promise<World> {
  const exits: Exit[] = [];
  const platform = await startSandboxed(t, [fixture('hello')], { strict: false, settings: { log_level: 'debug' } });
  const world = worldOf(platform, exits);
  await installSandboxed(platform, await pluginFolder(t, activate), { onExit: (exit) => exits.push(exit), ...sandbox });
  return world;
}

function worldOf(platform: TestPlatform, exits: Exit[]): World {
  const ask = async (operation: string, input: object = {}) => (await platform.kernel.invoke(operation, input, ann)).body;
  const failure = (operation: string, input: object = {}) =>
    ask(operation, input).then((answer) => ({ code: `none: ${JSON.stringify(answer)?.slice(0, 200)}` }), failureOf);
  return { ...platform, exits, ask, failure };
}

const gone = { code: 'extension_unavailable', status: 503 };

/** The extension's calls fail from now on, others' do not, and the process is away. */
async function assertGone(t: Test, world: World, reason: RegExp): Promise<void> {
  await becomes(t, () => world.exits.length, 1);
  t.match(world.exits[0], { reason, expected: false });
  t.match(await world.failure('x.greet'), gone);
  const response = await fetch(`${world.url}/api/x/x/greet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  t.match([response.status, await response.json()], [503, { code: 'extension_unavailable' }]);
  t.match(await world.ask('hello.greet', { name: 'Ada' }), { greeting: 'Hello, Ada' });
  t.ok(
    world.lines.some(({ msg, extension }) => extension === 'xx' && /has lost its process/.test(String(msg))),
    'the log names the reason',
  );
}

const greeting = `const greet = () => ({ greeting: 'hi' });`;

for (const [what, [code, reason]] of Object.entries({
  'exits in a call': [`process.exit(7)`, /^its process ended with exit code 7$/],
  'throws outside of any call': [`setTimeout(() => { throw new Error('loose'); }, 1)`, /exit code 1$/],
  'rejects unseen': [`Promise.reject(new Error('loose'))`, /exit code 1$/],
  aborts: [`process.abort()`, /^its process was ended by SIG[A-Z]+$/],
  'aborts as Node does, with a reason': [
    `console.assert(false, 'early'); require('node:fs').writeSync(2, '\\n  #  node[1]: Start() at ../src/a.cc:68\\n  #  Assertion failed: (0) == (n)\\n\\n'); process.abort()`,
    /^its process was ended by SIG[A-Z]+ \(Assertion failed: \(0\) == \(n\)\)$/,
  ],
  'closes its pipe': [`require('node:fs').closeSync(3)`, /^its process|answer/],
  'writes an invalid frame': [`require('node:fs').writeSync(3, 'hello\\n')`, /^it sent an invalid frame: 'hello'$/],
  'fills its memory': [
    `const all = []; for (;;) all.push(new Array(100000).fill(all.length))`,
    /^its process ran out of memory: its heap may have 64 MB \(limits\.memory_mb in its manifest\)$/,
  ],
} satisfies Record<string, [string, RegExp]>)) {
  t.test(`a plugin that ${what} harms nobody else, and its running calls fail`, async (t) => {
    const world = await plugin(
      t,
      `${greeting} ctx.expose({ 'x.greet': op('greet'), 'x.wait': op('wait'), 'x.do': op('do'), 'x.count': stream('count') }, {
        'x.greet': greet,
        'x.wait': () => new Promise(() => {}),
        'x.do': () => { ${code}; return new Promise(() => {}); },
        'x.count': async function* () { for (let n = 0; ; n += 1) { yield { type: 'n', data: { n } }; await new Promise((done) => setTimeout(done, 5)); } },
      });`,
      { ping_every_ms: reason.test('its process did not answer') ? 700 : 5_000 },
    );
    t.same(await world.ask('x.greet'), { greeting: 'hi' });
    const waiting = [world.failure('x.wait'), world.failure('x.wait')];
    const events = (await world.ask('x.count')) as AsyncIterable<unknown>;
    const streamed = (async () => {
      for await (const _event of events);
    })().catch(failureOf);
    t.match(await world.failure('x.do'), gone);
    t.match(await Promise.all(waiting), [gone, gone]);
    t.match(await streamed, gone);
    await assertGone(t, world, reason);
  });
}

// Tests of other files have plugins too, whose folders come and go beside these.
const own = mkdtempSync(join(tmpdir(), 'platform-spools-'));
chmodSync(own, 0o711);
process.env.TMPDIR = own;
t.teardown(() => rmSync(own, { recursive: true, force: true }));

t.test('killing a plugin from outside fails its call and its stream', async (t) => {
  const world = await plugin(
    t,
    `${greeting} ctx.expose({ 'x.greet': op('greet'), 'x.wait': op('wait') }, { 'x.greet': greet, 'x.wait': () => new Promise(() => {}) });`,
  );
  // The newest: hello has one too.
  const pid = Math.max(...pluginProcesses());
  const waiting = world.failure('x.wait');
  process.kill(pid, 'SIGKILL');
  t.match(await waiting, { ...gone, message: "Extension 'xx' is not available: its process ended" });
  await assertGone(t, world, /^its process was ended by SIGKILL$/);
  t.notOk(
    world.lines.some(({ msg }) => /^unshare/.test(String(msg))),
    'no line is logged in the name of the plugin',
  );
});

t.test('a plugin in an endless loop times out its call and is ended, while others go on', async (t) => {
  const world = await plugin(
    t,
    `${greeting} ctx.expose({ 'x.greet': op('greet'), 'x.spin': op('spin') }, { 'x.greet': greet, 'x.spin': () => { for (;;); } });`,
    { call_timeout_ms: 200, ping_every_ms: 500 },
  );
  t.match(await world.failure('x.spin'), {
    code: 'operation_timeout',
    status: 503,
    message: 'x.spin took longer than 0.2 s and was aborted',
  });
  t.match(await world.failure('x.greet'), { code: /operation_timeout|extension_unavailable/ });
  await assertGone(t, world, /^its process did not answer$/);
});

t.test('a call is aborted at its time limit in the plugin, and its late answer is dropped', async (t) => {
  const world = await plugin(
    t,
    `const reasons = []; ctx.expose({ 'x.slow': op('slow', { timeout_ms: 50 }), 'x.reasons': op('reasons') }, {
      'x.slow': async (_input, { signal }) => {
        await new Promise((done) => signal.addEventListener('abort', done));
        reasons.push([signal.reason.code, signal.reason.message]);
        return 'late';
      },
      'x.reasons': () => reasons,
    });`,
  );
  t.match(await world.failure('x.slow'), { code: 'operation_timeout' });
  await becomes(t, () => world.ask('x.reasons'), [['operation_timeout', 'x.slow took longer than 0.05 s and was aborted']]);
  t.same(world.exits, []);
});

for (const [what, [code, message]] of Object.entries({
  throws: [`throw new TypeError('not today')`, "Extension 'xx' 1.0.0 failed to start: not today"],
  exits: [`process.exit(3)`, "Extension 'xx' 1.0.0 failed to start: its process ended with exit code 3"],
  'never ends': [`await new Promise(() => {})`, "Extension 'xx' 1.0.0 failed to start: activate() took longer than 1.5 s"],
  spins: [`for (;;);`, "Extension 'xx' 1.0.0 failed to start: activate() took longer than 1.5 s"],
  'requires a package of the platform': [
    `require('joi')`,
    "Extension 'xx' requires 'joi', which its manifest does not name under 'requires'",
  ],
  'exposes twice': [
    `ctx.expose({ 'x.a': op('a') }, { 'x.a': () => 1 }); ctx.expose({ 'x.b': op('b') }, { 'x.b': () => 1 });`,
    "Extension 'xx' 1.0.0 failed to start: expose() was called twice",
  ],
  'exposes what has no handler': [
    `ctx.expose({ 'x.a': op('a') }, {})`,
    "Extension 'xx' 1.0.0 failed to start: Operation 'x.a' has no handler",
  ],
  'exposes what lies elsewhere': [
    `ctx.expose({ 'x.a': op('a', { path: '/api/members' }) }, { 'x.a': () => 1 })`,
    "Extension 'xx' exposes /api/members, which is outside the paths that it claims",
  ],
  'exposes no operation': [
    `ctx.expose({ 'x.a': op('a', { method: 'TRACE' }) }, { 'x.a': () => 1 })`,
    /Its contributions are invalid: "operations.x.a.method" must be one of/,
  ],
  "has a schema that can't be data": [
    `ctx.expose({ 'x.a': op('a', { input: (j) => j.object({ a: j.string().custom((value) => value) }) }) }, { 'x.a': () => 1 })`,
    /failed to start: value.a: Joi's rule 'custom' can't be written as data/,
  ],
  'writes an invalid frame': [
    `require('node:fs').writeSync(3, '{}\\n'); await new Promise(() => {})`,
    "Extension 'xx' 1.0.0 failed to start: it sent an invalid frame: '{}'",
  ],
} satisfies Record<string, [string, string | RegExp]>)) {
  t.test(`a plugin whose start ${what} is rejected with a sentence, and its process ends`, async (t) => {
    const exits: Exit[] = [];
    const platform = await startSandboxed(t, []);
    const folder = await pluginFolder(t, code);
    // Whoever fails by himself has the usual time for it.
    const limit = /took longer/.test(String(message)) ? { activate_timeout_ms: 1_500 } : {};
    await t.rejects(installSandboxed(platform, folder, { ...limit, onExit: (exit: Exit) => exits.push(exit) }), { message });
    await becomes(t, () => exits.length, 1);
  });
}

t.test("errors of a plugin's code appear in its own log, failures with a code do not", async (t) => {
  const world = await plugin(
    t,
    `ctx.expose({ 'x.crash': op('crash'), 'x.refuse': op('refuse'), 'x.break': stream('break') }, {
      'x.crash': () => { throw new TypeError('no such thing'); },
      'x.refuse': () => { throw Object.assign(new Error('not you'), { isFailure: true, code: 'forbidden', status: 403 }); },
      'x.break': async function* () { yield { type: 'a', data: {} }; throw new RangeError('too far'); },
    });`,
  );
  t.match(await world.failure('x.crash'), { code: 'internal_error' });
  await world.failure('x.refuse');
  const events = (await world.ask('x.break')) as AsyncIterable<unknown>;
  await t.rejects(async () => {
    for await (const _event of events);
  });
  const errors = world.lines.filter(({ level, extension }) => level === 'error' && extension === 'xx');
  t.match(errors, [
    { msg: 'x.crash failed', err: { name: 'TypeError', message: 'no such thing', stack: /index\.cjs/ } },
    { msg: 'x.break failed', err: { name: 'RangeError', message: 'too far' } },
  ]);
});

t.test("an error of a plugin's listener is in its log, with its id in the server's log", async (t) => {
  const world = await plugin(
    t,
    `ctx.expose({ 'x.emit': op('emit') }, { 'x.emit': async () => { await ctx.emit('xx.happened', {}); return 1; } });
    ctx.listen('xx.happened', async () => { throw new RangeError('deaf'); });`,
  );
  await world.ask('x.emit');
  const failed = { message: /^A listener of 'xx\.happened' failed/, fields: { err: { name: 'RangeError', message: 'deaf' } } };
  const own = async () =>
    ((await world.kernel.invoke('plugins.get', { name: 'xx' }, callerOf())).body as { log: { message: string }[] }).log;
  const log = await until(own, (lines) => lines.some(({ message }) => failed.message.test(message)));
  t.match(log.at(-1), failed);
  t.match(
    world.lines.filter(({ msg }) => failed.message.test(String(msg))),
    [{ extension: 'xx', level: 'warn' }],
  );
});

t.test('1,000 calls, 32 at a time, each get their own answer', async (t) => {
  const world = await plugin(
    t,
    `ctx.expose({ 'x.twice': op('twice') }, { 'x.twice': async ({ n }) => { if (n % 3 === 0) await null; return { n: 2 * n }; } });`,
  );
  let next = 0;
  const answers: unknown[] = [];
  const lane = async () => {
    while (next < 1_000) {
      const n = next++;
      answers[n] = await world.ask('x.twice', { n });
    }
  };
  await Promise.all(Array.from({ length: 32 }, lane));
  t.same(
    answers,
    Array.from({ length: 1_000 }, (_, n) => ({ n: 2 * n })),
  );
});

t.test('calls beyond the agreed number are rejected temporarily, and the others are answered', async (t) => {
  const world = await plugin(
    t,
    `const pause = (ms) => new Promise((done) => setTimeout(done, ms));
    ctx.expose({ 'x.wait': op('wait') }, { 'x.wait': async () => { await pause(300); return 'waited'; } });`,
  );
  const calls = Array.from({ length: 300 }, () => world.failure('x.wait'));
  const refused = await Promise.race(calls);
  t.match(refused, { code: 'extension_unavailable', status: 503, message: "Extension 'xx' is busy with 256 calls", retry_after: 1 });
  const codes = (await Promise.all(calls)).map(({ code }) => code);
  t.equal(codes.filter((code) => code === 'none: "waited"').length, 256);
  t.equal(codes.filter((code) => code === 'extension_unavailable').length, 44);
  t.same(world.exits, []);
});

t.test('a plugin may make many calls at once', async (t) => {
  const world = await plugin(
    t,
    `ctx.expose({ 'x.many': op('many') }, {
      'x.many': async () => {
        await Promise.all(Array.from({ length: 600 }, (_, n) => ctx.storage.get('key ' + n)));
        const answers = await Promise.all(Array.from({ length: 400 }, () => ctx.call('hello.whoami', {})));
        return [...new Set(answers.map(({ username }) => username))];
      },
    });`,
  );
  t.same(await world.ask('x.many'), ['ann']);
});

t.test('calls that a plugin makes outside of any call run as the plugin itself, whoever started or called it', async (t) => {
  const world = await plugin(
    t,
    `let seen = [];
    const ask = () => ctx.call('hello.whoami', {}).then((who) => seen.push(who), (fault) => seen.push(fault.code));
    ctx.expose({ 'x.later': op('later'), 'x.seen': op('seen') }, { 'x.later': () => { setTimeout(ask, 20); }, 'x.seen': () => seen });
    setTimeout(ask, 20);`,
  );
  const itself = { member_id: 0, username: 'xx' };
  await becomes(t, () => world.ask('x.seen'), [itself]);
  await world.ask('x.later');
  await becomes(t, () => world.ask('x.seen'), [itself, itself]);
  await world.kernel.invoke('plugins.disable', { name: 'xx' }, callerOf());
  await world.kernel.invoke('plugins.enable', { name: 'xx' }, callerOf());
  await becomes(t, () => world.ask('x.seen'), [itself]);
});

t.test('the plugin learns its caller, but neither a token nor the environment', async (t) => {
  const world = await plugin(
    t,
    `ctx.expose({ 'x.see': op('see') }, { 'x.see': (_input, { caller }) => ({ caller, env: Object.keys(process.env), arguments: process.argv.length }) });`,
  );
  t.match(await world.ask('x.see'), { caller: { member_id: 7, username: 'ann', token_id: '' }, env: [] });
});

t.test('the plugin can read its bundle and write its own folder, and nothing else', async (t) => {
  const world = await plugin(
    t,
    `const fs = require('node:fs');
    const tries = {
      own: async () => { const file = (await ctx.files()) + '/a'; fs.writeFileSync(file, 'a'); return fs.readFileSync(file, 'utf8'); },
      bundle: () => fs.readFileSync(__filename, 'utf8').length > 0,
      passwd: () => fs.readFileSync('/etc/passwd', 'utf8'),
      etc: () => fs.readdirSync('/etc'),
      data: async () => fs.readdirSync((await ctx.files()) + '/../..'),
      proc: () => fs.readFileSync('/proc/self/environ', 'utf8'),
      'its bundle, written': () => fs.writeFileSync(__filename, ''),
      tmp: () => fs.writeFileSync('/tmp/planted', ''),
      link: async () => fs.symlinkSync('/etc', (await ctx.files()) + '/link'),
      spawn: () => require('node:child_process').execFileSync('/bin/true'),
      worker: () => new (require('node:worker_threads').Worker)('1', { eval: true }),
      inspector: () => require('node:inspector').open(0),
    };
    ctx.expose({ 'x.try': op('try') }, { 'x.try': async ({ what }) => {
      try { return { done: await tries[what]() }; } catch (fault) { return { refused: fault.code }; }
    } });`,
  );
  t.same(await world.ask('x.try', { what: 'own' }), { done: 'a' });
  t.same(await world.ask('x.try', { what: 'bundle' }), { done: true });
  for (const what of ['passwd', 'etc', 'data', 'proc', 'its bundle, written', 'tmp', 'link', 'spawn', 'worker']) {
    t.match(await world.ask('x.try', { what }), { refused: /^ERR_/ }, what);
  }
});

t.test("a plugin's output is logged, truncated and counted", async (t) => {
  const world = await plugin(
    t,
    `ctx.expose({ 'x.print': op('print') }, { 'x.print': () => {
      console.log('a line');
      console.error('a complaint \\u001b[31m');
      console.log('y'.repeat(5000));
      for (let n = 0; n < 2000; n += 1) console.log('line ' + n);
    } });`,
  );
  await world.ask('x.print');
  const printed = () => world.lines.filter(({ stream }) => stream !== undefined);
  await until(printed, (lines) => lines.some(({ msg }) => /… and \d+ more lines/.test(String(msg))));
  t.match(printed()[0], { level: 'info', extension: 'xx', msg: 'a line', stream: 'stdout' });
  t.ok(printed().some(({ level, stream, msg }) => level === 'warn' && stream === 'stderr' && String(msg).startsWith('a complaint')));
  t.ok(printed().some(({ msg }) => msg === `${'y'.repeat(2000)}…`));
  t.ok(printed().length < 320, `${printed().length} lines`);
  t.equal(await world.ask('x.print'), undefined);
});

t.test('a plugin that floods its log is ended without delaying others', async (t) => {
  const world = await plugin(
    t,
    `${greeting} ctx.expose({ 'x.greet': op('greet'), 'x.flood': op('flood') }, { 'x.greet': greet, 'x.flood': async () => {
      const text = 'x'.repeat(200);
      for (;;) { for (let n = 0; n < 1000; n += 1) ctx.log.info(text); await new Promise(setImmediate); }
    } });`,
  );
  const flood = world.failure('x.flood');
  while (world.exits.length === 0) t.match(await world.ask('hello.greet', { name: 'Ada' }), { greeting: 'Hello, Ada' });
  t.match(await flood, gone);
  // Where the platform has much else to do, its own memory is at an end before.
  await assertGone(t, world, /^it floods its pipe with unexpected messages$|^its process was ended by SIG(SEGV|ABRT|TRAP|ILL|KILL)$/);
  const logged = world.lines.filter(({ msg }) => msg === 'x'.repeat(200)).length;
  t.ok(logged < 5_000, `${logged} lines were logged`);
});

t.test('endless output of a plugin is read slowly while it keeps answering', async (t) => {
  const world = await plugin(
    t,
    `ctx.expose({ 'x.shout': op('shout') }, { 'x.shout': () => { for (let n = 0; n < 10000; n += 1) console.log('x'.repeat(250)); return 'done'; } });`,
  );
  for (let n = 0; n < 4; n += 1) t.equal(await world.ask('x.shout'), 'done');
  t.match(await world.ask('hello.greet', { name: 'Ada' }), { greeting: 'Hello, Ada' });
  t.ok(world.lines.filter(({ stream }) => stream === 'stdout').length < 500);
  t.same(world.exits, []);
});

t.test('without a reader the plugin stops producing, and the platform buffers little', async (t) => {
  const world = await plugin(
    t,
    `let made = 0; ctx.expose({ 'x.made': op('made'), 'x.much': stream('much') }, {
      'x.made': () => made,
      'x.much': async function* () { for (;;) { made += 1; yield { type: 'much', data: { text: 'x'.repeat(50000) } }; } },
    });`,
  );
  const streams = await Promise.all(Array.from({ length: 100 }, () => world.ask('x.much')));
  const readers = streams.map((stream) => (stream as AsyncIterable<unknown>)[Symbol.asyncIterator]());
  const before = process.memoryUsage();
  await Promise.all(readers.map((reader) => reader.next()));
  const made = await until(
    async () => (await world.ask('x.made')) as number,
    (now) => now >= 300,
  );
  t.ok(made <= 400, `${made} events of 50 kB for 100 readers that took one each`);
  const { heapUsed, external } = process.memoryUsage();
  t.ok(heapUsed + external - before.heapUsed - before.external < 100_000_000);
  const start = performance.now();
  t.equal(typeof (await world.ask('x.made')), 'number');
  t.ok(performance.now() - start < 10_000, 'other calls are answered');
  for (const reader of readers) await reader.return?.();
});

t.test('answers that are too long or invalid fail only their own call', async (t) => {
  const world = await plugin(
    t,
    `const fs = require('node:fs');
    ctx.expose({ 'x.long': op('long'), 'x.status': op('status'), 'x.event': stream('event'), 'x.none': stream('none'), 'x.odd': op('odd') }, {
      'x.long': () => 'x'.repeat(17000000),
      'x.status': (_input, call) => { call.status(302); return {}; },
      'x.event': async function* () { yield 'no event'; },
      'x.none': () => ({ no: 'stream' }),
      'x.odd': () => { throw Object.assign(new Error('odd'), { isFailure: true, code: 'Not A Code', status: 'x' }); },
    });`,
  );
  t.match(await world.failure('x.long'), { code: 'internal_error', message: /too long/ });
  t.match(await world.failure('x.status'), { code: 'internal_error', message: 'hidden' });
  t.match(await world.failure('x.none'), { code: 'internal_error', message: 'hidden' });
  t.match(await world.failure('x.odd'), { code: 'internal_error', message: 'hidden' });
  const events = (await world.ask('x.event')) as AsyncIterable<unknown>;
  await t.rejects(events[Symbol.asyncIterator]().next(), { message: 'x.event sent an invalid event' });
  t.same(world.exits, []);
});

t.test('at a stop the plugin is notified and may finish, then its process and folder are removed', async (t) => {
  const spools = () =>
    readdirSync(tmpdir()).filter((name) => name.startsWith('platform-plugin-') && !name.startsWith('platform-plugin-test-'));
  const before = spools();
  const world = await plugin(
    t,
    `ctx.signal.addEventListener('abort', () => ctx.log.info('told to stop: ' + ctx.signal.reason));
    exports.default.deactivate = async (reason) => { await new Promise((done) => setTimeout(done, 50)); ctx.log.info('deactivated: ' + reason); };
    ctx.expose({ 'x.greet': op('greet') }, { 'x.greet': () => 'hi' });`,
  );
  const pid = Math.max(...pluginProcesses());
  t.equal(await world.ask('x.greet'), 'hi');
  await world.kernel.host.disable('xx');
  t.same(
    world.exits.map(({ expected }) => expected),
    [true],
  );
  t.equal(existsSync(`/proc/${pid}`), false);
  const said = world.lines.filter(({ extension }) => extension === 'xx').map(({ msg }) => msg);
  t.same(
    said.filter((msg) => /told|deactivated/.test(String(msg))),
    ['told to stop: removed', 'deactivated: removed'],
  );
  await world.kernel.close();
  t.same(
    spools().filter((name) => !before.includes(name)),
    [],
  );
});

t.test('a replacement serves at once, and the old process ends with its stream', async (t) => {
  const version = (n: number) => `ctx.expose({ 'x.version': op('version'), 'x.count': stream('count') }, { 'x.version': () => ${n},
    'x.count': async function* () { for (let n = 0; n < 20; n += 1) { yield { type: 'n', data: { n } }; await new Promise((done) => setTimeout(done, 20)); } } });`;
  const world = await plugin(t, version(1));
  t.equal(await world.ask('x.version'), 1);
  const pid = Math.max(...pluginProcesses());
  const events = (await world.ask('x.count')) as AsyncIterable<unknown>;
  const all = (async () => {
    let count = 0;
    for await (const _event of events) count += 1;
    return count;
  })();
  await installSandboxed(world, await pluginFolder(t, version(2)));
  t.equal(await world.ask('x.version'), 2);
  t.equal(existsSync(`/proc/${pid}`), true);
  t.equal(await all, 20);
  await becomes(t, () => existsSync(`/proc/${pid}`), false);
});
