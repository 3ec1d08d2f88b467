import { until } from '../../helpers/eventually.js';
import { adminPassword } from '../../helpers/platform.js';
import type { Side } from '../side.js';
import type { Row, Uses } from '../table.js';

const nowhere = '01900000-0000-7000-8000-000000000000';

interface Sent {
  message_id: string;
  session_id: string;
  task_id: string;
}

/** A message of ada's whose reply has ended. */
async function answered(side: Side): Promise<Sent> {
  const sent = await side.give<Sent>('chat.send', { content: '/help' }, 'ada');
  const read = () => side.give<{ status: string }>('tasks.get', { task_id: sent.task_id }, 'ada');
  await until(read, ({ status }) => status === 'completed');
  return sent;
}

/** A note of ada's. */
const note = async (side: Side) => (await side.give<Sent>('chat.send', { content: 'A note', target_type: '' }, 'ada')).message_id;

/** A reply to ada. */
async function replyIn(side: Side): Promise<string> {
  const { task_id } = await answered(side);
  return (await side.give<{ reply_id: string }>('tasks.get', { task_id }, 'ada')).reply_id;
}

/** A task of ada's that is not final. */
async function underWay(side: Side): Promise<string> {
  const { id: target_id } = await side.give('members.create_virtual', { name: 'Runner', mode: 'autonomous' });
  const { task_id } = await side.give<Sent>('chat.send', { content: '/call hello.slow {"ms":2000}', target_id }, 'ada');
  const read = () => side.give<{ status: string }>('tasks.get', { task_id }, 'ada');
  await until(read, ({ status }) => status !== 'queued');
  return task_id;
}

/** The same, when its tool runs. */
async function run(side: Side): Promise<{ task_id: string }> {
  const task_id = await underWay(side);
  await until(
    () => side.give<{ tool: string | null }>('runs.get', { task_id }),
    ({ tool }) => tool !== null,
  );
  return { task_id };
}

/** Waits for ada's earlier tasks to end and starts one that runs, so that every side lists the same. */
async function onlyOneRuns(side: Side): Promise<object> {
  await until(
    () => side.give<object[]>('tasks.active', {}, 'ada'),
    (tasks) => tasks.length === 0,
  );
  await run(side);
  return {};
}

const session = async (side: Side) => ({ session_id: (await side.give<{ id: string }>('sessions.create', { title: 'Mine' }, 'ada')).id });

const room = async (side: Side, member_ids: number[] = []) => {
  const made = { title: 'Ours', target_type: 'room', target_id: '', member_ids };
  return { session_id: (await side.give<{ id: string }>('sessions.create', made, 'ada')).id };
};

/** An open room of an administrator's. */
const openRoom = async (side: Side) => {
  const made = { title: 'Open', target_type: 'room', target_id: '', visibility: 'open' };
  return { session_id: (await side.give<{ id: string }>('sessions.create', made)).id };
};

const foundRoom = async (side: Side) => {
  await openRoom(side);
  return { query: 'open' };
};

const self = async (side: Side) => ({ member_id: (await side.give<{ id: number }>('auth.me', {}, 'ada')).id });

const image = `data:image/gif;base64,${Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1').toString('base64')}`;

/** An image that ada has sent. */
async function picture(side: Side): Promise<{ hash: string }> {
  const { message_id } = await side.give<Sent>('chat.send', { content: '', images: [image], target_type: 'ai' }, 'ada');
  const { images } = await side.give<{ images: { url: string }[] }>('messages.get', { message_id }, 'ada');
  return { hash: images[0]?.url.slice(-64) as string };
}

/** A member whom ada hasn't talked with. */
const newcomer = async (side: Side) => ({
  member_id: (await side.give('members.create', { username: side.newName(), password: adminPassword })).id,
});

const absent = (key: string, code: string): Row[] => [
  { name: 'an unknown id', input: { [key]: nowhere }, code },
  { name: 'an invalid id', input: { [key]: 'nonsense' }, code: 'invalid_input' },
];

/** Ada's records do not exist for bob, nor for an administrator. */
const others = (key: 'session_id' | 'message_id' | 'task_id', code: string): Row[] =>
  (['bob', 'admin'] as const).map((asker) => ({
    name: `another member's, for ${asker}`,
    asker,
    input: async (side) => {
      if (asker === 'bob') await side.logIn('bob', 'bob');
      return { [key]: (await answered(side))[key] };
    },
    code,
  }));

