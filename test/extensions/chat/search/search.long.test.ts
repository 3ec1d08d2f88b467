import t from 'tap';
import type { FoundMessage } from '../../../../extensions/chat/contract.js';
import { until } from '../../../helpers/eventually.js';
import { administrator, converse, failureOf, onEachPlatform, type PlatformClient, replyTo, someone } from '../world.js';

/** The messages, oldest first. */
const texts = [
  'Hello, World! The quick brown fox.', // 0
  'The brown bear says: hello wonderful world', // 1
  'Grüße aus der Straße; ein Café in Łódź, façade', // 2
  'GRUSSE AUS STRASSE', // 3
  'Ёлка и мой друг; Киев', // 4
  'мои друзья, елка, київ, Їжак', // 5
  'Η Ελλάδα και ο ΟΔΥΣΣΕΥΣ, Οδυσσεύς', // 6
  'İstanbul ve ısparta, DIYARBAKIR', // 7
  '你好，世界。人工智能模型正在改变世界', // 8
  '今天我们用GPT4模型写代码test', // 9
  '世界人工', // 10
  'これはテストです。ｶﾞｷﾞ 東京タワーに行きました', // 11
  '한국어 검색은 어렵지 않습니다', // 12
  'مُحَمَّدٌ أحمد يكتب الكتاب', // 13
  'שָׁלוֹם עולם', // 14
  'हिन्दी में खोज करना आसान है', // 15
  'สวัสดีครับ ผมรักภาษาไทย', // 16
  'Ship it 🎉🚀 👩‍💻 done ❤️', // 17
  'Tiếng Việt: Đường phố Hà Nội', // 18
  'user_id in node.js, C++ & email bob@example.org 2026-11-20 v1.2.3', // 19
  'cafe\u0301 and na\u00efve; \u1112\u1161\u11ab\u1100\u1173\u11af nfd', // 20
  'It\'s 100% "quoted" OR (NOT this) AND * NEAR/2 col:x; DROP TABLE', // 21
  'ＦＵＬＬ　ｗｉｄｔｈ ① ㍿', // 22
  '𠮷野家で𠮷を食べる', // 23
  `${'pneumonoultramicroscopicsilicovolcanoconiosis'} and antidisestablishmentarianism`, // 24
];

/** Queries, and the texts that each finds, newest first. */
const cases: [q: string, found: number[]][] = [
  ['hello', [1, 0]],
  ['HELLO world', [1, 0]],
  ['world hello', [1, 0]],
  ['hello wor', [1, 0]],
  ['wor hello', []],
  ['wond', [1]],
  ['ello', []],
  ['brown fox hello', [0]],
  ['grüsse', [3, 2]],
  ['gruße', [3, 2]],
  ['grusse', [3, 2]],
  ['strasse', [3, 2]],
  ['STRAẞE', [3, 2]],
  ['cafe', [20, 2]],
  ['CAFÉ', [20, 2]],
  ['lodz', [2]],
  ['facade', [2]],
  ['ёлка', [5, 4]],
  ['ЕЛКА', [5, 4]],
  ['мой', [4]],
  ['мои', [5]],
  ['їжак', [5]],
  ['іжак', []],
  ['оδυσ', []],
  ['οδυσσευς', [6]],
  ['Οδυσσεύσ', [6]],
  ['ελλαδα', [6]],
  ['istanbul', [7]],
  ['ISPARTA', [7]],
  ['diyarbakır', [7]],
  ['世界', [10, 8]],
  ['界', [10, 8]],
  ['人工智能', [8]],
  ['智能模型', [8]],
  ['模型', [9, 8]],
  ['世界人工', [10]],
  ['工世', []],
  ['你好世界', []],
  ['世界 你好', [8]],
  ['人工 你', [8]],
  ['gpt4模型', [9]],
  ['GPT', [9]],
  ['模型 tes', [9]],
  ['代码test', [9]],
  ['の', []],
  ['テスト', [11]],
  ['スト', [11]],
  ['ガギ', [11]],
  ['東京', [11]],
  ['タワー', [11]],
  ['京タ', [11]],
  ['검색', [12]],
  ['색', [12]],
  ['한국', [12]],
  ['국어 검', [12]],
  ['한글', [20]],
  ['محمد', [13]],
  ['احمد', [13]],
  ['الكتا', [13]],
  ['שלום', [14]],
  ['खोज', [15]],
  ['हिन्', [15]],
  ['हन', []],
  ['รัก', [16]],
  ['ภาษา', [16]],
  ['ส', [16]],
  ['🎉', [17]],
  ['🚀', [17]],
  ['🎉🚀 ship', [17]],
  ['💻', [17]],
  ['❤', [17]],
  ['tieng viet', [18]],
  ['đường', [18]],
  ['duong pho', [18]],
  ['node.js', [19]],
  ['bob@example.org', [19]],
  ['2026-11', [19]],
  ['c++', [21, 20, 19, 2]],
  ['user_id', [19]],
  ['naive', [20]],
  ['full width', [22]],
  ['1', [22, 21, 19]],
  ['株式会社', [22]],
  ['会社', [22]],
  ['𠮷', [23]],
  ['吉', []],
  ['pneumonoultramicroscopicsil', [24]],
  ['pneumonoultramicroscopicsilicovolcanoconiosis', [24]],
  ['pneumonoultramicroscopicsilicones', []],
  ['pneumonoultramicroscopicsi and', []],
  // Data, whatever it looks like.
  ['"quoted"', [21]],
  ['"quoted', [21]],
  ['OR', [21, 19]],
  ['hello OR quoted', []],
  ['NOT this', [21]],
  ['col:x', [21]],
  ['-hello', [1, 0]],
  ['hel*', [1, 0]],
  ['^hello', [1, 0]],
  ["it's", [21, 17]],
  ["' OR 1=1 --", []],
  ["hello' | 'fox", [0]],
  ['hello:* & world:*', [1, 0]],
  ['\\hello\\', [1, 0]],
  ['terms:hello', []],
  ['%', []],
  ['"', []],
  ['* ( ) : ^ -', []],
  ['。、！', []],
  [' ', []],
  ['\u0301', []],
  ['fox '.repeat(120), [0]],
  ['a'.repeat(500), []],
  ['词'.repeat(500), []],
];

