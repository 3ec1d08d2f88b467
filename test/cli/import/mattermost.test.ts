import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { onEachPlatform, type Someone, someone } from '../../extensions/chat/world.js';
import { temporaryFolder } from '../../helpers/platform.js';
import { zipOf } from '../../kernel/platform/bundles/zip.js';
import { memberNamed, messagesIn, remarksOf, runImport, sessionNamed, stateOf, unique } from './world.js';

const at = Date.parse('2024-03-01T09:00:00Z');
type Line = Record<string, unknown>;

const post = (more: Line): Line => ({ type: 'post', post: { team: 'ops', message: 'Hello', create_at: at, ...more } });
const version: Line = { type: 'version', version: 1, info: { generator: 'mattermost-server', version: '9.5' } };
const member = (name: string, roles = 'channel_user') => ({ name, roles });

/** An export as the documentation of the format describes it, with much that real exports have. */
function oddExport(ada: string, word: string): Line[] {
  const [zoe, ben] = [`Zoë ${word}`, `ben-${word}`];
  const [square, dev] = [`square-${word}`, `dev-${word}`];
  const channel = (team: string, name: string, more: Line = {}): Line => ({
    type: 'channel',
    channel: { team, name, display_name: name, type: 'O', ...more },
  });
  const user = (username: string, channels: object[], more: Line = {}): Line => ({
    type: 'user',
    user: {
      username,
      email: `${username}@example.com`,
      password: 'secret',
      roles: 'system_admin system_user',
      teams: [{ name: 'ops', channels }],
      ...more,
    },
  });
  return [
    version,
    { type: 'role', role: { name: 'system_admin' } },
    { type: 'emoji', emoji: { name: 'party-parrot', image: 'parrot.gif' } },
    { type: 'webinar', webinar: { name: 'unknown to us' } },
    { type: 'team', team: { name: 'ops', display_name: 'Ops', type: 'O' } },
    { type: 'team', team: { name: 'secret', display_name: 'Secret', type: 'I' } },
    channel('ops', square, { header: 'All of us' }),
    channel('ops', dev, { type: 'P', purpose: 'Code' }),
    channel('secret', square),
    channel('ops', `old-${word}`, { deleted_at: at }),
    channel('ops', `empty-${word}`, { type: 'P' }),
    user(ada, [member(square), member(dev, 'channel_user channel_admin'), member(`gone-${word}`)], {
      teams: [
        { name: 'ops', channels: [member(square), member(dev, 'channel_user channel_admin'), member(`gone-${word}`)] },
        { name: 'secret', channels: [member(square)] },
      ],
    }),
    user(zoe, [member(square)], { nickname: '\u202EZoë\u200B' }),
    user(ben, [member(square), member(dev)], { first_name: 'Ben', last_name: 'Big', delete_at: at }),
    user(ben.toUpperCase(), []),
    { type: 'bot', bot: { username: `helper-${word}`, display_name: 'Helper' } },
    { type: 'direct_channel', direct_channel: { members: [ada, ben] } },
    { type: 'direct_channel', direct_channel: { members: [ada] } },
    { type: 'direct_channel', direct_channel: { members: [ada, `helper-${word}`] } },
    post({
      channel: square,
      user: ada,
      message: `Root ${word} :wave: @${zoe.replace(' ', '_')} @${ben}.`,
      is_pinned: true,
      reactions: [
        { user: ben, emoji_name: '+1', create_at: at },
        { user: ada, emoji_name: 'thumbsup', create_at: at },
        { user: ben, emoji_name: '+1', create_at: at },
        { user: ada, emoji_name: 'party-parrot', create_at: at },
        { user: 'nobody', emoji_name: 'smile', create_at: at },
      ],
      replies: [
        { user: ben, message: 'First reply', create_at: at + 5_000 },
        { user: zoe, message: 'Early reply', create_at: at - 5_000 },
        { user: ben, message: 'left', type: 'system_leave_channel', create_at: at + 6_000 },
      ],
    }),
    post({ channel: square, user: ben, message: 'Same time', create_at: at }),
    post({ channel: square, user: ben, message: 'Same time and user', create_at: at }),
    post({ channel: square, user: ben, message: `In seconds \`:wave:\` :party-parrot:`, create_at: at / 1_000 + 10, edit_at: at + 60_000 }),
    post({ channel: square, user: ben, message: 'In microseconds', create_at: (at + 20_000) * 1_000 }),
    post({ channel: square, user: ben, message: 'No time', create_at: null }),
    post({ channel: square, user: ben, message: 'In the future', create_at: 9e13 }),
    post({ channel: square, user: 'stranger', message: 'By a stranger', create_at: at + 30_000 }),
    post({ channel: square, user: `helper-${word}`, message: 'By a bot', create_at: at + 31_000 }),
    post({
      channel: square,
      user: ada,
      message: '',
      create_at: at + 32_000,
      props: { from_webhook: 'true', override_username: 'Builds', attachments: [{ title: 'Build 7', text: 'failed' }] },
    }),
    post({ channel: square, user: ben, message: 'deleted', create_at: at + 33_000, delete_at: at + 34_000 }),
    post({ channel: square, user: ben, message: '   ', create_at: at + 35_000 }),
    post({
      channel: square,
      user: ada,
      message: 'joined',
      type: 'system_join_channel',
      create_at: at + 36_000,
      replies: [{ user: ben, message: 'Welcome', create_at: at + 37_000 }],
    }),
    post({
      channel: square,
      user: ada,
      message: 'Files',
      create_at: at + 40_000,
      attachments: [
        { path: 'a/report.txt' },
        { path: 'a/missing.txt' },
        { path: '../../../../etc/passwd' },
        { path: '/etc/passwd' },
        { path: 'a/empty.txt' },
      ],
    }),
    post({ channel: square, user: ada, message: `Long ${'word '.repeat(14_000)}`, create_at: at + 50_000 }),
    post({ channel: square, user: ben, message: 'Broken \ud800 sign and \u0000', create_at: at + 55_000 }),
    post({ channel: `gone-${word}`, user: ada, message: 'In no channel' }),
    post({ channel: `empty-${word}`, user: ben, message: 'Nobody reads this' }),
    post({
      channel: dev,
      user: ada,
      message: 'Thread',
      create_at: at,
      replies: Array.from({ length: 450 }, (_, n) => ({ user: n % 2 === 0 ? ada : ben, message: `Reply ${n}`, create_at: at + n })),
    }),
    { type: 'direct_post', direct_post: { channel_members: [ada, ben], user: ben, message: 'Privately', create_at: at } },
    { type: 'direct_post', direct_post: { channel_members: [ada], user: ada, message: 'A note', create_at: at } },
    { type: 'direct_post', direct_post: { channel_members: [ada, ben, zoe], user: zoe, message: 'Among three', create_at: at } },
  ];
}

