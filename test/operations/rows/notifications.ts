import type { Side } from '../side.js';
import type { Row, Uses } from '../table.js';

/** A notification of ada's. */
async function made(side: Side): Promise<{ id: number }> {
  const { notification_ids } = await side.give<{ notification_ids: number[] }>('notifications.send', { title: side.newName() }, 'ada');
  return { id: notification_ids[0] as number };
}

/** The same, when she has read it. */
async function read(side: Side): Promise<{ id: number }> {
  const { id } = await made(side);
  await side.give('notifications.read', { notification_ids: [id] }, 'ada');
  return { id };
}

/** No AI employee tells bob anything meanwhile. */
async function madeForBob(side: Side): Promise<object> {
  await side.logIn('bob', 'bob');
  return side.give<object>('notifications.send', { title: 'For bob' }, 'bob');
}

const list = { status: 'pending', source: 'system', limit: 1 };

const refused = (name: string, input: object): Row => ({ name, input, code: 'invalid_input' });

export const notificationsRows: Record<string, Uses> = {
  'notifications.list': {
    success: [
      {
        name: 'lists waiting ones',
        input: async (side) => (await made(side)) && list,
        body: { page: 1, limit: 1, notifications: [{ source: 'system', status: 'pending', im_channel: '', count: 1, read_at: '' }] },
      },
      {
        // Answers of AI employees count only if they were told before their conversation was read.
        name: 'lists read ones',
        input: async (side) => (await read(side)) && { ...list, status: 'read' },
        body: { page: 1, limit: 1, notifications: [{ source: 'system', status: 'read' }] },
      },
      {
        name: 'lists nothing',
        input: { source: 'schedule', status: 'pending' },
        body: { total: 0, page: 1, limit: 20, notifications: [] },
      },
    ],
    failures: [
      refused('an unknown state', { status: 'new' }),
      refused('an unknown source', { source: 'rain' }),
      refused('too many', { limit: 201 }),
      refused('before the first', { page: 0 }),
    ],
  },
  'notifications.get': {
    success: [
      { name: 'returns one', input: made, body: { status: 'pending', summary: '', link: null, error: null, deliveries: [] } },
      { name: 'returns a read one', input: read, body: { status: 'read' } },
    ],
    failures: [
      { name: 'an unknown id', input: { id: 2_147_483_646 }, code: 'notification_not_found' },
      { name: "another member's notification", asker: 'bob', input: made, code: 'notification_not_found' },
      { name: "another member's notification, for administrators", asker: 'admin', input: made, code: 'notification_not_found' },
      refused('what is no id', { id: 'first' }),
    ],
  },
  'notifications.read': {
    success: [
      { name: 'marks one', input: async (side) => ({ notification_ids: [(await made(side)).id] }), body: { updated: 1 } },
      { name: 'marks all', asker: 'bob', input: async (side) => ({ all: Boolean(await madeForBob(side)) }), body: { updated: 1 } },
      { name: 'an unknown one', input: { notification_ids: [2_147_483_646] }, body: { updated: 0 } },
    ],
    failures: [
      refused('neither', {}),
      refused('not all', { all: false }),
      refused('what is no id', { notification_ids: ['first'] }),
      refused('too many', { notification_ids: Array.from({ length: 1_001 }, (_, index) => index + 1) }),
    ],
  },
  'notifications.unread_count': {
    success: [
      {
        name: 'counts',
        input: async (side) => {
          await made(side);
          return {};
        },
      },
    ],
    failures: [],
  },
  'notifications.send': {
    success: [
      { name: 'notifies the caller', input: { title: 'Milk', summary: 'Two bottles', link: '/shop' }, body: {} },
      { name: 'notifies another', asker: 'admin', input: { title: 'Hello', member_ids: [1, 2] } },
      { name: 'notifies nobody', asker: 'admin', input: { title: 'Hello', member_ids: [999_999] }, body: { notification_ids: [] } },
    ],
    failures: [
      { name: 'another recipient, by a member', input: { title: 'Hello', member_ids: [1] }, code: 'forbidden' },
      refused('no title', { summary: 'x' }),
      refused('an empty title', { title: ' ' }),
      refused('a link that runs something', { title: 'x', link: 'javascript:alert(1)' }),
      refused('a summary that is too long', { title: 'x', summary: 'x'.repeat(4_001) }),
      refused('to nobody', { title: 'x', member_ids: [] }),
    ],
  },
  'notifications.preferences': {
    success: [{ name: 'returns them', input: {}, body: { channels: { web: { enabled: true, settings: {}, secrets: {} } } } }],
    failures: [],
  },
  'notifications.set_preferences': {
    success: [
      {
        name: 'chooses',
        input: { channels: { web: { enabled: true, sources: ['schedule', 'ai_message', 'system'] } } },
        body: { channels: { web: { enabled: true } } },
      },
    ],
    failures: [
      refused('no channel', { channels: {} }),
      refused('a channel that is not there', { channels: { smoke: { enabled: true } } }),
      refused('a setting that is not there', { channels: { web: { settings: { a: 'b' } } } }),
      refused('an unknown source', { channels: { web: { sources: ['rain'] } } }),
      refused('a source twice', { channels: { web: { sources: ['system', 'system'] } } }),
    ],
  },
  'notifications.channels': {
    success: [{ name: 'lists all of them', input: {}, body: [{ name: 'web', fields: [] }] }],
    failures: [],
  },
  'notifications.test_channel': {
    success: [
      {
        name: 'reports that no server listens there',
        input: { channel: 'web' },
        body: { channel: 'web', accepted: false, error: /connected/ },
      },
    ],
    failures: [
      { name: 'a missing one', input: { channel: 'smoke' }, code: 'channel_not_found' },
      refused('no channel', {}),
      refused('what is no name', { channel: '../x' }),
    ],
  },
};
