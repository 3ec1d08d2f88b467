import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { startPlatform, type TestPlatform } from 'platform/testing';
import type { Hook } from './contract.js';

let platform: TestPlatform;
before(async () => {
  platform = await startPlatform();
  await platform.member('ada');
});
after(() => platform?.close());

type Made = Hook & { secret: string };

async function madeHook(name = 'CI'): Promise<Made> {
  const { id: session_id } = await platform.call<{ id: string }>('sessions.create', { title: name, target_type: '', target_id: '' }, ada);
  return platform.call<Made>('acme.webhooks.create', { session_id, name }, ada);
}

const ada = { as: 'ada' };
const sign = (secret: string, text: string) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;

interface Sending {
  headers?: Record<string, string>;
  /** The signed text. Default: the body. */
  signed?: string;
}

async function deliver({ path, secret }: Pick<Made, 'path' | 'secret'>, body: string, { headers = {}, signed = body }: Sending = {}) {
  const signature = { 'x-hub-signature-256': sign(secret, signed) };
  const answer = await platform.request(path, { as: 'nobody', method: 'POST', body, headers: { ...signature, ...headers } });
  return [answer.status, await answer.json()];
}

const accepted = (duplicate = false) => [202, { accepted: true, duplicate }];
const messages = ({ session_id }: Hook) =>
  platform.call<{ content: string; sender_name: string }[]>('messages.list', { session_id, limit: 50 }, ada);
const texts = async (hook: Hook) => (await messages(hook)).map(({ content }) => content);
const told = async ({ id }: Hook) => (await platform.call<Hook[]>('acme.webhooks.list', {}, ada)).find((hook) => hook.id === id);
/** Returns the received messages once this many are posted. */
async function arrived(hook: Hook, count: number): Promise<string[]> {
  await platform.until(
    () => told(hook),
    (found) => found?.posted === count,
  );
  return texts(hook);
}

void test("what is signed is posted as the plugin's own member, once", async () => {
  const hook = await madeHook();
  const github = { 'x-github-event': 'push', 'x-github-delivery': '1' };
  assert.deepEqual(await deliver(hook, '{"message":"Fixed it"}', { headers: github }), accepted());
  assert.deepEqual(await arrived(hook, 1), ['CI push: Fixed it']);
  assert.equal((await messages(hook))[0]?.sender_name, 'Inbound webhooks');
  assert.deepEqual(await deliver(hook, '{"message":"Fixed it"}', { headers: github }), accepted(true));
  assert.deepEqual(
    await deliver(hook, '{"message":"Changed"}', { headers: github }),
    accepted(true),
    'a repeated delivery is recognised whatever its body',
  );
  const again = { headers: { ...github, 'x-github-delivery': '2' } };
  assert.deepEqual(await deliver(hook, '{"message":"Fixed it"}', again), accepted(true), 'a redelivery under another number is recognised');
  await deliver(hook, 'plain\u0000 text');
  assert.deepEqual(await arrived(hook, 2), ['CI push: Fixed it', 'CI : plain text']);
  assert.equal('secret' in ((await told(hook)) ?? {}), false);
});

void test('a delivery that is sent ten times concurrently is posted once', async () => {
  const hook = await madeHook();
  const answers = await Promise.all(Array.from({ length: 10 }, () => deliver(hook, '{"text":"Once"}')));
  assert.ok(answers.every(([status]) => status === 202));
  await deliver(hook, '{"text":"And then this"}');
  assert.deepEqual(await arrived(hook, 2), ['CI : Once', 'CI : And then this']);
});

void test('a missing or wrong signature is rejected like an unknown hook', async () => {
  const hook = await madeHook();
  const refused = async (given: Made, sending: Sending) => {
    const [status, { code, message }] = (await deliver(given, '{"text":"Hi"}', sending)) as [number, { code: string; message: string }];
    return [status, code, message];
  };
  const wrong = await refused({ ...hook, secret: 'another' }, {});
  assert.deepEqual(wrong.slice(0, 2), [401, 'signature_invalid']);
  assert.deepEqual(await refused(hook, { signed: '{"text":"Hi" }' }), wrong);
  for (const signature of ['', 'sha256=', 'sha256=zz', sign(hook.secret, '{"text":"Hi"}').slice(7), 'sha1=abc']) {
    assert.deepEqual(await refused(hook, { headers: { 'x-hub-signature-256': signature } }), wrong, signature);
  }
  assert.deepEqual(await refused({ ...hook, path: hook.path.replace(/.{4}$/, '0000') }, {}), wrong);
  assert.deepEqual(await texts(hook), []);
});