/** Writes an export with a byte order mark and CRLF, and its files beside it. */
async function exported(t: Test, lines: readonly Line[], tail = ''): Promise<string> {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'data', 'a'), { recursive: true });
  await writeFile(join(folder, 'data', 'a', 'report.txt'), 'Quarterly figures of marmalade');
  await writeFile(join(folder, 'data', 'a', 'empty.txt'), '');
  const path = join(folder, 'bulk.jsonl');
  await writeFile(path, `\uFEFF${lines.map((line) => JSON.stringify(line)).join('\r\n')}\r\n\r\n${tail}`);
  return path;
}

t.test('an import takes everything over that fits, says what does not, and makes nothing twice', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { platform } = world;
    const ada = await someone(t, platform);
    const word = unique();
    const path = await exported(t, oddExport(ada.name, word));
    const before = await stateOf(world, ada.http);
    const dry = await runImport(t, platform, ['mattermost', path, '--from', word, '--dry-run']);
    t.match(dry, { code: 0, report: { dry_run: true, members: { created: 2, matched: 1 } } }, dry.stderr);
    t.same(await stateOf(world, ada.http), before, 'a dry run changes nothing');

    const first = await runImport(t, platform, ['mattermost', path, '--from', word]);
    t.equal(first.code, 0, first.stderr);
    t.same(
      { ...first.report, dry_run: true },
      { ...dry.report, remarks: first.report?.remarks },
      'the dry run has said how much it would make',
    );
    t.match(first.report, {
      members: { created: 2, matched: 1, known: 0 },
      rooms: { created: 8, left_out: 1 },
      reactions: 3,
      files: { created: 1, left_out: 4 },
    });
    await membersAreRight(t, world, word);
    await roomIsRight(t, ada, word);
    await conversationsAreRight(t, ada, word);

    const again = await runImport(t, platform, ['mattermost', path, '--from', word]);
    const created = first.report?.messages.created;
    t.match(again.report, {
      members: { created: 0, matched: 0, known: 3 },
      rooms: { created: 0, known: 8 },
      messages: { created: 0, known: created },
      files: { created: 0 },
      reactions: 0,
    });
    await roomIsRight(t, ada, word);
  });
});

