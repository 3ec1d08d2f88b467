import assert from 'node:assert/strict';
import { BlockList, isIP } from 'node:net';
import { posix, win32 } from 'node:path';
import fc, { type Arbitrary } from 'fast-check';
import t from 'tap';
import * as ws from 'ws';
import { durationOf } from '../cli/units.js';
import { EventParser } from '../extensions/agents/model/event-parser.js';
import { freeUsername, isUsername, usernameFrom } from '../extensions/members/username.js';
import { cpuOf, memoryOf } from '../extensions/nodes/containers/limits.js';
import { readCron } from '../extensions/schedules/triggers/cron.js';
import { readInterval } from '../extensions/schedules/triggers/interval.js';
import { readOnce } from '../extensions/schedules/triggers/once.js';
import { frames } from '../kernel/client/sse.js';
import { isFailure } from '../kernel/contract/failure.js';
import { parseForeignManifest } from '../kernel/core/host/foreign-manifest.js';
import { unmetDependency } from '../kernel/core/host/order.js';
import { moment } from '../kernel/platform/audit/trail.js';
import { assertSafe, Names } from '../kernel/platform/bundles/names.js';
import { ClientAddress } from '../kernel/platform/http/address.js';
import { eventFrame, heartbeat, retryFrame } from '../kernel/platform/http/frames.js';
import { readFrame } from '../kernel/platform/http/socket/client-frame.js';
import { textFrame } from '../kernel/platform/http/socket/frame-bytes.js';
import { formatCursor, parseCursor } from '../kernel/platform/journal/position.js';
import { inRange, normalAddress, refusalOf } from '../kernel/platform/net/address.js';
import { pluginManifest } from './kernel/platform/bundles/world.js';

/** The same at each run. */
const runs = { seed: 20_261_122, numRuns: 300, endOnFailure: true };

/** Made once: it has a table of all characters. */
const anyText = fc.string({ unit: 'binary', maxLength: 60 });

/** Any text: of any characters, of those that parsers look for, and damaged good ones. */
function textNear(...good: readonly [string, ...string[]]): Arbitrary<string> {
  const marks = fc.constantFrom(...' -+.,:;/\\*?{}[]"\'=%&#@!~^$()<>|_0123456789eEmhsgkKZT\0\n\r\t\u00a0\u202e\ud800é你😀'.split(''));
  const damaged = fc
    .tuple(fc.constantFrom(...good), fc.nat(60), fc.nat(3), fc.string({ unit: marks, maxLength: 3 }))
    .map(([text, at, gone, put]) => text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + gone));
  return fc.oneof(anyText, fc.string({ unit: marks, maxLength: 40 }), damaged, fc.constantFrom(...good));
}

function holds<T>(of: Arbitrary<T>, claim: (value: T) => void): void {
  fc.assert(fc.property(of, claim), runs);
}

/** Returns the result, or undefined if the parser refuses with a failure of ours; anything else that is thrown is a fault. */
function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (fault) {
    assert(isFailure(fault) || (fault as Error).name === 'UsageError', `It should be refused with a sentence, but: ${String(fault)}`);
    return undefined;
  }
}

t.test('an accepted duration is a whole number of seconds, at most a day', async (t) => {
  holds(textNear('90s', '10m', '2h', '24h'), (text) => {
    const ms = unlessRefused(() => durationOf(text, '--for'));
    if (ms !== undefined) assert(ms >= 0 && ms <= 86_400_000 && ms % 1_000 === 0 && /^\d+[smh]$/.test(text), text);
  });
  holds(fc.tuple(fc.nat(86_400), fc.constantFrom('s', 'm', 'h')), ([count, unit]) => {
    const ms = count * { s: 1_000, m: 60_000, h: 3_600_000 }[unit as 's'];
    assert.equal(
      unlessRefused(() => durationOf(`${count}${unit}`, '--for')),
      ms <= 86_400_000 ? ms : undefined,
    );
  });
  t.pass();
});

