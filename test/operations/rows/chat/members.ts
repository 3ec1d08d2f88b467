import type { Uses } from '../../table.js';
import { absent, answered, newcomer, others } from './scene.js';

/** Uses of the operations on what a member has: contacts, unread counts and usage. */
export const memberRows: Record<string, Uses> = {
  'chat.usage': { success: [{ name: 'counts', input: {}, body: { quota_bytes: 5 * 1024 ** 3 } }], failures: [] },
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
};
