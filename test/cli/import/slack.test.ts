import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { onEachPlatform, type Someone, someone } from '../../extensions/chat/world.js';
import { temporaryFolder } from '../../helpers/platform.js';
import { zipOf } from '../../kernel/platform/bundles/zip.js';
import { memberNamed, messagesIn, remarksOf, runImport, sessionNamed, stateOf, unique } from './world.js';

type Json = Record<string, unknown>;
type Files = Record<string, unknown>;

const second = 1_709_283_600;
const ts = (seconds: number, count = 0) => `${second + seconds}.${String(count).padStart(6, '0')}`;
const isoAt = (seconds: number) => new Date((second + seconds) * 1_000).toISOString();

/** Writes an archive of JSON files; texts are written as they are. */
async function exported(t: Test, files: Files): Promise<string> {
  const path = join(await temporaryFolder(t), 'export.zip');
  const parts = Object.entries(files).map(([name, content]) => ({
    name,
    content: content instanceof Buffer || typeof content === 'string' ? content : JSON.stringify(content),
  }));
  await writeFile(path, zipOf(parts));
  return path;
}

/** An export as Slack's help describes it, with much that real ones have. */
function oddExport(ada: string, word: string): Files {
  const [general, leads] = [`general-${word}`, `leads-${word}`];
  const file = {
    id: 'F1',
    name: 'plan.pdf',
    title: 'The [plan]',
    permalink: 'https://acme.slack.com/files/U1/F1/plan.pdf',
    url_private: 'https://files.slack.com/F1?t=xoxe-secret',
  };
  const general_day: Json[] = [
    {
      type: 'message',
      user: 'U1',
      ts: ts(0),
      thread_ts: ts(0),
      text: 'Root &lt;b&gt; &amp; <@U2> <@U2|bobby> <@UGONE> <#C2> <#C9|lost> <!here> <!subteam^S1|@crew> <https://example.com/a|a link> <https://example.com/b> :wave::skin-tone-3: :party-parrot: *bold* ~gone~ `*code* &amp; :wave:`',
      reactions: [
        { name: '+1', users: ['U1', 'U2'], count: 2 },
        { name: 'party-parrot', users: ['U1'], count: 1 },
        { name: 'eyes', users: ['UGONE'], count: 1 },
      ],
      reply_count: 2,
    },
    { type: 'message', user: 'U2', ts: ts(5), thread_ts: ts(0), text: 'A reply' },
    { type: 'message', subtype: 'thread_broadcast', user: 'U2', ts: ts(6), thread_ts: ts(0), text: 'To all' },
    { type: 'message', user: 'U2', ts: ts(10), text: 'Edited', edited: { user: 'U2', ts: ts(20) } },
    { type: 'message', user: 'U2', ts: ts(10), text: 'Edited' },
    { type: 'message', subtype: 'channel_join', user: 'U2', ts: ts(11), text: '<@U2> has joined' },
    { type: 'message', subtype: 'channel_topic', user: 'U2', ts: ts(12), text: 'set the topic' },
    { type: 'message', subtype: 'tombstone', user: 'USLACKBOT', ts: ts(13), thread_ts: ts(13), text: 'This message was deleted.' },
    { type: 'message', user: 'U2', ts: ts(14), thread_ts: ts(13), text: 'Reply to a deleted one' },
    {
      type: 'message',
      subtype: 'bot_message',
      bot_id: 'B1',
      username: 'Builds',
      ts: ts(15),
      text: '',
      attachments: [{ fallback: 'Build 7 failed' }],
    },
    {
      type: 'message',
      user: 'U3',
      bot_id: 'B2',
      bot_profile: { name: 'Polly' },
      ts: ts(16),
      text: '',
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'A *poll*' } }],
    },
    { type: 'message', subtype: 'me_message', user: 'U1', ts: ts(17), text: 'waves' },
    { type: 'message', user: 'UGONE', user_profile: { real_name: 'Connected' }, ts: ts(18), text: 'From elsewhere' },
    {
      type: 'message',
      user: 'U1',
      ts: ts(19),
      text: '',
      files: [file, { id: 'F2', mode: 'tombstone' }, { id: 'F3', name: 'x', url_private: 'javascript:alert(1)' }],
    },
    { type: 'message', user: 'U1', ts: ts(21), text: '   ' },
    { type: 'message', user: 'U1', text: 'No time stamp' },
    { type: 'message', user: 'U1', ts: '99999999999999.0', text: 'In the future' },
    { type: 'message', user: 'U1', ts: ts(30), thread_ts: ts(31), text: 'Circle one' },
    { type: 'message', user: 'U2', ts: ts(31), thread_ts: ts(30), text: 'Circle two' },
    { type: 'message', user: 'U1', ts: ts(40), text: `Long ${'word '.repeat(7_000)}` },
    ...Array.from({ length: 260 }, (_, n) => ({
      type: 'message',
      user: n % 2 === 0 ? 'U1' : 'U2',
      ts: ts(50, n),
      thread_ts: ts(0),
      text: `Huge ${n}`,
    })),
  ];
  return {
    'users.json': [
      { id: 'U1', name: ada, is_admin: true, is_owner: true, profile: { real_name: 'Ada', display_name: '' } },
      { id: 'U2', name: `Bob Ünal ${word}`, deleted: true, profile: { display_name: `Bob\u202E ${word}` } },
      { id: 'U2', name: 'twice' },
      { id: 'U3', name: 'polly', is_bot: true, profile: { real_name: 'Polly' } },
      { id: 'U4', name: `bob-unal-${word}`, profile: { real_name: 'Another Bob' } },
    ],
    'channels.json': [
      {
        id: 'C1',
        name: general,
        created: second - 100,
        creator: 'U1',
        members: ['U1', 'U2', 'UGONE'],
        topic: { value: 'All' },
        purpose: { value: 'of us' },
      },
      { id: 'C3', name: `old-${word}`, created: second - 50, is_archived: true, members: [], purpose: { value: 'Was nice' } },
    ],
    'groups.json': [
      { id: 'C2', name: leads, created: second, creator: 'U2', members: ['U1', 'U2'] },
      { id: 'G3', name: `empty-${word}`, created: second, members: [] },
    ],
    'mpims.json': [{ id: 'G1', name: 'mpdm-ada--bob--bob2-1', created: second, creator: 'U1', members: ['U1', 'U2', 'U4'] }],
    'dms.json': [
      { id: 'D1', created: second, members: ['U1', 'U2'] },
      { id: 'D2', created: second, members: ['U1'] },
      { id: 'D3', created: second, members: ['U1', 'UGONE'] },
    ],
    'integration_logs.json': [],
    [`${general}/2024-03-01.json`]: `\uFEFF${JSON.stringify(general_day)}`,
    [`${general}/2024-02-28.json`]: [{ type: 'message', user: 'U2', ts: ts(-90_000), text: `The day before ${word}` }],
    [`${leads}/2024-03-01.json`]: [{ type: 'message', user: 'U2', ts: ts(1), text: 'Quietly' }],
    'D1/2024-03-01.json': [{ type: 'message', user: 'U2', ts: ts(2), text: 'Privately' }],
    'D2/2024-03-01.json': [{ type: 'message', user: 'U1', ts: ts(3), text: 'A note' }],
    'D3/2024-03-01.json': [{ type: 'message', user: 'UGONE', ts: ts(4), text: 'Goodbye' }],
    'mpdm-ada--bob--bob2-1/2024-03-01.json': [{ type: 'message', user: 'U4', ts: ts(5), text: 'Among three' }],
    'nowhere/2024-03-01.json': [{ type: 'message', user: 'U1', ts: ts(1), text: 'Lost' }],
  };
}