/** Answers of each database, to be compared. */
const answers = new Map<string, unknown>();

t.test('words match in any order, as prefixes, in many languages, and query syntax is taken as text', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const client = (await someone(t, platform)).direct;
    const { id: session_id } = await notes(client);
    for (const content of texts) await client.chat.send({ content, session_id });
    for (const [q, found] of cases) {
      const messages = await client.messages.search({ q, limit: 20 });
      t.same(messages.map(indexOf), found, JSON.stringify(q.slice(0, 60)));
      t.same(await client.messages.search({ q, session_id, limit: 20 }), messages, 'a search in the session finds the same');
      for (const { content, highlight } of messages) {
        t.ok(content.includes(highlight.map(({ text }) => text).join('')), 'the highlight is a part of the text');
        t.ok(highlight.some(({ match }) => match));
      }
      const shown = JSON.stringify(messages.map(({ content, highlight }) => ({ content, highlight })));
      t.equal(answers.get(q) ?? shown, shown, 'both databases find and mark the same');
      answers.set(q, shown);
    }
    for (const [q, code] of [
      ['', 'invalid_input'],
      ['x'.repeat(501), 'invalid_input'],
      ['hello\0world', 'malformed_request'],
      ['\ud83d', 'malformed_request'],
    ] as const) {
      t.same(await failureOf(client.messages.search({ q, limit: 20 })), { code, status: 400 });
    }
  });
});

t.test('a result is an excerpt of the text with its matches marked', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const client = (await someone(t, platform)).http;
    const highlight = async (content: string, q: string) => {
      const { id: session_id } = await notes(client);
      await client.chat.send({ content, session_id });
      return (await client.messages.search({ q, session_id, limit: 20 }))[0]?.highlight;
    };
    t.same(await highlight('<b>Größe</b> & größer', 'grosse'), [
      { text: '<b>', match: false },
      { text: 'Größe', match: true },
      { text: '</b> & ', match: false },
      { text: 'größer', match: true },
    ]);
    t.same(await highlight('哈哈哈你好吗', '哈哈'), [
      { text: '哈哈哈', match: true },
      { text: '你好吗', match: false },
    ]);
    t.same(await highlight('用GPT模型', 'gpt模'), [
      { text: '用', match: false },
      { text: 'GPT模', match: true },
      { text: '型', match: false },
    ]);
    const far = await highlight(`${'before '.repeat(100)}needle${' after'.repeat(100)}`, 'need');
    t.same(far?.[1], { text: 'needle', match: true });
    t.match(far?.[0]?.text, /^before( before)+ $/);
    t.equal(far?.length, 3);
    t.ok(JSON.stringify(far).length < 400);
    const whole = (await highlight(`${'🎉'.repeat(200)} needle ${'🎉'.repeat(300)}`, 'needle')) ?? [];
    t.notMatch(whole.map(({ text }) => text).join(''), /\ufffd/);
    t.ok(
      whole
        .map(({ text }) => text)
        .join('')
        .isWellFormed(),
      'no character is split',
    );
  });
});

