import { getEventListeners } from 'node:events';
import t from 'tap';
import { type Channel, type Delivery, Undelivered } from '../../../extensions/notifications/channels/channel.js';
import { attempt } from '../../../extensions/notifications/deliveries/attempt.js';
import { noSubject } from '../../../extensions/notifications/kinds.js';
import { silentLog } from '../../helpers/databases.js';

const text = { source: 'system', kind: 'notice', title: 'T', summary: '' } as const;
const note = { id: 1, ...text, created_at: '2026-01-01T00:00:00.000Z', url: null, link: null, about: noSubject };

const field = { label: '', required: false, description: '', check: () => undefined };

function channelOf(send: (delivery: Delivery) => Promise<void>): Channel {
  return {
    name: 'test',
    title: 'The test',
    fields: [
      { ...field, name: 'token', secret: true },
      { ...field, name: 'place', secret: false },
    ],
    send,
  };
}

const deliveryOf = (signal: AbortSignal): Delivery => ({ settings: { token: 's3cret-word', place: 'here' }, note, signal });

const never = () => new Promise<void>(() => undefined);

t.test('a channel that does not end is aborted at its time limit', async (t) => {
  const { signal } = new AbortController();
  let heard: AbortSignal | undefined;
  const channel = channelOf((delivery) => {
    heard = delivery.signal;
    return never();
  });
  const outcome = await attempt(channel, deliveryOf(signal), { log: silentLog, limit_ms: 30 });
  t.match(outcome, { accepted: false, retry: true, error: 'The test did not answer within 0.03 s' });
  t.equal(heard?.aborted, true);
  t.equal(getEventListeners(signal, 'abort').length, 0, 'no listener is left');
});

t.test('an abort ends an attempt at once with its reason', async (t) => {
  const ending = new AbortController();
  const attempted = attempt(channelOf(never), deliveryOf(ending.signal), { log: silentLog });
  ending.abort(new Error('The process ends'));
  await t.rejects(attempted, { message: 'The process ends' });
  await t.rejects(attempt(channelOf(never), deliveryOf(ending.signal), { log: silentLog }), { message: 'The process ends' });
});

t.test('a rejection is reported without secrets and truncated', async (t) => {
  const { signal } = new AbortController();
  const refuse = (fault: unknown) =>
    attempt(
      channelOf(() => Promise.reject(fault)),
      deliveryOf(signal),
      { log: silentLog },
    );
  t.match(await refuse(new Undelivered('No s3cret-word here', { retry: false })), { accepted: false, error: 'No … here', retry: false });
  t.match(await refuse(new Undelivered('Later', { retry_after_ms: 5 })), { error: 'Later', retry: true, retry_after_ms: 5 });
  t.equal(((await refuse(new Undelivered('x'.repeat(900)))) as { error: string }).error.length, 500);
  const copy = Object.assign(new Error('By a copy'), { isUndelivered: true, retry: false });
  t.match(await refuse(copy), { error: 'By a copy', retry: false });
  for (const fault of [new Error('at /etc/s3cret-word'), 'text', undefined]) {
    t.match(await refuse(fault), { error: 'The test failed unexpectedly; see the server log', retry: true });
  }
  t.same(
    await attempt(
      channelOf(async () => undefined),
      deliveryOf(signal),
      { log: silentLog },
    ),
    { accepted: true },
  );
});
