import type { Uses } from '../../table.js';
import {
  absent,
  answered,
  image,
  note,
  nowhere,
  others,
  picture,
  replyIn,
  report,
  sentFile,
  sentPicture,
  session,
  unsentFile,
} from './scene.js';

/** Uses of the operations on messages, their reactions and images. */
export const messageRows: Record<string, Uses> = {
  'chat.send': {
    success: [
      { name: 'sends and opens a session', input: { content: '/help', images: [], target_type: 'ai' } },
      { name: 'sends an image', input: { content: '', images: [{ url: image, name: 'dot.gif' }] } },
      { name: 'sends a file', input: async (side) => ({ content: '', files: [(await unsentFile(side)).file_id] }) },
      { name: 'sends a file again', input: async (side) => ({ content: '', files: [(await sentFile(side)).file_id] }) },
    ],
    failures: [
      { name: 'neither text nor images nor files', input: { content: '' }, code: 'invalid_input' },
      { name: 'an unknown file', input: { content: 'x', files: [nowhere] }, code: 'file_not_found' },
      { name: 'a file twice', input: { content: 'x', files: [nowhere, nowhere] }, code: 'invalid_input' },
      {
        name: "another member's file",
        asker: 'bob',
        input: async (side) => ({ content: 'x', files: [(await unsentFile(side)).file_id] }),
        code: 'file_not_found',
      },
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
  'images.get': {
    success: [{ name: 'returns an image', input: picture }],
    failures: [
      { name: 'a missing one', input: { hash: 'a'.repeat(64) }, code: 'image_not_found' },
      { name: 'an invalid hash', input: { hash: '../../etc/passwd' }, code: 'invalid_input' },
      { name: "another member's image", asker: 'admin', input: picture, code: 'image_not_found' },
    ],
  },
  'images.thumbnail': {
    success: [{ name: 'sends a thumbnail', input: picture }],
    failures: [
      { name: 'a missing one', input: { hash: 'a'.repeat(64) }, code: 'image_not_found' },
      { name: 'an invalid hash', input: { hash: '../../etc/passwd' }, code: 'invalid_input' },
      { name: "another member's image", asker: 'admin', input: picture, code: 'image_not_found' },
    ],
  },
  'files.thumbnail': {
    success: [{ name: 'sends a thumbnail', input: sentPicture }],
    failures: [
      ...absent('file_id', 'file_not_found'),
      { name: 'a file that is no image', input: sentFile, code: 'no_thumbnail' },
      { name: "another member's file", asker: 'bob', input: sentFile, code: 'file_not_found' },
    ],
  },
  'files.upload': {
    success: [{ name: 'uploads a file', input: { file: report }, body: { name: 'report.txt', mime_type: 'text/plain' } }],
    failures: [
      { name: 'a token that may only read', asker: 'reader', input: { file: report }, code: 'scope_missing' },
      { name: 'an empty file', input: { file: { name: 'empty.txt', bytes: Buffer.alloc(0) } }, code: 'file_empty' },
    ],
  },
  'files.list': {
    success: [
      {
        name: 'lists own files before they are sent',
        input: (side) => unsentFile(side).then(() => ({ limit: 1 })),
      },
    ],
    failures: [{ name: 'a limit above the maximum', input: { limit: 201 }, code: 'invalid_input' }],
  },
  'files.delete': {
    success: [{ name: 'deletes an own file that was not sent', input: unsentFile }],
    failures: [
      ...absent('file_id', 'file_not_found'),
      { name: 'a file that was sent', input: sentFile, code: 'file_sent' },
      { name: "another member's file", asker: 'bob', input: unsentFile, code: 'file_not_found' },
      { name: "another member's file, for an administrator", asker: 'admin', input: unsentFile, code: 'file_not_found' },
    ],
  },
  'files.get': {
    success: [
      { name: 'downloads a file', input: sentFile },
      { name: 'downloads an own file before it is sent', input: unsentFile },
    ],
    failures: [
      ...absent('file_id', 'file_not_found'),
      { name: "another member's file", asker: 'bob', input: sentFile, code: 'file_not_found' },
      { name: "another member's unsent file, for an administrator", asker: 'admin', input: unsentFile, code: 'file_not_found' },
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
  'messages.report': {
    success: [
      {
        name: 'reports a reply',
        input: async (side) => ({ message_id: await replyIn(side), reason: 'It is wrong' }),
        body: { repeated: false },
      },
      {
        name: 'does not report twice',
        input: async (side) => {
          const input = { message_id: await replyIn(side), reason: 'It is wrong' };
          await side.give('messages.report', input, 'ada');
          return { ...input, reason: 'It is very wrong' };
        },
        body: { repeated: true },
      },
    ],
    failures: [
      ...absent('message_id', 'message_not_found').map((row) => ({ ...row, input: { ...(row.input as object), reason: 'Spam' } })),
      { name: 'a message of your own', input: async (side) => ({ message_id: await note(side), reason: 'Spam' }), code: 'own_message' },
      {
        name: 'a reason of white space',
        input: async (side) => ({ message_id: await replyIn(side), reason: ' \n' }),
        code: 'invalid_input',
      },
    ],
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
};
