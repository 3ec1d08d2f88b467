import { spawnSync } from 'node:child_process';
import t from 'tap';
import type { Caller } from '../../../../kernel/contract/operation.js';
import { Requests } from '../../../../kernel/core/invoke/request.js';
import { createLog, type LogLevel } from '../../../../kernel/platform/log/log.js';

const caller: Caller = {
  member_id: 1,
  username: 'ada',
  role: 'member',
  scopes: 'all',
  door: 'http',
  address: '',
  token_id: '',
  expires_at: 0,
};

function open(level: LogLevel = 'debug') {
  const lines: string[] = [];
  const requests = new Requests();
  const log = createLog({ level, requests, destination: { write: (line) => void lines.push(line) } });
  const last = (): Record<string, unknown> => {
    const line = JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown>;
    delete line.time;
    return line;
  };
  return { log, lines, last, requests };
}

t.test('a line is JSON with level, time, message and fields, ending in one newline', async (t) => {
  const { log, lines, last } = open();
  log.warn('Node 5 is offline', { node_id: 5, at: new Date(0), count: 7n, bytes: Buffer.from('abc'), none: null });
  t.match(lines[0], /^\{"level":"warn","time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",.*\}\n$/);
  const fields = { node_id: 5, at: '1970-01-01T00:00:00.000Z', count: '7', bytes: '[3 bytes]', none: null };
  t.same(last(), { level: 'warn', msg: 'Node 5 is offline', ...fields });
  log.info('line one\nline two');
  t.equal(lines[1]?.split('\n').length, 2);
});

t.test('only lines of the level or above are written', async (t) => {
  const { log, lines } = open('warn');
  log.debug('no');
  log.info('no');
  log.warn('yes');
  log.error('yes');
  t.equal(lines.length, 2);
  const silent = open('silent');
  silent.log.error('no');
  t.equal(silent.lines.length, 0);
});

t.test('each line has the id of its request, also after awaits, and no other', async (t) => {
  const { log, lines, requests } = open();
  const work = async (request_id: string): Promise<void> =>
    requests.run({ request_id, caller, origin: 'http' }, async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      log.child({ extension: 'chat' }).info(`in ${request_id}`);
    });
  await Promise.all([work('one'), work('two')]);
  log.info('outside');
  const ids = lines.map((line) => JSON.parse(line) as { request_id?: string; msg: string }).map(({ request_id, msg }) => [msg, request_id]);
  t.same(ids, [
    ['in one', 'one'],
    ['in two', 'two'],
    ['outside', undefined],
  ]);
  t.equal(requests.current(), undefined);
});

t.test("a child's fields are on all its lines, including its children's", async (t) => {
  const { log, last } = open();
  const child = log.child({ extension: 'chat', token: 'x' }).child({ task_id: 't' });
  child.info('hi', { task_id: 'other' });
  t.same(last(), { level: 'info', extension: 'chat', token: '[redacted]', task_id: 'other', msg: 'hi' });
});

t.test('values of keys that name a secret are redacted at any depth', async (t) => {
  const { log, last } = open();
  const secrets = ['password', 'new_password', 'token', 'access_token', 'refreshToken', 'ticket', 'api_key', 'apiKey', 'Authorization'];
  const headers = [
    'cookie',
    'Set-Cookie',
    'x-api-key',
    'secret',
    'client_secret',
    'PLATFORM_SECRET_KEY',
    'private_key',
    'credentials',
    'headers',
    'env',
  ];
  const hidden = Object.fromEntries([...secrets, ...headers].map((key) => [key, 'hush']));
  const shown = { token_id: 'id', input_tokens: 5, tokens: [1], secretary: 'Ada', key: 'k', cookies: 0, password_changed: true };
  log.info('x', { ...hidden, ...shown, list: [{ deep: { ...hidden, ...shown } }], token: { nested: 'hush' } });
  t.notMatch(JSON.stringify(last()), 'hush');
  t.match(last(), { ...shown, list: [{ deep: shown }], password: '[redacted]', token: '[redacted]' });
});

