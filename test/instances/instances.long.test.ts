import { spawn } from 'node:child_process';
import { once } from 'node:events';
import t from 'tap';
import { SchedulesTable } from '../bench/schedules-table.js';
import { becomes, until } from '../helpers/eventually.js';
import { skipWithout } from '../helpers/parts.js';
import { adminPassword } from '../helpers/platform.js';
import { skipWithoutRedisServer } from '../helpers/redis.js';
import { pluginZip } from '../kernel/core/plugins/bundle.js';
import { connect } from '../kernel/platform/http/socket/client.js';
import { textOf } from './balanced.js';
import { type Counter, startCounter } from './counter.js';
import { counting, follow, isDone, names, type Sent, send, startWorld, stored, told, type World } from './world.js';

const skip = skipWithout('postgres', 'redis') || skipWithoutRedisServer();

/** How long Node takes to start and end, in ms. */
async function emptyProcess(): Promise<number> {
  const began = Date.now();
  await once(spawn(process.execPath, ['-e', '0']), 'exit');
  return Date.now() - began;
}

t.test('three instances behind a balancer act as one platform', { skip }, async (t) => {
  const world = await startWorld(t);
  const { admin, all, balancer, postgres, redis } = world;

  await t.test('a reply begun on one instance is followed and aborted on others', async (t) => {
    world.model.script(counting);
    const sent = await send(world, 'Count');
    const first = await follow(world, sent);
    const cursor = await first.until(told(20));
    first.leave();
    const second = await follow(world, sent, cursor);
    await second.until(told(20));
    const { instance, body } = await admin.ask('POST', '/api/chat/abort', { message_id: sent.message_id });
    t.match(body, { aborted: true, status: 'cancelled' });
    t.ok(world.model.exchanges.at(-1)?.isClosed, "the model's request was aborted");
    await second.until(isDone);
    t.same([first.instance, second.instance, instance].sort(), [...names].sort());
    const events = [...first.events, ...second.events];
    t.same(
      events.map(({ data }) => data.seq),
      events.map((_, at) => at + (events[0]?.data.seq ?? 1)),
      'the events have no gap and no repetition',
    );
    t.match(await stored(world, sent), { status: 'aborted', content: textOf(events) });
  });

  await t.test('an extension installed on one instance serves on all within a second', async (t) => {
    const took: number[] = [];
    const bare: number[] = [];
    for (const version of ['1.0.0', '2.0.0', '3.0.0']) {
      const activate = `ctx.expose({ 'guest.version': op('version') }, { 'guest.version': () => '${version}' });`;
      const form = new FormData();
      form.set('type', 'plugin');
      form.set('file', new Blob([pluginZip({ version, activate })]), 'bundle.zip');
      t.equal((await admin.ask('POST', '/api/marketplace/publish', form)).status, 201);
      t.equal((await admin.ask('POST', `/api/admin/marketplace/reviews/guest/${version}/approve`)).status, 200);
      t.match(await admin.ask('POST', '/api/marketplace/install', { id: 'guest', version }), { body: { version } });
      const installed_at = Date.now();
      const versionOn = async (url: string) => (await admin.at(url).ask<unknown>('POST', '/api/x/guest/version', {})).body;
      await Promise.all(
        all.map(({ url }) =>
          until(
            () => versionOn(url),
            (found) => found === version,
          ),
        ),
      );
      took.push(Date.now() - installed_at);
      bare.push(await emptyProcess());
    }
    // Each starts it in a process of its own: where an empty one takes long, so does this.
    const max = Math.max(1_000, 15 * Math.min(...bare));
    t.ok(Math.min(...took) < max, `after ${took.join(', ')} ms; an empty process takes ${bare.join(', ')} ms`);
    const answers = await Promise.all(names.map(() => admin.ask('POST', '/api/x/guest/version', {})));
    t.same(answers.map(({ instance }) => instance).sort(), [...names].sort());
  });

  await t.test('a client connected to one instance is present on all', async (t) => {
    const id = await someone(world, 'ann');
    const ann = await admin.as('ann', adminPassword);
    const shown = async () => {
      const found = await Promise.all(names.map(() => presence(world, id)));
      return found
        .map(([instance, status]) => `${instance} ${status}`)
        .sort()
        .join();
    };
    const socket = await connect(t, world.url, { token: ann.token });
    await becomes(t, shown, 'one online,three online,two online');
    socket.send({ type: 'presence', data: { status: 'dnd' } });
    await becomes(t, shown, 'one dnd,three dnd,two dnd');
    await socket.close();
  });

  await t.test('the platform recovers after a crash of PostgreSQL', async (t) => {
    await postgres.stop();
    t.match(await admin.ask('GET', '/api/chat/sessions'), { status: 503, body: { code: 'database_unavailable' } });
    await postgres.start();
    await recovers(t, world, Date.now());
  });

  await t.test('the platform recovers after Redis is killed during a reply and returns empty', async (t) => {
    world.model.script(counting);
    const sent = await send(world, 'Count');
    const before = await follow(world, sent);
    const cursor = await before.until(told(20));
    before.leave();
    await redis.kill();
    await redis.start();
    const back_at = Date.now();
    const after = await follow(world, sent, cursor);
    await after.until(told(20));
    t.match(await admin.ask('POST', '/api/chat/abort', { message_id: sent.message_id }), { body: { aborted: true } });
    await after.until(isDone);
    t.equal(textOf([...before.events, ...after.events]), (await stored(world, sent))?.content);
    await recovers(t, world, back_at);
  });

  await t.test('each of a thousand runs begins once although an instance is killed, and its own runs end as interrupted', async (t) => {
    const counter = await startCounter(t);
    const table = await SchedulesTable.open(world.database_url);
    t.teardown(() => table.close());
    world.model.script(counting);
    const sent = await send(world, 'Count');
    await (await follow(world, sent)).until(told(5));
    const [{ owner } = {}] = await table.rows(`SELECT owner FROM chat_tasks WHERE id = '${sent.task_id}'`);
    const victim = await named(world, String(owner));
    const others = all.filter((instance) => instance !== victim);
    const id = await someone(world, 'bob');
    await connect(t, victim.url, { token: (await admin.as('bob', adminPassword)).token });
    await becomes(t, async () => (await presence(world, id))[1], 'online');

    await dueAtOnce(table, counter, 1_000);
    await until(
      () => counter.held,
      (held) => held === 150,
      20_000,
    );
    await victim.kill('SIGKILL');
    const killed_at = Date.now();
    counter.release();
    const passed = () => Date.now() - killed_at;

    const interrupted = async () => {
      const { body } = await admin.ask<Sent & { status: string }>('GET', `/api/chat/tasks/${sent.task_id}`);
      return body;
    };
    t.match(await until(interrupted, ({ status }) => status === 'failed', 30_000), { reason: 'interrupted' });
    t.ok(passed() < 30_000, `its reply is known to be interrupted after ${passed()} ms`);
    await until(
      () => table.count("status IN ('queued', 'running')"),
      (open) => open === 0,
      30_000,
    );
    const ends = await table.rows(
      'SELECT status, error_code, count(*) AS runs, count(DISTINCT schedule_id) AS schedules FROM schedules_runs GROUP BY status, error_code ORDER BY status',
    );
    t.same(
      ends.map(({ status, error_code, runs, schedules }) => [status, error_code, Number(runs), Number(schedules)]),
      [
        ['failed', 'interrupted', 50, 50],
        ['success', null, 950, 950],
      ],
    );
    t.same([counter.asked, counter.different], [1_000, 1_000], 'each run began once');

    const answers = await Promise.all(Array.from({ length: 12 }, () => admin.ask('GET', '/api/chat/sessions?limit=1')));
    t.same(new Set(answers.map(({ status, instance }) => `${status} ${instance}`)), new Set(others.map(({ name }) => `200 ${name}`)));
    await until(
      async () => presence(world, id),
      ([, status]) => status === 'offline',
      45_000,
    );
    t.ok(passed() < 60_000, `its member is offline after ${passed()} ms`);
  });

  t.same([...balancer.met.keys()].sort(), [...names].sort(), 'the balancer has reached all instances');
});