t.test('a Slack export comes along with its marks, threads and reactions, and only once', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { platform } = world;
    const ada = await someone(t, platform);
    const word = unique();
    const path = await exported(t, oddExport(ada.name, word));
    const before = await stateOf(world, ada.http);
    const dry = await runImport(t, platform, ['slack', path, '--from', word, '--dry-run']);
    t.same([dry.code, await stateOf(world, ada.http)], [0, before], dry.stderr);
    const first = await runImport(t, platform, ['slack', path, '--from', word]);
    t.equal(first.code, 0, first.stderr);
    t.match(first.report, {
      members: { created: 2, matched: 1 },
      rooms: { created: 7, left_out: 1 },
      messages: { known: 1 },
      reactions: 2,
    });
    t.equal(dry.report?.messages.created, (first.report?.messages.created ?? 0) + 1, 'the dry run counts a message that is twice in it');
    t.match(await memberNamed(world, `bob-unal-${word}`), { active: false, role: 'member' });
    t.match(await memberNamed(world, `bob-unal-${word}-2`), { active: false, role: 'member' });
    t.equal(await memberNamed(world, 'polly'), undefined);
    await channelIsRight(t, ada, word);
    await othersAreRight(t, ada, word);
    const again = await runImport(t, platform, ['slack', path, '--from', word]);
    t.match(again.report, { members: { created: 0, known: 3 }, rooms: { created: 0, known: 7 }, messages: { created: 0 }, reactions: 0 });
    await channelIsRight(t, ada, word);
  });
});

