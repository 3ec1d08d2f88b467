import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { becomes } from '../../../helpers/eventually.js';
import { callerOf, fixture, temporaryFolder } from '../../../helpers/platform.js';
import { bystander } from './bystander.js';
import { failureOf, installSandboxed, pluginFolder, startSandboxed } from './world.js';

const ann = callerOf({ member_id: 7, username: 'ann', role: 'member' });

interface Hostile {
  /** The body of the handler of `attack`. */
  does: string;
  /** The layer that stops it, and the sign of that. */
  wall: string;
  /** How the call ends. */
  ends: object;
  /** Why its process is ended; left out: it goes on. */
  ended?: RegExp;
  /** Effect on a platform in whose process the same code runs. */
  inside?: 'it ends' | 'it falls silent' | 'its answers change';
}

const gone = { code: 'extension_unavailable', status: 503 };
/** Writes lines to its pipe, past all that the platform's part in its process would see to; what is not taken at once is tried again. */
const writing = `const write = (line) => {
  const bytes = Buffer.from(line + '\\n');
  for (let at = 0; at < bytes.length; ) {
    try { at += require('node:fs').writeSync(3, bytes, at); } catch (fault) { if (fault.code !== 'EAGAIN') throw fault; }
  }
};`;

const attacks: Record<string, Hostile> = {
  spins: {
    does: 'for (;;);',
    wall: 'a process of its own, and its pings',
    ends: gone,
    ended: /did not answer/,
    inside: 'it falls silent',
  },
  exits: { does: 'process.exit(7);', wall: 'a process of its own', ends: gone, ended: /exit code 7/, inside: 'it ends' },
  'fills its heap': {
    does: 'const all = []; for (;;) all.push(new Array(100000).fill(all.length));',
    wall: '--max-old-space-size',
    ends: gone,
    ended: /^its process ran out of memory: its heap may have 64 MB/,
    inside: 'it ends',
  },
  'pollutes prototypes': {
    does: `Object.prototype.toJSON = function () { return 'polluted'; }; return 1;`,
    wall: 'a process of its own',
    ends: gone,
    ended: /sent an invalid frame/,
    inside: 'its answers change',
  },
  'floods its log': {
    does: `const text = 'x'.repeat(200); for (;;) { for (let n = 0; n < 1000; n += 1) ctx.log.info(text); await new Promise(setImmediate); }`,
    wall: 'a budget of log lines',
    ends: gone,
    ended: /floods its pipe/,
  },
  'logs more in one go than its heap holds': {
    does: `const text = 'x'.repeat(1000); for (let n = 0; n < 300_000; n += 1) ctx.log.info(text); return 'done';`,
    wall: 'a log that loses lines instead',
    ends: { body: 'done' },
  },
  'floods its pipe with unexpected answers': {
    does: `const line = '{"type":"answer","id":999999}'; for (let n = 0; n < 1e9; n += line.length) write(line);`,
    wall: 'a budget of useless frames',
    ends: gone,
    ended: /floods its pipe/,
  },
  'answers with a gigabyte': {
    does: `const line = '+1 ' + 'x'.repeat(65000); for (let n = 0; n < 1e9; n += line.length) write(line);`,
    wall: 'messages of at most 16 MiB',
    ends: gone,
    ended: /longer than 16 MiB/,
  },
  'answers twice, and much later once more': {
    does: `const again = () => write(JSON.stringify({ type: 'answer', id: 2, value: { body: 'forged' } }));
      setTimeout(again, 5); setTimeout(again, 50); return 'once';`,
    wall: 'numbers that are known once',
    ends: { body: 'once' },
  },
  'sends malformed frames': {
    does: `write('{"type":"answer"'); await new Promise(() => {});`,
    wall: 'a check of each frame',
    ends: gone,
    ended: /invalid frame/,
  },
  'answers with the keys of prototypes': {
    does: `return JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');`,
    wall: 'answers that are data',
    ends: { body: Object },
  },
  'asks for more at once than it may': {
    does: `for (let id = 1; id < 400; id += 1) write(JSON.stringify({ type: 'request', id: 100000 + id, method: 'call', params: { operation: 'hello.slow', input: { ms: 5000 } } }));
      await new Promise(() => {});`,
    wall: '256 requests at once',
    ends: gone,
    ended: /more than 256 requests/,
  },
  'asks and never reads': {
    does: `const ask = (n) => JSON.stringify({ type: 'request', id: 200000 + n, method: 'call', params: { operation: 'hello.greet', input: { name: 'x' } } });
      const asks = Array.from({ length: 200 }, (_, n) => ask(n)).join('\\n'); for (;;) write(asks);`,
    wall: 'numbers used once, and what may wait to be read',
    ends: gone,
    ended: /two requests|more than 256|does not read|did not answer/,
  },
};