t.test('an accepted limit is within its bounds, and a larger number is never a smaller limit', async (t) => {
  holds(textNear('512m', '1.5g', '536870912b', '512MiB'), (text) => {
    const limit = memoryOf(text);
    if ('value' in limit) assert(Number.isSafeInteger(limit.value) && limit.value >= 6 * 1024 ** 2 && limit.value <= 1024 ** 4, text);
  });
  holds(textNear('1.5', '0.01', '1024'), (text) => {
    const limit = cpuOf(text);
    if ('value' in limit) assert(Number.isSafeInteger(limit.value) && limit.value >= 10_000_000 && limit.value <= 1_024_000_000_000, text);
  });
  holds(fc.tuple(fc.nat(1_024_000), fc.nat(1_024_000), fc.constantFrom(memoryOf, cpuOf)), ([a, b, of]) => {
    const [less, more] = [Math.min(a, b), Math.max(a, b)].map((n) => of(of === memoryOf ? `${n}k` : String(n / 1_000)));
    if (less && more && 'value' in less && 'value' in more) assert(less.value <= more.value);
  });
  t.pass();
});

t.test('any text of a planned time is parsed or has a fault', async (t) => {
  const good = textNear('*/5 9-17 * * 1-5', '0 0 29 2 *', '15m', '2h', '2026-11-20T08:30:00Z', '2026-11-20T08:30+02:00');
  holds(good, (text) => {
    for (const read of [readCron, readInterval, readOnce]) {
      const found = read(text);
      assert('value' in found || (found.faults.length > 0 && found.faults.every((fault) => fault.length < 1_000)), text);
    }
    const time = unlessRefused(() => moment('from', text));
    if (time) assert.equal(new Date(time.from as string).toISOString(), time.from);
  });
  t.pass();
});

t.test('a user name derived from a name is valid, and a free one is unused', async (t) => {
  holds(fc.tuple(textNear('Ada Lovelace', 'Łukasz', '你好'), fc.array(fc.nat(5))), ([name, numbers]) => {
    const base = usernameFrom(name);
    assert(base === undefined || isUsername(base), name);
    const taken = new Set(numbers.map((n) => (base === undefined ? `employee-${n}` : n < 2 ? base : `${base}-${n}`)));
    const free = freeUsername(base, taken);
    assert(isUsername(free) && !taken.has(free), free);
  });
  t.pass();
});

t.test('a cursor can be read back, and only by its own topic', async (t) => {
  const word = fc.stringMatching(/^[a-z0-9:-]{1,20}$/);
  const topic = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('.'));
  holds(fc.record({ topic, epoch: word, n: fc.nat() }), ({ topic, epoch, n }) => {
    assert.deepEqual(parseCursor(topic, formatCursor(topic, { epoch, n })), { epoch, n });
    assert.equal(parseCursor(`${topic}x`, formatCursor(topic, { epoch, n })).epoch, '');
  });
  holds(textNear('chat.e1.7', 'chat.e1.', 'chat..7'), (text) => {
    const { epoch, n } = parseCursor('chat', text);
    assert(Number.isSafeInteger(n) && n >= 0 && (epoch !== '' || n === 0), text);
  });
  t.pass();
});

t.test('an event stream is parsed the same, however it is split', async (t) => {
  const line = anyText;
  const event = fc.record({
    id: fc.option(line, { nil: undefined }),
    type: line,
    data: fc.dictionary(line, fc.jsonValue({ maxDepth: 2 })),
  });
  const written = fc.record({
    events: fc.array(event, { maxLength: 5 }),
    cuts: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
  });
  await fc.assert(
    fc.asyncProperty(written, async ({ events, cuts }) => {
      const text = events.map(({ id, ...rest }) => heartbeat + eventFrame({ ...rest, ...(id === undefined ? {} : { id }) }));
      const bytes = Buffer.from(retryFrame(3_000) + text.join(''));
      const own = [];
      for await (const frame of frames(pieces(bytes, cuts))) own.push(frame);
      assert.equal(own.shift()?.retry, 3_000);
      const shown = events.map(({ type, data }) => JSON.parse(JSON.stringify({ type, ...data })) as unknown);
      assert.deepEqual(
        own.map(({ data = '' }) => JSON.parse(data) as unknown),
        shown,
      );
      assert.deepEqual(
        own.map(({ id }) => id === undefined),
        events.map(({ id }) => id === undefined),
      );
      const parser = new EventParser();
      const theirs: string[] = [];
      for await (const piece of pieces(bytes, cuts)) theirs.push(...parser.add(piece));
      assert.deepEqual(
        [...theirs, ...parser.end()].map((data) => JSON.parse(data) as unknown),
        shown,
        'the parser of model answers agrees',
      );
    }),
    { ...runs, numRuns: 100 },
  );
  t.pass();
});

