import type { Uses } from '../../table.js';
import { absent, foundRoom, nowhere, openRoom, others, room, self, session } from './scene.js';

/** Uses of the operations on sessions, and rooms among them. */
export const sessionRows: Record<string, Uses> = {
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
  'sessions.export': {
    success: [],
    elsewhere: { test: 'extensions/chat/export.test.ts', input: session },
    failures: [
      ...absent('session_id', 'session_not_found'),
      ...others('session_id', 'session_not_found'),
      { name: 'an unknown format', input: async (side) => ({ ...(await session(side)), format: 'pdf' }), code: 'invalid_input' },
      { name: 'no time', input: async (side) => ({ ...(await session(side)), since: 'yesterday' }), code: 'invalid_input' },
    ],
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
};
