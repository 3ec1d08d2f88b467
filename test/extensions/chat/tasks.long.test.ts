import t from 'tap';
import { connect } from '../../../kernel/client/connect.js';
import { direct } from '../../../kernel/client/direct.js';
import { eachPlatform } from '../../helpers/cluster.js';
import { until } from '../../helpers/eventually.js';
import { type Script, say } from '../../helpers/model-server.js';
import { startPlatform, temporaryFolder } from '../../helpers/platform.js';
import { administrator, collect, failureOf, type PlatformApi, readOn, replyTo, textOf, typesOf, withModel } from './world.js';

const interrupted = { code: 'interrupted', message: 'The process that wrote this reply ended before the reply did' };

/** Says a little and then nothing more. */
const endless: Script = (exchange) => exchange.text('A little. ');

t.test('a stopping process records running tasks as interrupted, and the next answers waiting ones', async (t) => {
  const { model, options } = await withModel(t);
  await eachPlatform(t, options, async (t, platform, again) => {
    model.script(endless);
    const client = administrator(platform);
    const first = await client.chat.send({ content: 'First' });
    const second = await client.chat.send({ content: 'Second', session_id: first.session_id });
    await until(
      () => replyTo(client, first),
      ({ content }) => content !== '',
    );
    const stream = await readOn(client.messages.stream({ message_id: first.message_id }));
    const begun = Date.now();
    await platform.kernel.close();
    t.ok(Date.now() - begun < 10_000, `it took ${Date.now() - begun} ms`);
    await model.exchanges.at(-1)?.closed;
    t.same(typesOf(await stream.end).slice(-3), ['message.failed', 'task.updated', 'done'], 'the readers get the end of the reply');

    model.script(say('Answered.'));
    const later = administrator(await again());
    t.match(await replyTo(later, first), { status: 'failed', content: 'A little. ', error: interrupted });
    t.match(await later.tasks.get({ task_id: first.task_id as string }), { status: 'failed', reason: 'interrupted', error: interrupted });
    await collect(later.messages.stream({ message_id: second.message_id }));
    t.match(await replyTo(later, second), { status: 'completed', content: 'Answered.' });
    t.match(await later.sessions.get({ session_id: first.session_id }), { active_task_id: null, last_message_preview: 'Answered.' });
  });
});

t.test('a replaced version finishes its replies and can be stopped, and the new one runs waiting tasks', async (t) => {
  const { model, options } = await withModel(t);
  await eachPlatform(t, options, async (t, platform) => {
    const client = administrator(platform);
    for (const replaced of ['chat', 'agents']) {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      model.script(
        async (exchange) => {
          exchange.text('Before, ');
          await held;
          exchange.text('after.');
          exchange.finish();
        },
        endless,
        say('Next.'),
      );
      const kept = await client.chat.send({ content: 'Keep' });
      const waiting = await client.chat.send({ content: 'Wait', session_id: kept.session_id });
      const stream = await readOn(client.messages.stream({ message_id: kept.message_id }));
      await until(
        () => replyTo(client, kept),
        ({ content }) => content !== '',
      );
      const before = model.exchanges.length;
      const stopped = await client.chat.send({ content: 'Stop' });
      await until(
        () => model.exchanges.length,
        (count) => count === before + 1,
      );

      await platform.kernel.installer.reload(replaced);
      const exchange = model.exchanges.at(-1);
      t.match(await client.chat.abort({ message_id: stopped.message_id }), { aborted: true, status: 'cancelled' }, `${replaced}: stopped`);
      await exchange?.closed;
      release();
      t.equal(textOf(await stream.end), 'Before, after.', `${replaced}: finished`);
      t.match(await replyTo(client, kept), { status: 'completed', content: 'Before, after.' });
      await collect(client.messages.stream({ message_id: waiting.message_id }));
      t.match(await replyTo(client, waiting), { status: 'completed', content: 'Next.' });
    }
  });
});

t.test('without agents sending fails, waiting tasks are answered later and running ones end', async (t) => {
  const { model, options } = await withModel(t);
  await eachPlatform(t, options, async (t, platform) => {
    const client = administrator(platform);
    model.script(endless);
    const first = await client.chat.send({ content: 'First' });
    const second = await client.chat.send({ content: 'Second', session_id: first.session_id });
    await until(
      () => replyTo(client, first),
      ({ content }) => content !== '',
    );
    await platform.kernel.installer.disable('agents');
    await collect(client.messages.stream({ message_id: first.message_id }));
    t.match(await replyTo(client, first), { status: 'failed', error: { code: 'interrupted' } });
    t.same(await failureOf(client.chat.send({ content: 'Third' })), { code: 'extension_unavailable', status: 503 });
    t.match(await client.tasks.get({ task_id: second.task_id as string }), { status: 'queued' });
    model.script(say('Back.'));
    await platform.kernel.installer.enable('agents');
    await collect(client.messages.stream({ message_id: second.message_id }));
    t.match(await replyTo(client, second), { status: 'completed', content: 'Back.' });
  });
});

t.test('a process that runs one command works on its own task and exits once that is final', async (t) => {
  const { model, options } = await withModel(t);
  const data_dir = await temporaryFolder(t);
  const happened: string[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  model.script(async (exchange) => {
    exchange.text('Slowly ');
    await held;
    exchange.text('done.');
    exchange.finish();
  });
  const command = async () =>
    (await startPlatform(t, { settings: { ...options.settings, data_dir }, listen: false, background: false })).kernel;
  const first = await command();
  const client = connect<PlatformApi>(first.operations(), direct(first));
  const sent = await client.chat.send({ content: 'Hi' });
  const settled = first.settled().then(() => happened.push('settled'));
  await until(
    () => replyTo(client, sent),
    ({ content }) => content !== '',
  );
  happened.push('released');
  release();
  await settled;
  t.same(happened, ['released', 'settled'], 'the process stays until the reply is final');
  t.match(await replyTo(client, sent), { status: 'completed', content: 'Slowly done.' });

  model.script(endless);
  const waiting = await client.chat.send({ content: 'First', session_id: sent.session_id });
  const left = await client.chat.send({ content: 'Second', session_id: sent.session_id });
  await until(
    () => replyTo(client, waiting),
    ({ content }) => content !== '',
  );
  await first.close();

  const second = await command();
  model.script(say('Done.'));
  const later = connect<PlatformApi>(second.operations(), direct(second));
  const own = await later.chat.send({ content: 'Own' });
  await second.settled();
  t.match(await replyTo(later, own), { status: 'completed', content: 'Done.' });
  t.match(
    await later.tasks.get({ task_id: left.task_id as string }),
    { status: 'queued' },
    'an older task of another process is left alone',
  );
  await second.close();
});