t.test('secrets inside texts are redacted, and the rest stays', async (t) => {
  const { log, last } = open();
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
  const texts = {
    'GET /ws?after=1&token=hush&x=2': 'GET /ws?after=1&token=[redacted]&x=2',
    '/s?ticket=hush#a': '/s?ticket=[redacted]#a',
    '?access_token=hush and more': '?access_token=[redacted] and more',
    'Authorization: Bearer hush-hush.hush': 'Authorization: Bearer [redacted]',
    'authorization: basic aHVzaDpodXNo,': 'authorization: basic [redacted],',
    'token plat_hushhush refused': 'token [redacted] refused',
    [`got ${jwt}.`]: 'got [redacted]',
    '-----BEGIN EC PRIVATE KEY-----\nhush\n-----END EC PRIVATE KEY-----\nrest': '[redacted]\nrest',
    'cut -----BEGIN PRIVATE KEY-----\nhush': 'cut [redacted]',
    'postgres://user:hush@db.example/x': 'postgres://[redacted]@db.example/x',
    'redis://:hush@host': 'redis://[redacted]@host',
    'body {"password": "hush", "name":"ada"}': 'body {"password": "[redacted]", "name":"ada"}',
    'api_key=hush': 'api_key=[redacted]',
    'tokens=5, ada@example.org, 2=2, http://a/b:c@d': 'tokens=5, ada@example.org, 2=2, http://a/b:c@d',
  };
  for (const [text, expected] of Object.entries(texts)) {
    log.info(text, { field: text, error: new Error(text, { cause: new Error(text) }) });
    const line = last() as { msg: string; field: string; error: { message: string; cause: { message: string } } };
    t.same([line.msg, line.field, line.error.message, line.error.cause.message], Array(4).fill(expected), expected);
    t.notMatch(JSON.stringify(line), /hush|c2lnbmF0dXJl|aHVzaDpodXNo/);
  }
});

t.test('an error is written with name, message, code, stack and cause', async (t) => {
  const { log, last } = open();
  const cause = Object.assign(new TypeError('inner'), { code: 'E_INNER' });
  log.error('failed', { error: new Error('outer', { cause }) });
  const stack = /test\/kernel\/platform\/log\/log\.test/;
  t.match(last(), {
    error: { name: 'Error', message: 'outer', stack, cause: { name: 'TypeError', message: 'inner', code: 'E_INNER', stack } },
  });
  log.error('failed', new Error('as the fields'));
  t.match(last(), { error: { message: 'as the fields' } });
});

t.test('deep, long, wide or circular fields are truncated', async (t) => {
  const { log, lines, last } = open();
  const circular: Record<string, unknown> = { name: 'loop' };
  circular.self = circular;
  const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key${index}`, index]));
  log.info('x'.repeat(100_000), { circular, wide, list: Array(1_000).fill('y'), text: 'z'.repeat(100_000) });
  t.ok((lines[0] ?? '').length < 30_000);
  const { list, wide: kept } = last() as { list: unknown[]; wide: object };
  t.same([list.length, Object.keys(kept).length], [100, 100]);
});

t.test('texts designed to be slow to scan are scanned quickly', async (t) => {
  const { log } = open();
  const start = performance.now();
  for (const piece of ['eyJ', 'eyJaaaaaaaa.', '//a:', 'token', '_', '"token" ', 'Bearer ', 'plat_', 'a_token_', '://', ':@'])
    log.info(piece.repeat(100_000));
  t.ok(performance.now() - start < 10_000);
});

t.test('the log goes to standard error by default, and a closed one does not end the process', async (t) => {
  const script = `
    import { createLog } from ${JSON.stringify(new URL('../../../../kernel/platform/log/log.js', import.meta.url).href)};
    const log = createLog({ level: 'info' });
    for (let n = 0; n < 1000; n += 1) log.info('line ' + n, { text: 'x'.repeat(1000) });
    process.stdout.write('alive');`;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', maxBuffer: 10_000_000 });
  t.equal(run.stderr.trim().split('\n').length, 1_000);
  const closed = spawnSync('sh', ['-c', `"$0" --input-type=module -e "$1" 2>&-`, process.execPath, script], { encoding: 'utf8' });
  t.equal(closed.stdout, 'alive');
  const full = spawnSync('sh', ['-c', `"$0" --input-type=module -e "$1" 2>/dev/full`, process.execPath, script], { encoding: 'utf8' });
  t.equal(full.stdout, 'alive');
});
