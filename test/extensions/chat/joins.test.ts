import t, { type Test } from 'tap';
import { until } from '../../helpers/eventually.js';
import type { Exchange } from '../../helpers/model-server.js';
import { notificationsOf } from '../notifications/world.js';
import { upload } from './files/uploads.js';
import { employee, people, roomOf } from './room-members.js';
import { collect, failureOf, onEachPlatform, type Someone, textsOf, type World } from './world.js';

/** A room in which Ada has asked Vic, whose answers wait in `asked`. Ben and another AI employee, Zoe, are members; Eve is not. */
async function askedRoom(t: Test, { platform, model }: World) {
  const [ada, ben, eve] = (await people(t, platform, 3)) as [Someone, Someone, Someone];
  const [vic, zoe] = [await employee(platform, `Vic ${ada.name}`), await employee(platform, `Zoe ${ada.name}`)];
  const { id: session_id } = await roomOf(ada, [ben, vic, zoe]);
  await ben.http.unread.mark_read({ session_id });
  const asked: Exchange[] = [];
  model.script((exchange) => void asked.push(exchange));
  const isAsked = (times: number) =>
    until(
      () => asked.length,
      (length) => length === times,
    );
  const sent = await ada.http.chat.send({ session_id, content: `@${vic.username} hello` });
  await isAsked(1);
  return { ada, ben, eve, vic, zoe, session_id, asked, isAsked, sent, task_id: sent.task_id as string };
}

t.test('a text sent into a running task of a room mentions members as any message, and wakes other AI employees', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { ada, ben, eve, vic, zoe, session_id, asked, isAsked, task_id } = await askedRoom(t, world);
    const shorter = await ada.http.tasks.message({ task_id, content: `@${vic.username} shorter` });
    t.match(shorter, { task_id, task_ids: [task_id], not_in_room: [] }, 'who has the text is not asked again');
    const content = `@${ben.name}, @${zoe.username} and @${eve.name}: look`;
    const joined = await ada.http.tasks.message({ task_id, content });
    const { message_id } = joined;
    t.same(joined.not_in_room, [{ member_id: eve.id, username: eve.name }]);
    t.same([joined.task_ids.length, joined.task_ids[0]], [2, task_id]);
    const mentions = [ben, zoe].map(({ id }) => ({ member_id: id }));
    t.match(await ada.http.messages.get({ message_id }), { content, task_id, mentions });
    t.match(await ben.http.sessions.get({ session_id }), { mention_count: 1 });
    const inbox = notificationsOf(t, world.platform, ben.token);
    const mentioned = await until(
      async () =>
        (await inbox.list({ status: 'all', source: '', page: 1, limit: 20 })).notifications.find(({ kind }) => kind === 'mention'),
      (found) => found !== undefined,
    );
    t.match(mentioned, { session_id, message_id, from_member_id: ada.id });
    await isAsked(2);
    asked[1]?.text("Zoe's", 'end');
    const events = collect(ben.http.messages.stream({ message_id }));
    asked[0]?.text("Vic's", 'end');
    await isAsked(3);
    asked[2]?.text(' again', 'end');
    t.same([...textsOf(await events).values()].sort(), ["Vic's\n\n again", "Zoe's"]);
  });
});

t.test('a text that joins a task of a room may have files, which its members get', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { ada, ben, eve, session_id, asked, isAsked, sent, task_id } = await askedRoom(t, world);
    const [file, his] = [await upload(ada.http, 'plan.txt', 'Secret'), await upload(ben.http, 'his.txt', 'His')];
    const absent = { code: 'file_not_found', status: 404 };
    t.same(await failureOf(ada.http.tasks.message({ task_id, content: 'Look', files: [his.id] })), absent, "another member's file");
    t.same(await failureOf(ada.http.tasks.message({ task_id, content: '' })), { code: 'invalid_input', status: 400 });
    t.same(await failureOf(ben.http.tasks.message({ task_id, content: '', files: [his.id] })), { code: 'not_the_asker', status: 403 });
    const { message_id } = await ada.http.tasks.message({ task_id, content: '', files: [file.id] });
    t.match(await ben.http.messages.get({ message_id }), { content: '', task_id, files: [file] });
    t.match(await ben.http.sessions.get({ session_id }), { last_message_preview: 'plan.txt' });
    t.match(await ben.http.files.get({ file_id: file.id }), { save_as: 'plan.txt' });
    t.same(await failureOf(eve.http.files.get({ file_id: file.id })), absent);
    const events = collect(ada.http.messages.stream({ message_id: sent.message_id }));
    asked[0]?.text('First', 'end');
    await isAsked(2);
    t.match(JSON.stringify(asked[1]?.body.messages), /plan\.txt/, 'the model learns of it');
    asked[1]?.text(' second', 'end');
    await events;
    await ada.http.messages.delete({ message_id });
    t.same(await failureOf(ada.http.files.get({ file_id: file.id })), absent, 'it goes with the text');
  });
});