t.test("a search finds only visible messages: not others', hidden or deleted ones", async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, bob, eve] = [await someone(t, platform), await someone(t, platform), await someone(t, platform)];
    const found = async ({ direct }: { direct: PlatformClient }, q: string) =>
      (await direct.messages.search({ q, limit: 20 })).map(({ content }) => content);
    const own = await notes(ada.direct);
    await ada.direct.chat.send({ content: 'secret of ada', session_id: own.id });
    const shared = await ada.direct.sessions.create({ title: '', target_type: 'member', target_id: bob.id });
    await ada.direct.chat.send({ content: 'secret for bob', session_id: shared.id });
    await bob.direct.chat.send({ content: 'secret back', session_id: shared.id });
    t.same(await found(ada, 'secret'), ['secret back', 'secret for bob', 'secret of ada']);
    t.same(await found(bob, 'secret'), ['secret back', 'secret for bob']);
    t.same(await found(eve, 'secret'), []);
    t.same(await found({ direct: administrator(platform) }, 'secret ada'), []);
    for (const client of [eve.direct, eve.http, administrator(platform)]) {
      for (const session_id of [own.id, shared.id]) {
        t.same(await failureOf(client.messages.search({ q: 'secret', session_id, limit: 20 })), { code: 'session_not_found', status: 404 });
        t.same(await failureOf(client.messages.search({ q: '!', session_id, limit: 20 })), { code: 'session_not_found', status: 404 });
      }
    }
    await bob.direct.sessions.delete({ session_id: shared.id });
    t.same(await found(bob, 'secret'), [], 'the session is hidden for the member who deleted it');
    t.same(await failureOf(bob.direct.messages.search({ q: 'secret', session_id: shared.id, limit: 20 })), {
      code: 'session_not_found',
      status: 404,
    });
    t.same(await found(ada, 'secret'), ['secret back', 'secret for bob', 'secret of ada'], 'the session is visible to the partner');
    await ada.direct.chat.send({ content: 'secret again', session_id: shared.id });
    t.ok((await found(bob, 'secret')).includes('secret again'), 'a message makes the session visible again');
    await ada.direct.sessions.delete({ session_id: own.id });
    t.same(await found(ada, 'ada'), []);
    await administrator(platform).members.delete({ id: bob.id });
    t.same((await found(ada, 'secret')).at(-1), 'secret for bob', 'messages of a deleted partner stay');
    await administrator(platform).members.delete({ id: ada.id });
    t.same(await found(eve, 'secret'), []);
  });
});

t.test('a reply is found after it ended, also if aborted or failed', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const client = (await someone(t, platform)).direct;
    const found = async (q: string) => (await client.messages.search({ q, limit: 20 })).map(({ content }) => content);
    model.script(
      (exchange) => {
        exchange.text('The zebra ');
        exchange.text('sleeps.');
        exchange.finish();
      },
      (exchange) => exchange.text('The giraffe '),
    );
    const { reply } = await converse(client, 'Tell me');
    t.same(await found('zebra sleep'), ['The zebra sleeps.']);
    t.same((await client.messages.search({ q: 'zebra', session_id: reply.session_id, limit: 1 }))[0]?.id, reply.id);
    const sent = await client.chat.send({ content: 'More', session_id: reply.session_id });
    const begun = await replyTo(client, sent);
    await until(
      () => client.messages.get({ message_id: begun.id }),
      ({ content }) => content !== '',
    );
    t.same(await found('giraffe'), [], 'a reply in progress is not found, because its text may change');
    await client.chat.abort({ message_id: sent.message_id });
    t.same(await found('giraffe'), ['The giraffe ']);
    model.script((exchange) => exchange.text('The walrus'));
    const last = await client.chat.send({ content: 'And then?', session_id: reply.session_id });
    const failing = await replyTo(client, last);
    const read = () => client.messages.get({ message_id: failing.id });
    await until(read, ({ content }) => content !== '');
    model.exchanges.at(-1)?.breakOff();
    await until(read, ({ status }) => status === 'failed');
    t.same(await found('walrus'), ['The walrus']);
  });
});

t.test('a search returns the requested number of results, newest first, across sessions', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const client = (await someone(t, platform)).direct;
    const sessions = [await notes(client), await notes(client)];
    for (let number = 0; number < 30; number += 1) {
      const session_id = sessions[number % 2]?.id as string;
      await client.chat.send({ content: `entry 世界${number % 3 ? '和平' : '平和'} ${number}`, session_id });
    }
    const numbers = async (input: object) =>
      (await client.messages.search({ q: 'entry', limit: 20, ...input })).map(({ content }) => Number(content.split(' ').at(-1)));
    t.same(
      await numbers({}),
      Array.from({ length: 20 }, (_, index) => 29 - index),
    );
    t.same(await numbers({ limit: 2 }), [29, 28]);
    t.same((await numbers({ limit: 200 })).length, 30);
    t.same(await numbers({ session_id: sessions[0]?.id, limit: 3 }), [28, 26, 24]);
    t.same(await numbers({ q: '界平', limit: 4 }), [27, 24, 21, 18], 'the others contain all characters, but not in sequence');
    t.same(await numbers({ q: '世平', limit: 4 }), []);
  });
});

async function notes(client: PlatformClient): Promise<{ id: string }> {
  return client.sessions.create({ title: '', target_type: '', target_id: '' });
}

function indexOf({ content }: FoundMessage): number {
  return texts.indexOf(content);
}
