import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { onEachPlatform, type Someone, someone } from '../../extensions/chat/world.js';
import { temporaryFolder } from '../../helpers/platform.js';
import { messagesIn, remarksOf, runImport, sessionNamed, stateOf, unique } from './world.js';

type Json = Record<string, unknown>;

const second = 1_709_283_600;
const gif = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

async function exported(t: Test, content: unknown): Promise<string> {
  const path = join(await temporaryFolder(t), 'chats.json');
  await writeFile(path, typeof content === 'string' || content instanceof Buffer ? content : JSON.stringify(content));
  return path;
}

/** Returns messages as a history has them. */
function history(messages: readonly Json[], currentId?: string): Json {
  return { messages: Object.fromEntries(messages.map((message) => [message.id, message])), currentId };
}

const chat = (id: string, title: string, more: Json): Json => ({ id, title, created_at: second, updated_at: second + 60, ...more });

/** Chats as the documentation of the format describes them, with much that real ones have. */
function oddChats(word: string, user_id = 'u-1'): Json[] {
  const branches = [
    { id: 'a', parentId: null, childrenIds: ['b', 'c'], role: 'user', content: `Question ${word}`, timestamp: second },
    { id: 'b', parentId: 'a', role: 'assistant', content: 'The other answer', model: 'llama3', timestamp: second + 1 },
    {
      id: 'c',
      parentId: 'a',
      childrenIds: ['d'],
      role: 'assistant',
      content: '<details type="reasoning" done="true">\n<summary>Thought</summary>\nhm\n</details>\nThe answer',
      model: 'llama3:8b',
      modelName: 'Llama 3',
      timestamp: second + 2,
    },
    {
      id: 'd',
      parentId: 'c',
      role: 'user',
      content: [
        { type: 'text', text: 'And this?' },
        { type: 'image_url', image_url: { url: `data:image/gif;base64,${gif}` } },
      ],
      timestamp: (second + 3) * 1_000,
    },
    { id: 'e', parentId: 'd', role: 'assistant', content: '', error: { content: 'failed' }, timestamp: second + 4 },
    { id: 'f', parentId: 'e', role: 'system', content: 'You are kind', timestamp: second + 5 },
    {
      id: 'g',
      parentId: 'f',
      role: 'user',
      content: 'Files',
      timestamp: null,
      files: [
        { type: 'image', url: `data:image/gif;base64,${gif}` },
        { type: 'image', url: '/api/v1/files/1/content' },
        { type: 'file', file: { filename: 'report.pdf' } },
        { type: 'image', url: 'data:image/png;base64,' },
      ],
    },
    { id: 'h', parentId: 'g', role: 'assistant', content: `Long ${'word '.repeat(7_000)}`, model: 'x'.repeat(100), timestamp: 9e13 },
  ];
  const circle = [
    { id: 'x', parentId: 'y', role: 'user', content: 'Ask', timestamp: second },
    { id: 'y', parentId: 'x', role: 'assistant', content: 'Answer', timestamp: second + 1 },
  ];
  return [
    chat(`c1-${word}`, `Branches ${word}`, {
      user_id,
      archived: true,
      chat: { title: 'other', models: ['llama3'], history: history(branches, 'h'), messages: [] },
    }),
    chat(`c2-${word}`, `Circle ${word}`, { user_id, chat: { history: history(circle, 'y') } }),
    chat(`c3-${word}`, `No current ${word}`, { user_id, chat: { history: history(branches.slice(0, 3), 'gone') } }),
    chat(`c4-${word}`, `List ${word}`, {
      user_id,
      created_at: null,
      chat: {
        timestamp: second * 1_000,
        messages: [
          { role: 'user', content: 'One' },
          { role: 'assistant', content: 'Two' },
        ],
      },
    }),
    chat(`c5-${word}`, `List ${word}`, { user_id, chat: { history: { messages: {} } } }),
    { user_id, title: '\u202E', chat: { history: history(branches.slice(0, 1), 'a') } },
  ];
}