export const chatRows: Record<string, Uses> = {
  'chat.usage': { success: [{ name: 'counts', input: {}, body: { quota_bytes: 5 * 1024 ** 3 } }], failures: [] },
  'sessions.list': {
    success: [
      { name: "lists the caller's sessions", input: { limit: 20, offset: 0 } },
      { name: 'an unknown kind is an empty list', input: { target_type: 'robot' }, body: [] },
    ],
    failures: [
      { name: 'a limit above the maximum', input: { limit: 201 }, code: 'invalid_input' },
      { name: 'a negative offset', input: { offset: -1 }, code: 'invalid_input' },
    ],
  },
  'sessions.create': {
    success: [
      { name: 'opens one', input: { title: 'Plans', target_type: 'ai', target_id: '' }, body: { title: 'Plans', target_type: 'ai' } },
    ],
    failures: [
      { name: 'an unknown kind of partner', input: { title: 'X', target_type: 'robot' }, code: 'invalid_input' },
      { name: 'an unknown partner', input: { title: 'X', target_type: 'member', target_id: '999999' }, code: 'invalid_input' },
      { name: 'a title above the limit', input: { title: 't'.repeat(1000) }, code: 'invalid_input' },
    ],
  },
  'sessions.get': {
    success: [{ name: 'returns one', input: session, body: { title: 'Mine' } }],
    failures: [...absent('session_id', 'session_not_found'), ...others('session_id', 'session_not_found')],
  },
  'sessions.delete': {
    success: [{ name: 'deletes one', input: session }],
    failures: [...absent('session_id', 'session_not_found'), ...others('session_id', 'session_not_found')],
  },
  'sessions.members': {
    success: [{ name: 'lists the caller', input: session, body: [{ username: 'ada', is_guest: false }] }],
    failures: [...absent('session_id', 'session_not_found'), ...others('session_id', 'session_not_found')],
  },
  'sessions.add_member': {
    success: [],
    elsewhere: { test: 'extensions/chat/session-members.test.ts', input: async (side) => ({ ...(await session(side)), member_id: 1 }) },
    failures: [
      { name: 'an unknown session', input: { session_id: nowhere, member_id: 1 }, code: 'session_not_found' },
      {
        name: "another member's session",
        asker: 'admin',
        input: async (side) => ({ ...(await session(side)), member_id: 1 }),
        code: 'session_not_found',
      },
      { name: 'no member', input: session, code: 'invalid_input' },
      { name: 'an unknown member', input: async (side) => ({ ...(await session(side)), member_id: 999_999 }), code: 'invalid_input' },
    ],
  },
  'sessions.update': {
    success: [
      {
        name: 'changes the topic',
        input: async (side) => ({ ...(await room(side)), topic: 'Jam' }),
        body: { title: 'Ours', topic: 'Jam' },
      },
    ],
    failures: [
      ...absent('session_id', 'session_not_found'),
      ...others('session_id', 'session_not_found'),
      { name: 'a conversation of two', input: async (side) => ({ ...(await session(side)), topic: 'Jam' }), code: 'invalid_input' },
      {
        name: 'a topic above the limit',
        input: async (side) => ({ ...(await room(side)), topic: 't'.repeat(501) }),
        code: 'invalid_input',
      },
      { name: 'an unknown visibility', input: async (side) => ({ ...(await room(side)), visibility: 'secret' }), code: 'invalid_input' },
    ],
  },
  'sessions.join': {
    success: [{ name: "joins another member's open room", input: openRoom, body: { title: 'Open', role: 'member', member_count: 2 } }],
    failures: [
      ...absent('session_id', 'session_not_found'),
      { name: 'a private room', asker: 'admin', input: room, code: 'session_not_found' },
    ],
  },
  'sessions.notifications': {
    success: [
      {
        name: 'mutes a session',
        input: async (side) => ({ ...(await session(side)), level: 'none' }),
        body: { level: 'none', muted_until: null },
      },
    ],
    failures: [
      ...absent('session_id', 'session_not_found'),
      ...others('session_id', 'session_not_found'),
      { name: 'an unknown level', input: async (side) => ({ ...(await session(side)), level: 'loud' }), code: 'invalid_input' },
    ],
  },
  'sessions.update_member': {
    success: [
      {
        name: 'names the owner again',
        input: async (side) => ({ ...(await room(side)), ...(await self(side)), role: 'owner' }),
        body: { role: 'owner' },
      },
    ],
    failures: [
      { name: 'an unknown session', input: { session_id: nowhere, member_id: 1 }, code: 'session_not_found' },
      {
        name: 'an unknown member',
        input: async (side) => ({ ...(await room(side)), member_id: 999_999 }),
        code: 'session_member_not_found',
      },
      {
        name: 'the last owner',
        input: async (side) => ({ ...(await room(side, [1])), ...(await self(side)), role: 'member' }),
        code: 'last_owner',
      },
    ],
  },
  'rooms.list': {
    success: [{ name: 'lists open rooms', input: foundRoom, body: { items: [{ title: 'Open' }] } }],
    failures: [{ name: 'a limit above the maximum', input: { limit: 201 }, code: 'invalid_input' }],
  },
  'sessions.remove_member': {
    success: [],
    elsewhere: { test: 'extensions/chat/session-members.test.ts', input: async (side) => ({ ...(await session(side)), member_id: 1 }) },
    failures: [
      { name: 'an unknown session', input: { session_id: nowhere, member_id: 1 }, code: 'session_not_found' },
      {
        name: 'a member that is not a plugin',
        input: async (side) => ({ ...(await session(side)), member_id: 1 }),
        code: 'session_member_not_found',
      },
      { name: 'an invalid id', input: async (side) => ({ ...(await session(side)), member_id: 'bob' }), code: 'invalid_input' },
    ],
  },
  'sessions.stream': {
    success: [
      {
        name: 'streams events',
        input: async (side) => {
          const found = await session(side);
          setTimeout(() => void side.give('chat.send', { ...found, content: '/help' }, 'ada'), 200);
          return found;
        },
        last: 'message.completed',
      },
    ],
    failures: [...absent('session_id', 'session_not_found'), ...others('session_id', 'session_not_found')],
  },
  'chat.send': {
    success: [
      { name: 'sends and opens a session', input: { content: '/help', images: [], target_type: 'ai' } },
      { name: 'sends an image', input: { content: '', images: [{ url: image, name: 'dot.gif' }] } },
    ],
    failures: [
      { name: 'neither text nor images', input: { content: '' }, code: 'invalid_input' },
      { name: 'an invalid image', input: { content: 'x', images: ['data:image/png;base64,PHN2Zz4='] }, code: 'unsupported_media_type' },
      { name: 'an empty body', input: {}, code: 'invalid_input' },
      { name: 'a text above the limit', input: { content: 'x'.repeat(32_001) }, code: 'invalid_input' },
      { name: 'into an unknown session', input: { content: 'hi', session_id: nowhere }, code: 'session_not_found' },
      {
        name: "into another member's session",
        asker: 'admin',
        input: async (side) => ({ content: 'hi', ...(await session(side)) }),
        code: 'session_not_found',
      },
    ],
  },
  'chat.abort': {
    success: [
      {
        name: 'a finished one cannot be aborted',
        input: async (side) => ({ message_id: (await answered(side)).message_id }),
        body: { aborted: false, status: 'completed' },
      },
    ],
    failures: [...absent('message_id', 'message_not_found'), ...others('message_id', 'message_not_found')],
  },
  'chat.lookup': {
    success: [
      {
        name: 'finds a session by the end of its id',
        input: async (side) => ({ kind: 'session', part: (await answered(side)).session_id.slice(-12) }),
      },
      {
        name: 'finds nothing of another member',
        asker: 'bob',
        input: async (side) => ({ kind: 'message', part: (await answered(side)).message_id.slice(-12) }),
        body: [],
      },
    ],
    failures: [
      { name: 'an unknown kind', input: { kind: 'member', part: 'abcd' }, code: 'invalid_input' },
      { name: 'a part that is too short', input: { kind: 'task', part: 'abc' }, code: 'invalid_input' },
      { name: 'a text that cannot be part of an id', input: { kind: 'task', part: '%%%%' }, code: 'invalid_input' },
    ],
  },
  'unread.mark_read': {
    success: [
      {
        name: 'marks a session as read',
        input: async (side) => ({ session_id: (await answered(side)).session_id }),
        body: { unread_count: 0 },
      },
    ],
    failures: [...absent('session_id', 'session_not_found'), ...others('session_id', 'session_not_found')],
  },
  'unread.counts': { success: [{ name: 'counts', input: {} }], failures: [] },
  'contacts.list': {
    success: [
      { name: 'lists everybody else', input: { offset: 0 } },
      { name: 'finds by name', input: { keyword: 'bob' }, body: [{ username: 'bob', is_virtual: false }] },
    ],
    failures: [{ name: 'a limit above the maximum', input: { limit: 201 }, code: 'invalid_input' }],
  },
  'contacts.start': {
    success: [
      { name: 'opens a session', input: newcomer, body: { created: true } },
      {
        name: 'finds it again',
        input: async (side) => {
          const input = await newcomer(side);
          await side.give('contacts.start', input, 'ada');
          return { member_id: String(input.member_id) };
        },
        status: 200,
        body: { created: false },
      },
    ],
    failures: [
      { name: 'an unknown member', input: { member_id: 999_999 }, code: 'invalid_input' },
      { name: 'the caller', input: async (side) => ({ member_id: (await side.give('auth.me', {}, 'ada')).id }), code: 'invalid_input' },
      { name: 'an invalid id', input: { member_id: 'bob' }, code: 'invalid_input' },
    ],
  },
  'images.get': {
    success: [{ name: 'returns an image', input: picture }],
    failures: [
      { name: 'a missing one', input: { hash: 'a'.repeat(64) }, code: 'image_not_found' },
      { name: 'an invalid hash', input: { hash: '../../etc/passwd' }, code: 'invalid_input' },
      { name: "another member's image", asker: 'admin', input: picture, code: 'image_not_found' },
    ],
  },
  'messages.list': {
    success: [{ name: 'returns a page', input: async (side) => ({ session_id: (await answered(side)).session_id, limit: 50 }) }],
    failures: [
      ...absent('session_id', 'session_not_found'),
      ...others('session_id', 'session_not_found'),
      {
        name: 'an invalid time for before',
        input: async (side) => ({ ...(await session(side)), before: 'yesterday' }),
        code: 'invalid_input',
      },
    ],
  },
  'messages.search': {
    success: [
      { name: 'finds a written text', input: async (side) => ({ q: 'help', session_id: (await answered(side)).session_id, limit: 200 }) },
      { name: 'an empty session id searches everywhere', input: { q: 'nowhere-to-be-found', session_id: '' }, body: [] },
      { name: 'punctuation finds nothing', input: { q: '"*%(' }, body: [] },
    ],
    failures: [
      ...absent('session_id', 'session_not_found').map((row) => ({ ...row, input: { ...(row.input as object), q: 'x' } })),
      { name: 'nothing to search for', input: { q: '' }, code: 'invalid_input' },
      { name: 'too much to search for', input: { q: 'x'.repeat(501) }, code: 'invalid_input' },
      { name: 'a limit above the maximum', input: { q: 'x', limit: 201 }, code: 'invalid_input' },
      {
        name: "in another member's session",
        asker: 'admin',
        input: async (side) => ({ q: 'x', ...(await session(side)) }),
        code: 'session_not_found',
      },
    ],
  },
  'messages.get': {
    success: [
      { name: 'returns one', input: async (side) => ({ message_id: (await answered(side)).message_id }), body: { content: '/help' } },
    ],
    failures: [...absent('message_id', 'message_not_found'), ...others('message_id', 'message_not_found')],
  },
  'messages.edit': {
    success: [
      { name: 'replaces a text', input: async (side) => ({ message_id: await note(side), content: 'New' }), body: { content: 'New' } },
    ],
    failures: [
      ...absent('message_id', 'message_not_found').map((row) => ({ ...row, input: { ...(row.input as object), content: 'x' } })),
      { name: 'an empty text', input: async (side) => ({ message_id: await note(side), content: '' }), code: 'invalid_input' },
      {
        name: 'a reply',
        input: async (side) => ({ message_id: await replyIn(side), content: 'x' }),
        code: 'not_your_message',
      },
      {
        name: "another member's",
        asker: 'admin',
        input: async (side) => ({ message_id: await note(side), content: 'x' }),
        code: 'message_not_found',
      },
    ],
  },
  'messages.delete': {
    success: [{ name: 'deletes one', input: async (side) => ({ message_id: await note(side) }) }],
    failures: [...absent('message_id', 'message_not_found'), ...others('message_id', 'message_not_found')],
  },
  'reactions.add': {
    success: [
      {
        name: 'adds one',
        input: async (side) => ({ message_id: await note(side), emoji: '👩‍🚀' }),
        body: { reactions: [{ emoji: '👩‍🚀', count: 1, mine: true }] },
      },
    ],
    failures: [
      ...absent('message_id', 'message_not_found').map((row) => ({ ...row, input: { ...(row.input as object), emoji: '👍' } })),
      { name: 'a letter', input: async (side) => ({ message_id: await note(side), emoji: 'a' }), code: 'invalid_input' },
      { name: 'two emoji', input: async (side) => ({ message_id: await note(side), emoji: '👍👍' }), code: 'invalid_input' },
    ],
  },
  'reactions.remove': {
    success: [
      { name: 'one that is not there', input: async (side) => ({ message_id: await note(side), emoji: '👍' }), body: { reactions: [] } },
    ],
    failures: absent('message_id', 'message_not_found').map((row) => ({ ...row, input: { ...(row.input as object), emoji: '👍' } })),
  },
  'messages.stream': {
    success: [{ name: 'replays a reply', input: async (side) => ({ message_id: (await answered(side)).message_id }) }],
    failures: [...absent('message_id', 'message_not_found'), ...others('message_id', 'message_not_found')],
  },
  'runs.list': {
    success: [
      { name: 'lists running ones', input: onlyOneRuns },
      { name: 'of one AI employee', input: { member_id: 1 }, body: [] },
    ],
    failures: [{ name: 'a limit above the maximum', input: { limit: 201 }, code: 'invalid_input' }],
  },
  'runs.get': {
    success: [{ name: 'returns no contents', input: run, body: { oversight: false, message: null, reply: null } }],
    failures: absent('task_id', 'task_not_found'),
  },
  'runs.abort': {
    success: [
      { name: 'stops one', input: run, body: { aborted: true, status: 'cancelled' } },
      {
        name: 'a finished one cannot be stopped',
        input: async (side) => ({ task_id: (await answered(side)).task_id }),
        body: { aborted: false, status: 'completed' },
      },
    ],
    failures: absent('task_id', 'task_not_found'),
  },
  'tasks.active': { success: [{ name: 'lists running ones', input: onlyOneRuns, body: [{ status: 'running' }] }], failures: [] },
  'tasks.get': {
    success: [{ name: 'returns one', input: async (side) => ({ task_id: (await answered(side)).task_id }), body: { status: 'completed' } }],
    failures: [...absent('task_id', 'task_not_found'), ...others('task_id', 'task_not_found')],
  },
  'tasks.cancel': {
    success: [
      {
        name: 'a finished one cannot be cancelled',
        input: async (side) => ({ task_id: (await answered(side)).task_id }),
        body: { cancelled: false, status: 'completed' },
      },
    ],
    failures: [...absent('task_id', 'task_not_found'), ...others('task_id', 'task_not_found')],
  },
  'tasks.message': {
    success: [
      {
        name: 'sends a text into a waiting task',
        input: async (side) => ({ task_id: await underWay(side), content: 'And this.' }),
        body: { task_id: '<uuid>' },
      },
    ],
    failures: [
      ...absent('task_id', 'task_not_found').map((row) => ({ ...row, input: { ...(row.input as object), content: 'x' } })),
      {
        name: 'a finished task',
        input: async (side) => ({ task_id: (await answered(side)).task_id, content: 'Late' }),
        code: 'task_finished',
      },
      { name: 'an empty text', input: async (side) => ({ task_id: await underWay(side), content: ' ' }), code: 'invalid_input' },
    ],
  },
  'tasks.stream': {
    success: [{ name: 'replays a reply', input: async (side) => ({ task_id: (await answered(side)).task_id }) }],
    failures: [...absent('task_id', 'task_not_found'), ...others('task_id', 'task_not_found')],
  },
};
