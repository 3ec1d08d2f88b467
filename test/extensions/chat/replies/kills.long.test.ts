import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { MembersApi } from '../../../../extensions/members/contract.js';
import type { NotificationsApi } from '../../../../extensions/notifications/contract.js';
import { type Client, connect } from '../../../../kernel/client/connect.js';
import { http } from '../../../../kernel/client/http.js';
import type { StreamEvent } from '../../../../kernel/contract/index.js';
import { sharedSettings } from '../../../helpers/cluster.js';
import { until } from '../../../helpers/eventually.js';
import { type Script, say } from '../../../helpers/model-server.js';
import { skipWithout } from '../../../helpers/parts.js';
import { adminPassword, startPlatform, temporaryFolder } from '../../../helpers/platform.js';
import { type ServerProcess, startServer } from '../../../helpers/server-process.js';
import { collect, type PlatformApi, replyTo, textOf, typesOf, withModel } from '../world.js';

type Api = PlatformApi & NotificationsApi;

const interrupted = { code: 'interrupted', message: 'The process that wrote this reply ended before the reply did' };

/** Counts until it is stopped. */
const counting: Script = async (exchange) => {
  for (let n = 0; !exchange.isClosed; n += 1) {
    exchange.text(`${n} `);
    await sleep(4);
  }
};

async function clientOf(t: Test, server: ServerProcess, operations: Parameters<typeof connect>[0]): Promise<Client<Api>> {
  const { access_token: token } = await connect<MembersApi>(operations, http({ url: server.url })).auth.login({
    username: 'admin',
    password: adminPassword,
  });
  const transport = http({ url: server.url, token, resume: { attempts: 0 } });
  t.teardown(() => transport.close());
  return connect<Api>(operations, transport);
}

/** The operations as data, without a server. */
async function operationsOf(t: Test): Promise<Parameters<typeof connect>[0]> {
  return (await startPlatform(t, { listen: false, background: false })).kernel.operations();
}

async function readUntilCut(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  try {
    for await (const event of stream) events.push(event);
  } catch {
    // The connection went with the process.
  }
  return events;
}

t.test('a process killed during a reply loses at most its last half second', async (t) => {
  const { model } = await withModel(t);
  const operations = await operationsOf(t);
  const environment = { PLATFORM_DATA_DIR: await temporaryFolder(t), PLATFORM_MODEL_BASE_URL: model.url, PLATFORM_MODEL_NAME: 'test' };
  let said = '';
  let said_at: [number, number][] = [];
  model.script(async (exchange) => {
    said_at = [];
    for (let n = 0; !exchange.isClosed; n += 1) {
      said += `${n} `;
      said_at.push([Date.now(), said.length]);
      exchange.text(`${n} `);
      await sleep(4);
    }
  });
  const server = await startServer(t, environment);
  const client = await clientOf(t, server, operations);
  const sent = await client.chat.send({ content: 'Count' });
  const reading = readUntilCut(client.messages.stream({ message_id: sent.message_id }));
  await until(
    () => said.length,
    (length) => length > 1_500,
  );
  const killed_at = Date.now();
  await server.kill('SIGKILL');
  const seen = await reading;
  t.ok(textOf(seen).length > 1_000);

  const next = await clientOf(t, await startServer(t, environment), operations);
  const reply = await replyTo(next, sent);
  t.match(reply, { status: 'failed', error: interrupted });
  t.ok(said.startsWith(reply.content));
  const [, due = 0] = said_at.findLast(([at]) => at < killed_at - 500) ?? [];
  t.ok(reply.content.length >= due, `${reply.content.length} characters are stored; ${due} had been sent half a second before`);
  t.match(await next.tasks.get({ task_id: sent.task_id as string }), { status: 'failed', reason: 'interrupted', error: interrupted });
  t.same(await next.unread.counts({}), { counts: { [sent.session_id]: 1 } }, 'the session has an unread message');
  const told = await until(
    () => next.notifications.list({ status: 'all', source: '', page: 1, limit: 20 }),
    ({ total }) => total > 0,
  );
  t.match(told.notifications, [{ source: 'ai_message', summary: interrupted.message }], 'an absent reader is notified');
  const after = seen.findLast(({ id }) => id !== undefined)?.id as string;
  const rest = await collect(next.messages.stream({ message_id: sent.message_id, after }));
  t.equal(textOf([...seen, ...rest]), reply.content, 'a returning reader gets the stored text');
  t.same(typesOf(rest).slice(-3), ['message.failed', 'task.updated', 'done']);

  model.script(say('Alive.'));
  const again = await next.chat.send({ content: 'And now?', session_id: sent.session_id });
  await collect(next.messages.stream({ message_id: again.message_id }));
  t.match(await replyTo(next, again), { status: 'completed', content: 'Alive.' });
});

t.test(
  'after a process is killed another records its tasks as interrupted and continues',
  { skip: skipWithout('postgres', 'redis') },
  async (t) => {
    const { model } = await withModel(t);
    const operations = await operationsOf(t);
    const shared = (await sharedSettings(t)) as Record<'database_url' | 'bus_url' | 'secret_key', string>;
    const environment = async () => ({
      PLATFORM_DATA_DIR: await temporaryFolder(t),
      PLATFORM_DATABASE_URL: shared.database_url,
      PLATFORM_BUS_URL: shared.bus_url,
      PLATFORM_SECRET_KEY: shared.secret_key,
      PLATFORM_MODEL_BASE_URL: model.url,
      PLATFORM_MODEL_NAME: 'test',
    });
    const one = await startServer(t, await environment());
    const two = await startServer(t, await environment());
    const [doomed, other] = [await clientOf(t, one, operations), await clientOf(t, two, operations)];
    model.script(counting);
    // It claims what is sent to it, unless the other was quicker: then once more.
    let sent = await doomed.chat.send({ content: 'Count' });
    const reading = collect(other.messages.stream({ message_id: sent.message_id }));
    await until(
      () => replyTo(other, sent),
      ({ content }) => content.length > 500,
    );
    const waiting = await other.chat.send({ content: 'And then?', session_id: sent.session_id });
    model.script(say('Then me.'));
    await one.kill('SIGKILL');
    await model.exchanges.at(-1)?.closed;
    const events = await reading;
    const reply = await replyTo(other, sent);
    t.match(reply, { status: 'failed', error: interrupted });
    t.equal(textOf(events), reply.content);
    t.same(typesOf(events).slice(-4), ['snapshot', 'message.failed', 'task.updated', 'done']);
    await collect(other.messages.stream({ message_id: waiting.message_id }));
    t.match(await replyTo(other, waiting), { status: 'completed', content: 'Then me.' });
    sent = await other.chat.send({ content: 'Still there?', session_id: sent.session_id });
    await collect(other.messages.stream({ message_id: sent.message_id }));
    t.match(await replyTo(other, sent), { status: 'completed', content: 'Then me.' });
  },
);