async function channelIsRight(t: Test, ada: Someone, word: string): Promise<void> {
  const room = await sessionNamed(ada.http, `general-${word}`);
  t.match(room, { visibility: 'open', topic: 'All', role: 'owner', member_count: 2, unread_count: 0, created_at: isoAt(-100) });
  const roots = await ada.http.messages.list({ session_id: room?.id ?? '', threads: 'roots', limit: 200 });
  const found = (text: string) => roots.find(({ content }) => content.startsWith(text));
  const root = found('Root');
  t.equal(
    root?.content.replaceAll(/@bob-unal-[\w-]+/g, '@bob'),
    `Root <b> & @bob @bob @deleted-member #leads-${word} #lost @here @crew [a link](https://example.com/a) https://example.com/b 👋🏼 :party-parrot: **bold** ~~gone~~ \`*code* & :wave:\``,
  );
  t.match(root, { created_at: isoAt(0), reply_count: 262, reactions: [{ emoji: '👍', count: 2, mine: true }] });
  t.match(await ada.http.messages.list({ thread_id: root?.id ?? '', limit: 3, after: root?.created_at ?? '' }), [
    { content: 'A reply' },
    { content: 'To all' },
    {},
  ]);
  t.match(found('Edited'), { edited_at: isoAt(20) });
  t.match(found('Build 7 failed'), { sender_id: null, sender_name: 'Builds (bot)' });
  t.match(found('A **poll**'), { sender_id: null, sender_name: 'Polly (bot)' });
  t.match(found('From elsewhere'), { sender_id: null, sender_name: 'Deleted member' });
  t.equal(found('[The')?.content, '[The \\[plan\\]](https://acme.slack.com/files/U1/F1/plan.pdf)\n[File: x]', 'no token stays in a link');
  t.ok(found('_waves_') && found('No time stamp') && found('In the future') && found('Reply to a deleted one') && found('Circle one'));
  t.notOk(found('<@U2> has joined') ?? found('set the topic') ?? found('This message was deleted'));
  t.match(roots[0], { content: `The day before ${word}` });
  t.match(await ada.http.messages.search({ q: `before ${word}`, limit: 20 }), [{ id: roots[0]?.id }]);
}

async function othersAreRight(t: Test, ada: Someone, word: string): Promise<void> {
  t.match(await sessionNamed(ada.http, `leads-${word}`), { visibility: 'private', role: 'member', unread_count: 0 });
  t.match((await ada.http.rooms.list({ query: `old-${word}`, limit: 20, offset: 0 })).items, [
    { topic: 'Archived. Was nice', member_count: 0 },
  ]);
  const sessions = await ada.http.sessions.list({ limit: 200, offset: 0 });
  const last = (text: string) => sessions.find(({ last_message_preview }) => last_message_preview === text);
  t.match(last('Privately'), { target_type: 'member', unread_count: 0 });
  t.match(last('A note'), { target_type: '' });
  t.match(last('Goodbye'), { target_type: 'room', member_count: 1, title: 'Ada, Deleted member' });
  t.match(last('Among three'), { target_type: 'room', member_count: 3 });
  t.equal((await messagesIn(ada.http, last('Privately'))).length, 1);
}

t.test('what a Slack export lacks or loses is said', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const ada = await someone(t, platform);
    const word = unique();
    const found = remarksOf(
      await runImport(t, platform, ['slack', await exported(t, oddExport(ada.name, word)), '--from', word, '--dry-run']),
    );
    t.match(found, {
      'users without an id, or that occur twice, were left out': 1,
      'folders belong to no conversation of the export and were left out': 1,
      'files are not in a Slack export: messages have links to them, which need an account there': 2,
      'files that Slack has deleted or hidden were left out': 1,
      'deleted messages were left out': 1,
      'messages of the system, such as joins, were left out': 2,
      'empty messages were left out': 1,
      'private rooms without members were left out': 1,
      'public rooms without members stay until somebody joins them': 1,
      'reactions with emoji of the workspace were left out': 1,
      'reactions of people who are not in the export were left out': 1,
      'messages had no usable time and got that of the message before them': 2,
      'messages were too long or had too many files and were split': 1,
    });
  });
});

t.test('a damaged or hostile Slack export changes nothing', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const ada = await someone(t, world.platform);
    const word = unique();
    const good = oddExport(ada.name, word);
    const before = await stateOf(world, ada.http);
    const day = `general-${word}/2024-03-02.json`;
    const { 'users.json': _users, ...rest } = good;
    const cases: [string, Files, RegExp][] = [
      ['no users', rest, /has no users\.json/],
      ['a day that is cut off', { ...good, [day]: '[{"type":"message"' }, /2024-03-02\.json: it is not valid JSON/],
      ['garbage after a day', { ...good, [day]: '[] tail' }, /is not valid JSON/],
      ['a day that is no list', { ...good, [day]: { a: 1 } }, /is no list of objects/],
      ['a list of texts', { ...good, 'channels.json': ['C1'] }, /channels\.json: it is no list of objects/],
      ['no UTF-8', { ...good, [day]: Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]) }, /is not valid UTF-8/],
      ['a path that leads out', { ...good, '../../evil.json': [] }, /can't be imported/],
      ['a bomb', { ...good, [day]: Buffer.alloc(100 * 1024 * 1024, ' ') }, /can't be imported/],
    ];
    for (const [name, files, says] of cases) {
      const ended = await runImport(t, world.platform, ['slack', await exported(t, files), '--from', word]);
      t.match(ended, { code: 2, stderr: says }, name);
    }
    const none = join(await temporaryFolder(t), 'none.zip');
    await writeFile(none, 'no archive');
    t.match(await runImport(t, world.platform, ['slack', none]), { code: 2, stderr: /The file is no ZIP/ });
    t.same(await stateOf(world, ada.http), before);
  });
});
