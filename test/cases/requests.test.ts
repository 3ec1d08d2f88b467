import t from 'tap';
import WebSocket from 'ws';
import { administrator, login } from '../extensions/chat/world.js';
import { until } from '../helpers/eventually.js';
import { adminPassword, ownExtension, startPlatform, type TestPlatform } from '../helpers/platform.js';
import { lineCases } from './requests/lines.js';

const extensions = ['members', 'chat', 'agents'].map(ownExtension);

/** The lines about a request, once there are some or nobody expects any. */
async function linesOf({ lines }: TestPlatform, request_id: string, expected: boolean) {
  const find = () => lines.filter((line) => line.request_id === request_id);
  if (expected)
    await until(
      async () => find(),
      (found) => found.length > 0,
    );
  return find();
}

for (const log_level of ['info', 'debug'] as const)
  t.test(`requests are logged at ${log_level}`, async (t) => {
    const platform = await startPlatform(t, { extensions, settings: { log_level } });
    await administrator(platform).members.create({ username: 'mary', password: adminPassword });
    const tokens = { admin: (await login(t, platform)).token, member: (await login(t, platform, 'mary')).token, wrong: 'sesame-token' };
    for (const { name, source, method, path, token, body, ...expected } of lineCases)
      await t.test(`${name} (${source})`, async (t) => {
        const headers = {
          ...(token ? { authorization: `Bearer ${tokens[token]}` } : {}),
          ...(body ? { 'content-type': 'application/json' } : {}),
        };
        const answer = await fetch(platform.url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
        t.equal(answer.status, expected.status, await answer.text());
        const level = log_level === 'info' ? expected.at_info : expected.at_debug;
        const found = await linesOf(platform, answer.headers.get('x-request-id') ?? '', level !== undefined);
        t.equal(found.length, level === undefined ? 0 : 1);
        const [line] = found;
        if (line === undefined) return;
        t.match(line, { level, msg: expected.line, status: expected.status, address: '127.0.0.1' });
        t.equal(line.code, expected.code);
        t.equal(line.member_id !== undefined, token === 'admin' || token === 'member');
      });
    t.notMatch(JSON.stringify(platform.lines), /sesame/, 'no secret is in any line');
  });

t.test('a rejected WebSocket client is logged with the request id that it received', async (t) => {
  const platform = await startPlatform(t, { extensions });
  const socket = new WebSocket(`${platform.url.replace('http', 'ws')}/ws?token=sesame`);
  const told = await new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data))));
  const { request_id } = (JSON.parse(told) as { data: { request_id: string } }).data;
  t.match(await linesOf(platform, request_id, true), [{ level: 'info', msg: 'GET /ws 401', code: 'invalid_token' }]);
  t.notMatch(JSON.stringify(platform.lines), /sesame/);
});

t.test('a client that is rejected repeatedly does not flood the log', async (t) => {
  const platform = await startPlatform(t, { extensions: [ownExtension('members')] });
  const count = 150;
  for (let at = 0; at < count; at += 1) await (await fetch(`${platform.url}/api/members`)).text();
  const lines = platform.lines.filter(({ msg }) => msg === 'GET /api/members 401').length;
  t.ok(lines > 0 && lines <= 100 && lines < count, `${lines} lines`);
});