async function* pieces(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = cuts[turn % cuts.length] as number;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

t.test("a client's frame is parsed or rejected, and our frame round-trips", async (t) => {
  const json = fc.oneof(
    fc.json(),
    fc.record({ type: fc.anything(), id: fc.anything(), data: fc.anything() }).map((value) => safeJson(value)),
  );
  holds(fc.oneof(json, textNear('{"type":"ping"}', '{"type":"x","id":1,"data":{"a":{"__proto__":1}}}')), (text) => {
    const frame = unlessRefused(() => readFrame(text));
    if (frame)
      assert(typeof frame.type === 'string' && typeof frame.data === 'object' && Object.getPrototypeOf(frame.data) === Object.prototype);
  });
  const { Receiver } = ws as unknown as { Receiver: new (options: object) => NodeJS.EventEmitter & { write(bytes: Buffer): void } };
  const sizes = fc.oneof(fc.nat(300), fc.constantFrom(125, 126, 127, 65_535, 65_536, 65_537));
  holds(fc.tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 9 }), sizes), ([unit, size]) => {
    const text = unit.repeat(Math.ceil(size / unit.length));
    const received: string[] = [];
    const receiver = new Receiver({ isServer: false, allowSynchronousEvents: true });
    receiver.on('message', (data: Buffer) => received.push(data.toString()));
    receiver.write(textFrame(text));
    assert.deepEqual(received, [Buffer.from(text).toString()]);
  });
  t.pass();
});

function safeJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? String(each) : each)) ?? '{}';
}