async function membersAreRight(t: Test, world: Parameters<typeof memberNamed>[0], word: string): Promise<void> {
  const ben = await memberNamed(world, `ben-${word}`);
  t.match(ben, { active: false, role: 'member', is_virtual: false, nickname: 'Ben Big' });
  t.match(await memberNamed(world, `zoe-${word}`), { active: false, role: 'member', nickname: 'Zoë' });
  t.equal(await memberNamed(world, `helper-${word}`), undefined, 'a bot becomes no member');
}

async function roomIsRight(t: Test, ada: Someone, word: string): Promise<void> {
  const room = await sessionNamed(ada.http, `square-${word} (Ops)`);
  t.match(room, { target_type: 'room', visibility: 'open', topic: 'All of us', member_count: 3, unread_count: 0, mention_count: 0 });
  t.match(await sessionNamed(ada.http, `square-${word} (Secret)`), { visibility: 'private' }, 'an invite-only team stays closed');
  t.match((await ada.http.rooms.list({ query: `old-${word}`, limit: 20, offset: 0 })).items, [{ topic: 'Archived.', member_count: 0 }]);
  const messages = await messagesIn(ada.http, room);
  const texts = messages.map(({ content }) => content);
  const found = (text: string) => messages.find(({ content }) => content.startsWith(text));
  const root = found('Root');
  t.equal(root?.content, `Root ${word} 👋 @Zoë_${word} @ben-${word}.`);
  t.match(root, {
    sender_id: ada.id,
    created_at: new Date(at).toISOString(),
    reply_count: 2,
    reactions: [{ emoji: '👍', count: 2, mine: true }],
  });
  t.match(found('First reply'), { thread_id: root?.id, sender_name: 'Ben Big' });
  t.ok((found('Early reply')?.created_at ?? '') > (root?.created_at ?? ''), 'a reply comes after its first message');
  t.match(found('In seconds'), {
    content: 'In seconds `:wave:` :party-parrot:',
    created_at: new Date(at + 10_000).toISOString(),
    edited_at: new Date(at + 60_000).toISOString(),
  });
  t.match(found('In microseconds'), { created_at: new Date(at + 20_000).toISOString() });
  t.ok(found('No time') && found('In the future') && found('Same time and user'));
  t.equal(new Set(messages.map(({ created_at }) => created_at)).size, messages.length, 'each has a time of its own');
  t.match(found('By a stranger'), { sender_id: null, sender_name: 'Deleted member' });
  t.match(found('By a bot'), { sender_id: null, sender_name: 'Helper (bot)' });
  t.match(found('Build 7'), { sender_id: null, sender_name: 'Builds (bot)', content: 'Build 7\nfailed' });
  t.match(found('Welcome'), { thread_id: null }, 'a reply to a message of the system is a message of its own');
  t.notOk(texts.some((text) => ['deleted', 'joined', 'left', ''].includes(text)));
  t.match(found('Broken'), { content: 'Broken \uFFFD sign and \uFFFD' });
  const long = texts.filter((text) => /^(?:Long )?word word/.test(text));
  t.same([long.length, long.join(' ').length], [3, `Long ${'word '.repeat(14_000)}`.trim().length], 'a long message is split and whole');
  const files = found('Files');
  t.match(files?.files, [{ name: 'report.txt', mime_type: 'text/plain', bytes: 30 }]);
  t.equal(files?.content.match(/^\[File not imported: /gm)?.length, 4);
  t.equal(
    (await ada.http.messages.search({ q: word, ...(room && { session_id: room.id }), limit: 20 })).length > 0,
    true,
    'the search finds it',
  );
  t.ok((await ada.http.chat.usage({})).bytes > 70_000);
}

async function conversationsAreRight(t: Test, ada: Someone, word: string): Promise<void> {
  const dev = await sessionNamed(ada.http, `dev-${word} (Ops)`);
  t.match(dev, { role: 'owner', visibility: 'private', unread_count: 0 });
  const [root] = await ada.http.messages.list({ session_id: dev?.id ?? '', threads: 'roots', limit: 10 });
  t.match(root, { content: 'Thread', reply_count: 450 });
  t.equal((await ada.http.messages.list({ thread_id: root?.id ?? '', limit: 200 })).length, 200);
  const sessions = await ada.http.sessions.list({ limit: 200, offset: 0 });
  t.match(
    sessions.find(({ target_type }) => target_type === 'member'),
    { last_message_preview: 'Privately', unread_count: 0 },
  );
  t.match(
    sessions.find(({ target_type }) => target_type === ''),
    { last_message_preview: 'A note' },
  );
  t.match(
    sessions.find(({ last_message_preview }) => last_message_preview === 'Among three'),
    { target_type: 'room', member_count: 3 },
  );
  t.ok(
    Object.values((await ada.http.unread.counts({})).counts).every((count) => count === 0),
    'everything is read',
  );
  await ada.http.chat.send({ session_id: dev?.id ?? '', content: 'Live again' });
  t.match((await messagesIn(ada.http, dev)).at(-1), { content: 'Live again' }, 'a new message comes last');
}

t.test('what is left out is said with its reason', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const ada = await someone(t, platform);
    const word = unique();
    const found = remarksOf(
      await runImport(t, platform, ['mattermost', await exported(t, oddExport(ada.name, word)), '--from', word, '--dry-run']),
    );
    t.match(found, {
      'lines of an unknown type were left out': 1,
      'users occur twice; the first one counts': 1,
      'memberships name a channel that is not in the export': 1,
      'archived channels became rooms like the others, with a note in the topic': 1,
      'public channels of invite-only teams became private rooms': 1,
      'private rooms without members were left out': 1,
      'messages of the system, such as joins, were left out': 2,
      'deleted messages were left out': 1,
      'empty messages were left out': 1,
      'messages of channels that are not in the export were left out': 1,
      'threads lost their first message; their replies became ordinary messages': 1,
      'reactions with emoji of the workspace were left out': 1,
      'reactions of people who are not in the export were left out': 1,
      'files were left out; a line in the message names each': 4,
      'messages were too long or had too many files and were split': 1,
      'messages had no usable time and got that of the message before them': 2,
    });
  });
});

