import t, { type Test } from 'tap';
import { someone } from '../extensions/chat/world.js';
import { type Answer, exchange } from '../helpers/exchange.js';
import { startPlatform } from '../helpers/platform.js';
import { type DoorCase, doorCases } from './mcp/door.js';

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** The header names of both, without those that are null. */
function merged(...all: readonly Readonly<Record<string, string | null>>[]): Record<string, string> {
  const headers: Record<string, string | null> = Object.assign({}, ...all);
  return Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

/** The one message of an answer, in either form. */
function messageOf({ headers, body }: Answer): unknown {
  const isStream = /^text\/event-stream/.test(String(headers['content-type']));
  return JSON.parse(isStream ? (/^data: (.+)$/m.exec(body)?.[1] ?? '') : body);
}

const types = { json: /^application\/json/, stream: /^text\/event-stream/ };

async function runDoor(t: Test, each: DoorCase, { url, token }: { url: string; token: string }): Promise<void> {
  const { method = 'POST', suffix = '', headers = {}, body = list, form } = each;
  const usual = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' };
  const text = method === 'POST' ? (typeof body === 'string' ? body : JSON.stringify(body)) : '';
  const answer = await exchange(`${url}/api/mcp${suffix}`, { method, headers: merged(usual, headers), body: text });
  t.equal(answer.status, each.status, answer.body.slice(0, 500));
  t.match(answer.headers, { 'x-request-id': /./, ...each.answers });
  if (form === 'nothing') t.equal(answer.body, '');
  else if (form) t.match(answer.headers['content-type'], types[form]);
  if (each.message) t.match(messageOf(answer), each.message);
}

t.test('the MCP endpoint serves clients of many kinds', async (t) => {
  const platform = await startPlatform(t);
  const { token } = await someone(t, platform);
  for (const each of doorCases) await t.test(each.name, (t) => runDoor(t, each, { url: platform.url, token }));
});