t.test('addresses and ranges agree with Node in each spelling, and private ones are rejected', async (t) => {
  const v4 = fc.ipV4();
  const bits = fc.integer({ min: 0, max: 32 });
  holds(fc.tuple(v4, v4, bits), ([address, base, bits]) => {
    const list = new BlockList();
    list.addSubnet(base, bits, 'ipv4');
    assert.equal(inRange(address, `${base}/${bits}`), list.check(address, 'ipv4'), `${address} in ${base}/${bits}`);
    assert.equal(normalAddress(`::ffff:${address}`), address);
    assert.equal(refusalOf(`::ffff:${address}`), refusalOf(address), 'an IPv4-mapped IPv6 address gives the same result');
    assert.equal(refusalOf(`64:ff9b::${address}`), refusalOf(address), 'a NAT64 address gives the same result');
  });
  const own = fc.oneof(
    fc.nat(0xff_ffff).map((n) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`),
    fc.nat(0xff_ffff).map((n) => `127.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`),
    fc.nat(0xffff).map((n) => `169.254.${n >> 8}.${n & 255}`),
    fc.nat(0xffff).map((n) => `192.168.${n >> 8}.${n & 255}`),
    fc.nat(0xf_ffff).map((n) => `172.${16 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`),
    fc
      .ipV6()
      .map((address) => `fd00:${address.split(':').at(-1)}::1`)
      .filter((address) => isIP(address) === 6),
  );
  holds(own, (address) => assert(refusalOf(address), address));
  t.pass();
});

t.test("a forwarded address is valid, or else the peer's is used", async (t) => {
  const header = fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), textNear('[::1]:80', '1.2.3.4:5', 'unknown', '_hidden')), { maxLength: 4 });
  holds(fc.tuple(header, fc.ipV4()), ([hops, peer]) => {
    const trusting = new ClientAddress(['0.0.0.0/0', '::/0']);
    assert(isIP(trusting.of(peer, hops.join(', '))) !== 0);
    assert.equal(new ClientAddress([]).of(peer, hops.join(', ')), peer);
  });
  t.pass();
});

t.test('an accepted path of a bundle stays below its folder on every system', async (t) => {
  const part = fc.oneof(textNear('readme.md', 'CON.txt', '..', '.', 'a b'), fc.constantFrom('..', 'x', 'con', ' ', 'a.'));
  holds(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
    const path = parts.join('/');
    if (unlessRefused(() => assertSafe(path) ?? true) === undefined) return;
    for (const system of [posix, win32]) {
      const root = system.resolve('/bundle');
      assert(system.resolve(root, path).startsWith(root + system.sep), path);
    }
  });
  holds(
    fc.array(
      fc.stringMatching(/^[aAbB/é]{1,6}$/).filter((path) => unlessRefused(() => assertSafe(path) ?? true) === true),
      { maxLength: 8 },
    ),
    (paths) => {
      const names = new Names();
      const taken = paths.filter((path) => unlessRefused(() => names.take(path) ?? true));
      const keys = taken.map((path) => path.replace(/\/$/, '').toLowerCase().normalize('NFKC'));
      assert.equal(new Set(keys).size, keys.length, 'no two paths are the same file');
    },
  );
  t.pass();
});

t.test('a manifest is parsed or rejected, whatever its keys, and round-trips', async (t) => {
  const keys = [
    ...Object.keys(pluginManifest),
    'permissions',
    'contributes',
    'dependencies',
    'limits',
    'config',
    'claims',
    '__proto__',
    'required',
  ];
  holds(fc.tuple(fc.constantFrom(...keys), fc.oneof(fc.jsonValue(), textNear('acme.x', '1.0.0', '../x'))), ([key, value]) => {
    const text = `{${Object.entries({ ...pluginManifest, [key]: undefined })
      .filter(([, each]) => each !== undefined)
      .map(([name, each]) => `${JSON.stringify(name)}:${JSON.stringify(each)}`)
      .concat(`${JSON.stringify(key)}:${JSON.stringify(value) ?? 'null'}`)
      .join()}}`;
    const manifest = unlessRefused(() => parseForeignManifest(text));
    if (!manifest) return;
    assert(/^[a-z0-9][a-z0-9._-]{1,63}$/.test(manifest.id), manifest.id);
    assert(manifest.type !== 'plugin' || manifest.claims?.join() === `/api/x/${manifest.id}`, 'its paths are its own');
    assert.notEqual(manifest.required, true, 'it can be removed');
  });
  t.pass();
});

t.test('only versions in its range satisfy a dependency', async (t) => {
  const version = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3)).map((parts) => parts.join('.'));
  const manifest = (range: string) => ({ id: 'a', dependencies: { b: range } }) as never;
  holds(fc.tuple(version, version), ([wanted, active]) => {
    const [w, a] = [wanted, active].map((each) => each.split('.').map(Number)) as [number[], number[]];
    const major = w[0] === a[0] && (a[1]! > w[1]! || (a[1] === w[1] && a[2]! >= w[2]!));
    if (w[0]! > 0) assert.equal(unmetDependency(manifest(`^${wanted}`), () => active) === undefined, major, `^${wanted} and ${active}`);
    assert.equal(unmetDependency(manifest(wanted), () => active) === undefined, wanted === active);
  });
  holds(textNear('^1.2.0', '>=1 <2 || 3.x', '~1', '*'), (range) => {
    const unmet = unmetDependency(manifest(range), () => '1.2.3');
    assert(unmet === undefined || unmet.includes('1.2.3'), range);
    assert.match(unmetDependency(manifest(range), () => undefined) ?? '', /not active/);
  });
  t.pass();
});
