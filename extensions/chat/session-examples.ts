import type { Examples } from '../../kernel/contract/index.js';
import type { ChatApi } from './contract.js';

/** Ids of the records in these examples. */
export const id = (n: string) => `019a0b5e-7c10-7000-8000-0000000000${n}`;

type Session = ChatApi['sessions.get']['answer'];

/** Returns the record of a session without messages. */
export const newSession = ({ id: session_id, ...different }: Pick<Session, 'id'> & Partial<Session>): Session => ({
  id: session_id,
  title: '',
  target_type: 'ai',
  target_id: '',
  created_by: 3,
  created_at: '2026-11-26T09:00:00.000Z',
  updated_at: '2026-11-26T09:05:00.000Z',
  last_message_at: null,
  last_message_preview: '',
  unread_count: 0,
  active_task_id: null,
  active_task_ids: [],
  visibility: 'private',
  topic: '',
  member_count: 2,
  mention_count: 0,
  role: 'member',
  notifications: { level: 'mentions', muted_until: null },
  ...different,
});

const session = () =>
  newSession({
    id: id('01'),
    title: '/help',
    last_message_at: '2026-11-26T09:05:00.000Z',
    last_message_preview: 'I know these commands: - `/help` shows this list. - `/tools` lists what I can use for you. - `/call ',
    unread_count: 1,
  });

const room = () => newSession({ id: id('04'), title: 'Launch', target_type: 'room', member_count: 3, role: 'owner' });

const openRoom = (): Session => ({
  ...room(),
  id: id('05'),
  title: 'Coffee corner',
  created_by: 4,
  visibility: 'open',
  role: 'member',
});

type SessionApi = Pick<ChatApi, Extract<keyof ChatApi, `sessions.${string}` | `rooms.${string}`>>;

/** Worked examples of the operations on sessions and their members. */
export const sessionExamples: Examples<SessionApi> = {
  'sessions.list': () => ({
    input: { limit: 20 },
    answer: [
      newSession({
        id: id('03'),
        title: '/call members.get {"id": 1}',
        target_id: '5',
        last_message_at: '2026-11-26T09:05:00.000Z',
        last_message_preview: 'Then show member 3',
      }),
    ],
  }),
  'sessions.create': () => ({
    input: { title: 'Plans', target_type: 'ai', target_id: 2 },
    answer: newSession({ id: '019a0b5e-7c10-7000-8000-000000000104', title: 'Plans', target_id: '2' }),
  }),
  'sessions.get': () => ({ input: { session_id: id('01') }, answer: session() }),
  'sessions.export': () => ({ input: { session_id: id('01'), format: 'json' } }),
  'sessions.delete': () => ({ input: { session_id: id('02') } }),
  'sessions.members': () => ({
    input: { session_id: id('01') },
    answer: [
      { member_id: 3, username: 'ada', nickname: 'Ada Lovelace', is_guest: false, is_virtual: false, role: 'member', answers: null },
    ],
  }),
  'sessions.add_member': () => ({
    input: { session_id: id('01'), member_id: 7 },
    answer: {
      member_id: 7,
      username: 'plugin-acme.webhooks',
      nickname: 'Inbound webhooks',
      is_guest: true,
      is_virtual: true,
      role: 'member',
      answers: null,
    },
  }),
  'sessions.remove_member': () => ({ input: { session_id: id('01'), member_id: 7 } }),
  'sessions.stream': () => ({ input: { session_id: id('01') } }),
  'sessions.update': () => ({
    input: { session_id: id('04'), title: 'Launch', topic: 'The launch in May' },
    answer: { ...room(), topic: 'The launch in May' },
  }),
  'sessions.join': () => ({ input: { session_id: id('05') }, answer: { ...openRoom(), member_count: 2 } }),
  'sessions.notifications': () => ({
    input: { session_id: id('04'), level: 'all' },
    answer: { level: 'all', muted_until: null },
  }),
  'sessions.update_member': () => ({
    input: { session_id: id('04'), member_id: 5, answers: 'always' },
    answer: {
      member_id: 5,
      username: 'marta-kovacs',
      nickname: 'Márta Kovács',
      is_guest: false,
      is_virtual: true,
      role: 'member',
      answers: 'always',
    },
  }),
  'rooms.list': () => ({
    input: { query: 'coffee' },
    answer: {
      items: [
        {
          id: id('05'),
          title: 'Coffee corner',
          topic: '',
          member_count: 1,
          created_at: '2026-11-26T09:00:00.000Z',
          last_message_at: null,
        },
      ],
      total: 1,
    },
  }),
};