t.test("chats become their owner's, with the current branch and its images, and only once", async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { platform } = world;
    const ada = await someone(t, platform);
    const word = unique();
    const path = await exported(t, `\uFEFF${JSON.stringify(oddChats(word))}\r\n`);
    const args = ['open-webui', path, '--from', word, '--owner', ada.name.toUpperCase()];
    const before = await stateOf(world, ada.http);
    const dry = await runImport(t, platform, [...args, '--dry-run']);
    t.same([dry.code, await stateOf(world, ada.http)], [0, before], dry.stderr);
    t.match(remarksOf(dry), {
      'archived chats became chats like the others': 1,
      'chats had messages that answer themselves in a circle, which was cut': 1,
      'messages of other branches than the current one were left out': 2,
      'messages that are neither of the user nor of a model were left out': 1,
      'empty messages were left out': 1,
      'files are not in an export of Open WebUI, except images as data URLs': 2,
      'files were left out; a line in the message names each': 1,
      'messages were too long or had too many files and were split': 1,
    });
    const first = await runImport(t, platform, args);
    t.match(
      first,
      { code: 0, report: { members: { matched: 1, created: 0 }, rooms: { created: 6 }, files: { created: 2, left_out: 1 } } },
      first.stderr,
    );
    t.same(first.report?.messages, dry.report?.messages);
    await chatsAreRight(t, ada, word);
    const again = await runImport(t, platform, args);
    t.match(again.report, {
      rooms: { created: 0, known: 6 },
      messages: { created: 0, known: first.report?.messages.created },
      files: { created: 0 },
    });
    await chatsAreRight(t, ada, word);
  });
});

async function chatsAreRight(t: Test, ada: Someone, word: string): Promise<void> {
  const session = await sessionNamed(ada.http, `Branches ${word}`);
  t.match(session, { target_type: 'ai', target_id: /^\d+$/, unread_count: 0, created_at: new Date(second * 1_000).toISOString() });
  const messages = await messagesIn(ada.http, session);
  const [question, answer, further, files] = messages;
  t.match(question, { content: `Question ${word}`, role: 'user', sender_id: ada.id });
  t.match(answer, {
    content: 'The answer',
    role: 'assistant',
    sender_id: null,
    sender_name: 'Llama 3',
    reply_to: question?.id,
    status: 'completed',
  });
  t.match(further, {
    content: 'And this?',
    files: [{ name: 'image.gif', mime_type: 'image/gif' }],
    created_at: new Date((second + 3) * 1_000).toISOString(),
  });
  t.match(files, { files: [{ mime_type: 'image/gif' }], content: /^Files\n\[File not imported: image\.png \(it is empty\)\]$/ });
  t.equal(messages.length, 6);
  t.same(
    (await messagesIn(ada.http, await sessionNamed(ada.http, `Circle ${word}`))).map(({ content }) => content),
    ['Ask', 'Answer'],
  );
  t.match(await messagesIn(ada.http, await sessionNamed(ada.http, `No current ${word}`)), [{}, { content: 'The answer' }]);
  t.equal((await ada.http.messages.search({ q: `question ${word}`, limit: 20 })).length, 3);
}

t.test('the owner must be named and be a member; several users need one each', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { platform } = world;
    const [ada, ben] = [await someone(t, platform), await someone(t, platform)];
    const word = unique();
    const before = await stateOf(world, ada.http);
    const one = await exported(t, oddChats(word));
    t.match(await runImport(t, platform, ['open-webui', one]), { code: 2, stderr: /does not name the owner/ });
    t.match(await runImport(t, platform, ['open-webui', one, '--owner', `no-${word}`]), { code: 2, stderr: /There is no member 'no-/ });
    const both = await exported(t, [...oddChats(word), ...oddChats(`${word}-2`, 'u-2')]);
    t.match(await runImport(t, platform, ['open-webui', both, '--owner', ada.name]), {
      code: 2,
      stderr: /chats of 2 users; these have no owner: u-1, u-2/,
    });
    t.same(await stateOf(world, ada.http), before);
    const args = ['--owner', `u-1=${ada.name}`, '--owner', `u-2=${ben.name}`, '--from', word];
    t.match(await runImport(t, platform, ['open-webui', both, ...args]), {
      code: 0,
      report: { members: { matched: 2 }, rooms: { created: 12 } },
    });
    t.ok(await sessionNamed(ben.http, `Branches ${word}-2`));
    t.notOk(await sessionNamed(ada.http, `Branches ${word}-2`));
  });
});

t.test('damaged chats change nothing', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const ada = await someone(t, world.platform);
    const before = await stateOf(world, ada.http);
    const good = oddChats(unique());
    const cases: [string, unknown, RegExp][] = [
      ['garbage at the end', `${JSON.stringify(good)}x`, /is not valid JSON/],
      ['no UTF-8', Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), /is not valid UTF-8/],
      ['a list of texts', ['chat'], /is no list of chats/],
      ['another object', { version: 1 }, /is no list of chats/],
      ['a chat without messages', [...good, { user_id: 'u-1', chat: { title: 'none' } }], /chat 7: it has no messages/],
    ];
    for (const [name, content, says] of cases) {
      const ended = await runImport(t, world.platform, ['open-webui', await exported(t, content), '--owner', ada.name]);
      t.match(ended, { code: 2, stderr: says }, name);
    }
    t.same(await stateOf(world, ada.http), before);
  });
});
