import t from 'tap';
import type { Message, MessageFile } from '../../../../extensions/chat/contract.js';
import { pdf } from '../../../kernel/platform/documents/made.js';
import { employee, roomOf } from '../room-members.js';
import { type Someone, someone } from '../world.js';
import { ask, onOneAndTwo, reads } from './attachment-reader.js';
import { sendFile, upload } from './uploads.js';

/** The answer of the tool, which the reply repeats. */
const answerOf = ({ content }: Message): unknown => JSON.parse(content);

t.test('what can not be read, is not there or was asked for wrongly is answered with a sentence', async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [platform] }) => {
    const ada = await someone(t, platform);
    const said = async (input: object) => {
      model.script(...reads(input));
      return (await ask(ada.http, { content: 'Read it' })).reply.content;
    };
    const { id: file_id } = await upload(ada.http, 'Scan "1".pdf', pdf({ pages: [''] }));
    const scanned = 'The document has no text and may be scanned: recognise its text (OCR) first, or send its pages as images';
    t.equal(await said({ file_id }), `Error: The file "Scan _1_.pdf" has no text to read. ${scanned}`);
    t.equal(await said({ file_id: 'none' }), 'Error: There is no file none that you can see (file_not_found)');
    t.match(await said({ file_id: '' }), /^Error: "file_id" must be a text of 1 to 64 characters \(invalid_input\)$/);
    t.match(await said({ file_id, page: 0 }), /^Error: "page" must be a whole number from 1 \(invalid_input\)$/);
    t.match(await said({ file_id, path: '/etc/passwd' }), /unknown_field/);
  });
});

t.test('an AI employee reads the files that its asker sees, and no longer than that', async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [platform] }) => {
    const [ada, ben] = [await someone(t, platform), await someone(t, platform)];
    const says = async ({ http }: Someone, file_id: string) => {
      model.script(...reads({ file_id }));
      return (await ask(http, { content: 'Read it' })).reply;
    };
    const { file_id, message_id } = await sendFile(ada.http, 'plan.md', { target_type: 'member', target_id: ben.id });
    const plan = { name: 'plan.md', pages: 1, page: 1, text: 'The content of plan.md' };
    for (const one of [ada, ben]) t.same(answerOf(await says(one, file_id)), plan);
    const eve = await someone(t, platform);
    const absent = `Error: There is no file ${file_id} that you can see (file_not_found)`;
    t.equal((await says(eve, file_id)).content, absent, 'a stranger, although the text is cached');
    await ada.http.messages.delete({ message_id });
    for (const one of [ada, ben]) t.equal((await says(one, file_id)).content, absent);
  });
});

t.test("in a room an AI employee reads the room's files freely, and no others of its asker", async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [platform] }) => {
    const [ada, ben] = [await someone(t, platform), await someone(t, platform)];
    const vic = await employee(platform, `Vic ${ada.name}`);
    const { id: session_id } = await roomOf(ada, [ben, vic]);
    const { id: other } = await roomOf(ada, [ben]);
    const says = async (file_id: string, asker = ben) => {
      model.script(...reads({ file_id }));
      return (await ask(asker.http, { content: `@${vic.username} read it`, session_id })).reply;
    };
    const { file_id: shared } = await sendFile(ada.http, 'shared.txt', { session_id });
    t.match(answerOf(await says(shared)), { text: 'The content of shared.txt' });
    const elsewhere: Pick<MessageFile, 'id'>[] = [
      { id: (await sendFile(ben.http, 'private.txt')).file_id },
      { id: (await sendFile(ada.http, 'other.txt', { session_id: other })).file_id },
      await upload(ben.http, 'unsent.txt', 'Not sent yet'),
    ];
    for (const { id } of elsewhere) {
      t.match(await ben.http.files.get({ file_id: id }), { save_as: String }, 'the asker sees it');
      t.equal((await says(id)).content, `Error: There is no file ${id} in this room (file_not_found)`);
    }
    await ada.http.sessions.remove_member({ session_id, member_id: ben.id });
    await ada.http.sessions.add_member({ session_id, member_ids: [ben.id] });
    t.match(answerOf(await says(shared)), { text: 'The content of shared.txt' }, 'who joins again sees the history');
  });
});
