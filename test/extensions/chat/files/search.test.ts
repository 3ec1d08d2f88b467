import t, { type Test } from 'tap';
import { becomes, until } from '../../../helpers/eventually.js';
import type { TestPlatform } from '../../../helpers/platform.js';
import { docx, paragraph } from '../../../kernel/platform/documents/made.js';
import { sharedOnOneAndTwo } from '../../agents/world.js';
import { employee, people, roomOf } from '../room-members.js';
import { administrator, type Someone } from '../world.js';
import { upload } from './uploads.js';

/** Reads documents where walls are refused too. */
const onOneAndTwo = sharedOnOneAndTwo({ settings: { 'plugins.trusted': ['kernel.documents'] } });

const search = ({ http }: Someone, q: string, more: object = {}) => http.messages.search({ q, limit: 20, ...more });
const found = async (one: Someone, q: string, more: object = {}) => (await search(one, q, more)).map(({ id }) => id);
const letter = (text: string) => docx(paragraph(text));

/** Runs a subtest with people on each database. */
function withPeople(
  t: Test,
  work: (t: Test, people: [Someone, Someone, Someone], platforms: [TestPlatform, TestPlatform]) => Promise<void>,
) {
  return onOneAndTwo(t, async (t, { platforms }) => work(t, (await people(t, platforms[0], 3)) as [Someone, Someone, Someone], platforms));
}

t.test('search finds a message by the text of its file, for those who see it, until it is deleted', async (t) => {
  await withPeople(t, async (t, [ada, ben, eve], [platform]) => {
    const { id } = await upload(ada.http, 'Offer.docx', await letter('The quinces cost forty kroner'));
    const to_ben = { target_type: 'member', target_id: ben.id } as const;
    const { message_id, session_id } = await ada.http.chat.send({ content: 'As promised', files: [id], ...to_ben });
    await becomes(t, () => found(ben, 'quinces kron'), [message_id]);
    t.same(await found(ada, 'promised quinces offer', { session_id }), [message_id], 'together with words of the text and the name');
    t.same(await found(eve, 'quinces'), []);
    t.same(await administrator(platform).messages.search({ q: 'quinces', limit: 20 }), []);
    const [message] = await search(ben, 'kroner');
    t.equal(message?.content, 'As promised');
    t.same(message?.highlight, [
      { text: 'As promised\nOffer.docx\nThe quinces cost forty ', match: false },
      { text: 'kroner', match: true },
    ]);
    await ada.http.messages.edit({ message_id, content: 'Later' });
    t.same([await found(ben, 'later quinces'), await found(ben, 'promised quinces')], [[message_id], []]);
    const again = await ada.http.chat.send({ content: '', files: [id], target_type: '' });
    t.same(await found(ada, 'quinces'), [again.message_id, message_id], 'at once if it is sent again');
    t.same(await found(ben, 'quinces'), [message_id]);
    await ada.http.messages.delete({ message_id });
    t.same([await found(ada, 'quinces'), await found(ben, 'quinces')], [[again.message_id], []]);
    await ada.http.sessions.delete({ session_id: again.session_id });
    t.same(await found(ada, 'quinces'), []);
  });
});

t.test('in a room those find the text who are members now', async (t) => {
  await withPeople(t, async (t, [ada, ben, cleo], [platform]) => {
    const vic = await employee(platform, `Vic ${ada.name}`);
    const { id: session_id } = await roomOf(ada, [ben, vic]);
    const { id } = await upload(ben.http, 'list.csv', 'fruit,price\nmedlar,7\nsloe,9');
    const { message_id } = await ben.http.chat.send({ content: '', files: [id], session_id });
    await becomes(t, () => found(ada, 'medlar'), [message_id]);
    t.same(await found(cleo, 'medlar'), []);
    await ada.http.sessions.add_member({ session_id, member_ids: [cleo.id] });
    t.same(await found(cleo, 'medlar sloe'), [message_id]);
    await ben.http.sessions.remove_member({ session_id, member_id: ben.id });
    t.same(await found(ben, 'medlar'), [], 'whoever uploaded it');
    t.same(await found(cleo, '7'), [message_id]);
  });
});

t.test('sending does not wait for the text, and a text is found from all files of a message', async (t) => {
  await withPeople(t, async (t, [ada]) => {
    const files: string[] = [];
    for (const [at, word] of ['aronia', 'bilberry', 'elder'].entries())
      files.push((await upload(ada.http, `${at}.txt`, `${word} ${'filler '.repeat(20_000)}`)).id);
    files.push(
      (await upload(ada.http, 'none.pdf', '%PDF-1.7 broken')).id,
      (await upload(ada.http, 'chinese.md', '# 价格\n\n榅桲四十元')).id,
    );
    const { message_id } = await ada.http.chat.send({ content: '', files, target_type: '' });
    t.same(await found(ada, 'chinese'), [message_id], 'by name at once');
    await becomes(t, () => found(ada, 'aronia bilberry elder'), [message_id]);
    await becomes(t, () => found(ada, '榅桲'), [message_id]);
    await until(
      () => search(ada, 'elder'),
      ([message]) => message?.highlight.some(({ text, match }) => match && text === 'elder') ?? false,
    );
  });
});