/** All of them work again in time, and none has ended. */
async function recovers(t: Parameters<typeof startWorld>[0], world: World, since: number): Promise<void> {
  const { admin, all } = world;
  const answers = async () => Promise.all(all.map(async ({ url }) => (await admin.at(url).ask('GET', '/readyz')).status));
  await until(answers, (statuses) => statuses.every((status) => status === 200));
  world.model.script((exchange) => {
    exchange.text('Back.');
    exchange.finish();
  });
  const sent = await Promise.all(names.map(() => send(world, 'Are you there?')));
  await Promise.all(sent.map(async (each) => (await follow(world, each)).until(isDone)));
  for (const each of sent) t.match(await stored(world, each), { status: 'completed', content: 'Back.' });
  t.ok(Date.now() - since < 10_000, `after ${Date.now() - since} ms`);
  t.ok(all.every((instance) => instance.alive()));
}

/** The instance of a worker, whose name begins with the instance's id. */
async function named({ admin, all }: World, owner: string) {
  const [id] = owner.split(':');
  for (const instance of all) {
    const { body } = await admin.at(instance.url).ask<{ instance: string; instance_name: string }>('GET', '/api/admin/status');
    if (body.instance === id && body.instance_name === instance.name) return instance;
  }
  throw new Error(`No instance has the worker ${owner}`);
}

async function someone({ admin }: World, username: string): Promise<number> {
  return (await admin.ask<{ id: number }>('POST', '/api/members', { username, password: adminPassword })).body.id;
}

/** Returns the presence of a member, as an instance answers. */
async function presence({ admin }: World, id: number): Promise<[instance: string, status: string | undefined]> {
  const { instance, body } = await admin.ask<{ member_id: number; presence: string }[]>('GET', '/api/chat/contacts');
  return [instance, body.find(({ member_id }) => member_id === id)?.presence];
}

/** Schedules that each ask the counter once, all at the same moment. */
async function dueAtOnce(table: SchedulesTable, counter: Counter, count: number): Promise<void> {
  await table.fill(count);
  await table.rows(
    `UPDATE schedules_schedules SET action = 'http.request', params = '{"url":"${counter.url}/' || id || '"}' WHERE action = 'labour.work'`,
  );
  await table.due(Date.now());
}
