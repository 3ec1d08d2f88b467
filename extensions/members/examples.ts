import type { Examples } from '../../kernel/contract/index.js';
import type { MembersApi } from './contract.js';

const member = (): MembersApi['members.get']['answer'] => ({
  id: 3,
  username: 'ada',
  nickname: 'Ada Lovelace',
  role: 'member',
  is_virtual: false,
  active: true,
  remote_node_id: null,
  created_at: '2026-11-26T09:00:00.000Z',
});

const employee = (): MembersApi['members.create_virtual']['answer'] => ({
  id: 9,
  username: 'victor',
  nickname: 'Victor',
  role: 'member',
  is_virtual: true,
  active: true,
  remote_node_id: null,
  created_at: '2026-11-26T09:00:00.000Z',
  name: 'Victor',
  post: 'Researcher',
  mode: 'assistant',
  status: 'idle',
  skills: ['acme.reports', 'acme.templates'],
  oversight: false,
});

const login = (): MembersApi['auth.login']['answer'] => ({
  access_token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIzIn0.c2lnbmF0dXJl',
  token_type: 'bearer',
  expires_in: 28800,
  refresh_token: 'IfLlc5J4x-usP4L7lUBz6g',
});

/** Worked examples of the operations. A test runs them. */
export const examples: Examples<MembersApi> = {
  'auth.login': () => ({ input: { username: 'ada', password: 'correct horse battery' }, answer: login() }),
  'auth.refresh': () => ({ input: { refresh_token: 'IfLlc5J4x-usP4L7lUBz6g' }, answer: login() }),
  'auth.logout': () => ({ answer: { logged_out: true } }),
  'auth.me': () => ({
    answer: {
      id: 3,
      username: 'ada',
      nickname: 'Ada Lovelace',
      role: 'member',
      is_virtual: false,
      active: true,
      remote_node_id: null,
      created_at: '2026-11-26T09:00:00.000Z',
      scopes: ['read', 'chat', 'admin'],
    },
  }),
  'auth.password': () => ({
    input: { current_password: 'correct horse battery', new_password: 'battery staple correct' },
    answer: login(),
  }),
  'auth.ticket': () => ({ answer: { ticket: 'hezTopw__78sRylTHIw', expires_in: 60 } }),
  'auth.sessions': () => ({
    answer: [
      {
        id: 'IfLlc5J4x-usP4L7lUBz6g',
        kind: 'browser',
        device: 'Firefox on Linux',
        address: '203.0.113.5',
        created_at: '2026-11-26T09:00:00.000Z',
        last_used_at: '2026-11-26T17:30:00.000Z',
        current: true,
      },
    ],
  }),
  'auth.end_session': () => ({ input: { id: 'IfLlc5J4x-usP4L7lUBz6g' } }),
  'auth.end_sessions': () => ({ input: { keep_current: true }, answer: { ended: 2 } }),
  'auth.rotate_key': () => ({ answer: { kid: 'qs-WT5po471D260XF_4BCw', created_at: '2026-11-26T09:00:00.000Z' } }),
  'tokens.list': () => ({
    answer: [
      { id: 1, name: 'laptop', scopes: ['read', 'chat'], created_at: '2026-11-26T09:00:00.000Z', expires_at: null, last_used_at: null },
    ],
  }),
  'tokens.create': () => ({
    input: { name: 'script', scopes: ['read', 'chat'], expires_at: '2099-01-01T00:00:00Z' },
    answer: {
      id: 2,
      name: 'script',
      scopes: ['read', 'chat'],
      created_at: '2026-11-26T09:00:00.000Z',
      expires_at: '2099-01-01T00:00:00.000Z',
      last_used_at: null,
      token: 'plat_example',
    },
  }),
  'tokens.delete': () => ({ input: { id: 1 } }),
  'members.list': () => ({
    input: { page: 1, page_size: 20, is_virtual: false },
    answer: { items: [{ ...member(), id: 1, username: 'admin', nickname: 'admin', role: 'admin' }], total: 5, page: 1, page_size: 20 },
  }),
  'members.get': () => ({ input: { id: 3 }, answer: member() }),
  'members.create': () => ({
    input: { username: 'alan', nickname: 'Alan Turing', password: 'a long enough password' },
    answer: { ...member(), id: 8, username: 'alan', nickname: 'Alan Turing' },
  }),
  'members.update': () => ({
    input: { id: 4, nickname: 'Rear Admiral Hopper' },
    answer: { ...member(), id: 4, username: 'grace', nickname: 'Rear Admiral Hopper' },
  }),
  'members.delete': () => ({ input: { id: 6 } }),
  'members.reset_password': () => ({ input: { id: 4, new_password: 'another long password' }, answer: { id: 4, reset: true } }),
  'members.seats': () => ({ answer: { used: 5, limit: 0, ai_employees: 3 } }),
  'members.settings': () => ({ answer: { language: null, zone: null, theme: null } }),
  'members.set_settings': () => ({
    input: { language: 'en', zone: 'Europe/Berlin', theme: 'dark' },
    answer: { language: 'en', zone: 'Europe/Berlin', theme: 'dark' },
  }),
  'members.list_virtual': () => ({
    answer: [{ ...employee(), id: 2, username: 'assistant', nickname: 'Assistant', name: 'Assistant', post: 'General assistant' }],
  }),
  'members.create_virtual': () => ({ input: { name: 'Victor', post: 'Researcher', mode: 'assistant' }, answer: employee() }),
};