const code = ({ does }: Hostile) => `${writing} ctx.expose({ 'x.greet': op('greet'), 'x.attack': op('attack', { timeout_ms: 60000 }) }, {
  'x.greet': () => ({ greeting: 'hi' }),
  'x.attack': async () => { ${does} },
});`;

for (const [what, attack] of Object.entries(attacks)) {
  t.test(`a plugin that ${what} is stopped by ${attack.wall} while others are answered`, async (t) => {
    const exits: { reason: string }[] = [];
    const platform = await startSandboxed(t, [], { strict: false, extensions: [fixture('hello')] });
    const install = async () =>
      installSandboxed(platform, await pluginFolder(t, code(attack)), {
        // Attackers that another layer stops have the usual time to answer, however busy the machine is.
        ping_every_ms: attack.ended?.test('did not answer') ? 700 : 5_000,
        onExit: (exit) => exits.push(exit),
        permissions: { operations: ['hello.slow', 'hello.greet'], public_routes: true },
      });
    await install();
    const ask = (operation: string) => platform.kernel.invoke(operation, {}, ann).catch(failureOf);
    t.match(await ask('x.greet'), { body: { greeting: 'hi' } }, 'before');
    const unharmed = await bystander(platform);
    t.match(await ask('x.attack'), attack.ends);
    if (attack.ended) {
      await becomes(t, () => exits.length, 1);
      t.match(exits[0], { reason: attack.ended });
    } else {
      await new Promise((done) => setTimeout(done, 200));
    }
    await unharmed(t);
    t.equal(({} as { polluted?: number }).polluted, undefined);
    if (attack.ended) await install();
    t.match(await ask('x.greet'), { body: { greeting: 'hi' } }, 'after');
  });
}

/** Runs the attack in the process of a platform of its own, and returns the effect. */
async function fate(t: Test, attack: Hostile): Promise<string> {
  const program = fileURLToPath(new URL('./inside.js', import.meta.url));
  const folders = [await pluginFolder(t, code(attack)), await temporaryFolder(t)];
  const child = fork(program, folders, { execArgv: ['--max-old-space-size=128'], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  t.teardown(() => child.kill('SIGKILL'));
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  const asked = fetch(`${url}/api/x/x/attack`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }).catch(
    () => undefined,
  );
  return Promise.race([ended(child), asked.then(() => afterwards(url)), silent(url)]);
}

const ended = (child: ChildProcess) => once(child, 'exit').then(() => 'it ends');

async function afterwards(url: string): Promise<string> {
  const text = await fetch(`${url}/api/x/hello/greet?name=Ada`)
    .then((answer) => answer.text())
    .catch(() => undefined);
  // An end is told by itself.
  if (text === undefined) return new Promise(() => undefined);
  return text.includes('Hello, Ada') ? 'nothing' : 'its answers change';
}

async function silent(url: string): Promise<string> {
  await new Promise((done) => setTimeout(done, 500));
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(8_000) }).catch((fault: Error) => fault.name);
  return answer === 'TimeoutError' ? 'it falls silent' : new Promise(() => undefined);
}

for (const [what, attack] of Object.entries(attacks).filter(([, { inside }]) => inside !== undefined)) {
  t.test(`without its own process, if a plugin ${what}, ${attack.inside}`, async (t) => {
    t.equal(await fate(t, attack), attack.inside);
  });
}