t.test('a newer export adds what is new, and what was deleted here is not made again', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const ada = await someone(t, platform);
    const word = unique();
    const lines = (count: number): Line[] => [
      version,
      ...['one', 'two'].map((name) => ({ type: 'channel', channel: { team: 'ops', name: `${name}-${word}`, type: 'P' } })),
      { type: 'user', user: { username: ada.name, teams: [{ name: 'ops', channels: [member(`one-${word}`), member(`two-${word}`)] }] } },
      ...Array.from({ length: count }, (_, n) =>
        post({ channel: `one-${word}`, user: ada.name, message: `Number ${n}`, create_at: at + n }),
      ),
      post({ channel: `two-${word}`, user: ada.name }),
    ];
    const from = ['--from', word];
    t.match(await runImport(t, platform, ['mattermost', await exported(t, lines(3)), ...from]), {
      code: 0,
      report: { messages: { created: 4 } },
    });
    await ada.http.sessions.delete({ session_id: (await sessionNamed(ada.http, `two-${word}`))?.id ?? '' });
    const second = await runImport(t, platform, ['mattermost', await exported(t, lines(5)), ...from]);
    t.match(second.report, { messages: { created: 2, known: 3, left_out: 1 }, rooms: { known: 1, left_out: 1 } });
    const room = await sessionNamed(ada.http, `one-${word}`);
    t.same(
      (await messagesIn(ada.http, room)).map(({ content }) => content),
      ['Number 0', 'Number 1', 'Number 2', 'Number 3', 'Number 4'],
    );
    t.equal(room?.unread_count, 0);
  });
});

