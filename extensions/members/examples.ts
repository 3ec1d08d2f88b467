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
  email: null,
});

const me = () => ({ ...member(), email: null, scopes: ['read' as const, 'chat' as const, 'admin' as const] });

/** Secret of a link in the examples. */
const example_link = 'k3Vq9w2mTzB6nRc8yHf4sLd7jGp1xKa5uEo0iWtYbNQ';

const invitation = (): MembersApi['invitations.get']['answer'] => ({
  id: 1,
  email: 'joan@example.com',
  role: 'member',
  room_ids: [],
  invited_by: 1,
  created_at: '2026-11-26T09:00:00.000Z',
  expires_at: '2026-12-03T09:00:00.000Z',
});

const device = (): MembersApi['auth.device']['answer'] => ({
  name: 'platform on laptop',
  address: '203.0.113.5',
  created_at: '2026-11-26T09:00:00.000Z',
  expires_at: '2026-11-26T09:10:00.000Z',
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
  'auth.me': () => ({ answer: me() }),
  'auth.password': () => ({
    input: { current_password: 'correct horse battery', new_password: 'battery staple correct' },
    answer: login(),
  }),
  'auth.set_email': () => ({
    input: { email: 'ada@example.com', password: 'correct horse battery' },
    answer: { ...me(), email: 'ada@example.com' },
  }),
  'auth.methods': () => ({ answer: { password_reset: false } }),
  'auth.forgot_password': () => ({ input: { username: 'ada' }, answer: { requested: true } }),
  'auth.reset_password': () => ({
    input: { token: example_link, new_password: 'battery staple correct' },
    answer: { username: 'grace' },
  }),
  'auth.device': () => ({ input: { user_code: 'WDJB-MJHT' }, answer: device() }),
  'auth.confirm_device': () => ({ input: { user_code: 'WDJB-MJHT', decision: 'approve' }, answer: { ...device(), decision: 'approve' } }),
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
  'invitations.list': () => ({ answer: [invitation()] }),
  'invitations.get': () => ({ input: { id: 1 }, answer: invitation() }),
  'invitations.create': () => ({
    input: { email: 'hedy@example.com', role: 'member' },
    answer: {
      ...invitation(),
      id: 3,
      email: 'hedy@example.com',
      token: 'Zr5cVq0d4k1mYb8sXw3nTf6hLp9aJe2uGi7oRy4QxEw',
      link: 'https://work.example/invitation/Zr5cVq0d4k1mYb8sXw3nTf6hLp9aJe2uGi7oRy4QxEw',
      mailed: false,
      mail_error: null,
    },
  }),
  'invitations.delete': () => ({ input: { id: 2 } }),
  'auth.invitation': () => ({
    input: { token: example_link },
    answer: { email: 'joan@example.com', role: 'member', invited_by: 'admin', expires_at: '2026-12-03T09:00:00.000Z' },
  }),
  'auth.accept_invitation': () => ({
    input: { token: example_link, username: 'joan', nickname: 'Joan Clarke', password: 'a long enough password' },
    answer: { ...member(), id: 9, username: 'joan', nickname: 'Joan Clarke', email: 'joan@example.com' },
  }),
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