void test('a timestamp is signed too, and valid for five minutes', async () => {
  const hook = await madeHook();
  const at = (seconds: number, body = '{"text":"Now"}') => {
    const timestamp = String(Math.floor(Date.now() / 1000) + seconds);
    return deliver(hook, body, { headers: { 'x-webhook-timestamp': timestamp }, signed: `${timestamp}.${body}` });
  };
  assert.deepEqual(await at(0), accepted());
  assert.deepEqual(await at(-60), accepted(), 'equal bodies at other times are separate deliveries');
  for (const seconds of [-400, 400]) {
    const [status, { code }] = (await at(seconds)) as [number, { code: string }];
    assert.deepEqual([status, code], [401, 'timestamp_invalid']);
  }
  const unsigned = { headers: { 'x-webhook-timestamp': String(Math.floor(Date.now() / 1000)) } };
  assert.equal((await deliver(hook, '{"text":"Now"}', unsigned))[0], 401);
  assert.deepEqual(await arrived(hook, 2), ['CI : Now', 'CI : Now']);
});

void test("members cannot create, see or delete hooks of another member's session", async () => {
  const hook = await madeHook();
  const input = { session_id: hook.session_id, name: 'Mine now' };
  await assert.rejects(platform.call('acme.webhooks.create', input), { code: 'session_not_found' });
  assert.deepEqual(await platform.call('acme.webhooks.list'), []);
  await assert.rejects(platform.call('acme.webhooks.delete', { id: hook.id }), { code: 'hook_not_found' });
  await assert.rejects(platform.call('acme.webhooks.create', input, { as: 'nobody' }), { code: 'unauthenticated' });
});

void test('the plugin leaves a session with its last hook, and hooks are deleted with their session', async () => {
  const [first, other] = [await madeHook('One'), await madeHook('Other')];
  const second = await platform.call<Made>('acme.webhooks.create', { session_id: first.session_id, name: 'Two' }, ada);
  const members = async () => (await platform.call<object[]>('sessions.members', { session_id: first.session_id }, ada)).length;
  await platform.call('acme.webhooks.delete', { id: first.id }, ada);
  assert.equal(await members(), 2);
  await platform.call('acme.webhooks.delete', { id: second.id }, ada);
  assert.equal(await members(), 1);
  assert.equal((await deliver(second, '{"text":"Too late"}'))[0], 401);
  await platform.call('sessions.delete', { session_id: other.session_id }, ada);
  const left = () => platform.call<Hook[]>('acme.webhooks.list', {}, ada);
  await platform.until(left, (hooks) => hooks.every(({ id }) => id !== other.id));
});

void test('a hook shows why it could not post, and posts again when it can', async () => {
  const hook = await madeHook();
  const [, guest] = await platform.call<{ member_id: number }[]>('sessions.members', { session_id: hook.session_id }, ada);
  const input = { session_id: hook.session_id, member_id: guest?.member_id };
  await platform.call('sessions.remove_member', input, ada);
  await deliver(hook, '{"text":"Lost"}');
  const failed = await platform.until(
    () => told(hook),
    (found) => found?.error !== null,
  );
  assert.match(failed?.error ?? '', /There is no session/);
  await platform.call('sessions.add_member', input, ada);
  await deliver(hook, '{"text":"Back"}');
  assert.deepEqual(await arrived(hook, 1), ['CI : Back']);
  assert.equal((await told(hook))?.error, null);
});

void test('administrators set the template, and a delivery cannot reach beyond its values', async () => {
  await platform.configure({ template: '{hook} {body.repository.name} {body.constructor.name}{nothing} {summary}', max_length: 40 });
  const hook = await madeHook('Repo');
  await deliver(hook, JSON.stringify({ repository: { name: 'platform' }, title: 'x'.repeat(100) }));
  const [text = ''] = await arrived(hook, 1);
  assert.equal(text, `Repo platform {nothing} ${'x'.repeat(15)}…`);
  assert.equal(Array.from(text).length, 40);
  await assert.rejects(platform.configure({ max_length: 1 }), { code: 'invalid_input' });
});

void test('a member has at most 20 hooks, even if they are created concurrently', async () => {
  await platform.member('bob');
  const bob = { as: 'bob' };
  const { id: session_id } = await platform.call<{ id: string }>('sessions.create', { title: 'CI', target_type: '', target_id: '' }, bob);
  const make = () => platform.call<Made>('acme.webhooks.create', { session_id, name: 'CI' }, bob);
  const made = async () => (await platform.call<Hook[]>('acme.webhooks.list', {}, bob)).length;
  const results = await Promise.allSettled(Array.from({ length: 25 }, make));
  const kept = results.filter(({ status }) => status === 'fulfilled').length;
  assert.equal(await made(), kept);
  assert.ok(kept <= 20);
  for (let count = kept; count < 20; count += 1) await make();
  await assert.rejects(make(), { code: 'too_many_hooks' });
  assert.equal(await made(), 20);
});