t.test('a damaged export changes nothing', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const ada = await someone(t, world.platform);
    const good = oddExport(ada.name, unique());
    const before = await stateOf(world, ada.http);
    const cases: [name: string, path: string, says: RegExp][] = [
      ['garbage at its end', await exported(t, good, '{"type":"post","po'), /line \d+: it is not valid JSON/],
      ['no version', await exported(t, good.slice(1)), /line 1: the first line must have the type 'version'/],
      ['another version', await exported(t, [{ ...version, version: 2 }, ...good.slice(1)]), /the version must be 1/],
      ['a line that is a list', await exported(t, [...good, [] as unknown as Line]), /no object with a 'type'/],
      ['a post that is none', await exported(t, [...good, { type: 'post', post: 'text' }]), /has no object 'post'/],
      ['a post without a channel', await exported(t, [...good, post({ channel: '' })]), /needs 'team' and 'channel'/],
      ['a user without a name', await exported(t, [...good, { type: 'user', user: {} }]), /a user needs 'username'/],
      ['nothing in it', await exported(t, []), /the file: it is empty/],
    ];
    const folder = await temporaryFolder(t);
    const utf8 = join(folder, 'utf8.jsonl');
    await writeFile(
      utf8,
      Buffer.concat([
        Buffer.from(`${JSON.stringify(version)}\n{"type":"team","team":{"name":"`),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('"}}\n'),
      ]),
    );
    cases.push(['no UTF-8', utf8, /line 2: it is not valid UTF-8/]);
    for (const [name, path, says] of cases) {
      const ended = await runImport(t, world.platform, ['mattermost', path]);
      t.not(ended.code, 0, name);
      t.match(ended.stderr, says, name);
    }
    t.match(await runImport(t, world.platform, ['mattermost', join(folder, 'none.jsonl')]), { code: 2 });
    t.same(await stateOf(world, ada.http), before);
  });
});

t.test('a ZIP with lines and files is imported, and a hostile one is refused', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const ada = await someone(t, platform);
    const word = unique();
    const lines = [
      version,
      { type: 'channel', channel: { team: 'ops', name: `zip-${word}`, type: 'P' } },
      { type: 'user', user: { username: ada.name, teams: [{ name: 'ops', channels: [member(`zip-${word}`)] }] } },
      post({ channel: `zip-${word}`, user: ada.name, message: '', attachments: [{ path: 'teams/plan.txt' }] }),
    ];
    const content = lines.map((line) => JSON.stringify(line)).join('\n');
    const folder = await temporaryFolder(t);
    const zip = async (name: string, ...parts: Parameters<typeof zipOf>) => {
      await writeFile(join(folder, name), zipOf(...parts));
      return join(folder, name);
    };
    const jsonl = { name: 'import.jsonl', content };
    const file = { name: 'data/teams/plan.txt', content: 'A plan' };
    const good = await runImport(t, platform, ['mattermost', await zip('good.zip', [jsonl, file]), '--from', word]);
    t.match(good, { code: 0, report: { messages: { created: 1 }, files: { created: 1 } } }, good.stderr);
    t.match(await messagesIn(ada.http, await sessionNamed(ada.http, `zip-${word}`)), [{ content: '', files: [{ name: 'plan.txt' }] }]);
    const bomb = { name: 'bomb.jsonl', content: Buffer.alloc(100 * 1024 * 1024, 'a') };
    const hostile: [string, string][] = [
      ['a path that leads out', await zip('path.zip', [jsonl, { ...file, name: '../out.txt' }])],
      ['two names that are one', await zip('twice.zip', [jsonl, file, { ...file, name: 'data/TEAMS/plan.txt' }])],
      ['a bomb', await zip('bomb.zip', [bomb])],
      ['a wrong checksum', await zip('crc.zip', [{ ...jsonl, crc: 1 }])],
      ['bytes behind it', await zip('behind.zip', [jsonl], { behind: Buffer.from('x') })],
      ['no lines', await zip('lines.zip', [file])],
    ];
    for (const [name, path] of hostile) {
      const ended = await runImport(t, platform, ['mattermost', path, '--from', `x-${word}`]);
      t.match(ended, { code: 2, stderr: /can't be imported/ }, name);
      t.notMatch(ended.stderr, /bundle/);
    }
  });
});
