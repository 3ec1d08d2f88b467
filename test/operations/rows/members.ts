import { adminPassword } from '../../helpers/platform.js';
import type { Side } from '../side.js';
import type { Row, Uses } from '../table.js';

const unknownId = (code = 'member_not_found'): Row => ({ name: 'an id of no member', input: { id: 999_999 }, code });
const badId: Row = { name: 'an invalid id', input: { id: 'first' }, code: 'invalid_input' };

/** A member of its own for a row that changes it. */
const made =
  (rest: object = {}) =>
  async (side: Side) => ({ id: (await side.give('members.create', { username: side.newName(), password: adminPassword })).id, ...rest });

/** An invitation of its own for a row that shows or withdraws it. */
const invited = async (side: Side) => ({ id: (await side.give('invitations.create')).id });

/** The secret of a new link. */
const link = async (side: Side) => ({ token: (await side.give<{ token: string }>('invitations.create')).token });

/** The code of a program that waits to be logged in. */
async function userCode({ platform }: Side): Promise<string> {
  const body = new URLSearchParams({ client_id: 'platform-cli', device_name: 'platform on laptop' });
  const answer = await fetch(`${platform.url}/api/auth/device/code`, { method: 'POST', body });
  return ((await answer.json()) as { user_code: string }).user_code;
}

const refreshToken = async (side: Side, username = 'bob') =>
  (await side.give<{ refresh_token: string }>('auth.login', { ...credentials, username }, 'nobody')).refresh_token;

/** The id of the login that issued a refresh token. */
const loginOf = (refresh_token: string) => refresh_token.split('.')[0];

const credentials = { username: 'bob', password: adminPassword };

export const membersRows: Record<string, Uses> = {
  'auth.login': {
    success: [{ name: 'returns tokens', asker: 'nobody', input: credentials, body: { token_type: 'bearer', expires_in: 28_800 } }],
    failures: [
      { name: 'a wrong password', asker: 'nobody', input: { ...credentials, password: 'wrong wrong' }, code: 'invalid_credentials' },
      { name: 'an unknown user', asker: 'nobody', input: { ...credentials, username: 'eve' }, code: 'invalid_credentials' },
      { name: 'an AI employee', asker: 'nobody', input: { ...credentials, username: 'assistant' }, code: 'invalid_credentials' },
      { name: 'no password', asker: 'nobody', input: { username: 'bob' }, code: 'invalid_input' },
      { name: 'a cookie for no page', asker: 'nobody', input: { ...credentials, session: 'cookie' }, code: 'origin_refused' },
      { name: 'an unknown session', asker: 'nobody', input: { ...credentials, session: 'token' }, code: 'invalid_input' },
    ],
  },
  'auth.refresh': {
    success: [{ name: 'returns new tokens', asker: 'nobody', input: async (side) => ({ refresh_token: await refreshToken(side) }) }],
    failures: [
      { name: 'an unknown token', asker: 'nobody', input: { refresh_token: 'unknown' }, code: 'invalid_token' },
      {
        name: 'a spent token',
        asker: 'nobody',
        input: async (side) => {
          const spent = await refreshToken(side);
          let refresh_token = spent;
          for (let n = 0; n < 3; n += 1)
            ({ refresh_token } = await side.give<{ refresh_token: string }>('auth.refresh', { refresh_token }, 'nobody'));
          return { refresh_token: spent };
        },
        code: 'refresh_token_reused',
      },
      { name: 'no token', asker: 'nobody', input: {}, code: 'invalid_input' },
    ],
  },
  'auth.logout': {
    success: [
      {
        name: 'ends the login',
        asker: 'bob',
        input: async (side) => {
          await side.logIn('bob', 'bob');
          return {};
        },
        body: { logged_out: true },
      },
    ],
    failures: [
      {
        name: 'twice',
        asker: 'bob',
        input: async (side) => {
          await side.logIn('bob', 'bob');
          await side.give('auth.logout', {}, 'bob');
          return {};
        },
        code: 'invalid_token',
      },
    ],
  },
  'auth.me': { success: [{ name: 'returns the caller', input: {}, body: { username: 'ada', role: 'member' } }], failures: [] },
  'auth.password': {
    success: [
      {
        name: 'returns new tokens',
        asker: 'bob',
        input: async (side) => {
          await side.logIn('bob', 'bob');
          return { current_password: adminPassword, new_password: adminPassword };
        },
      },
    ],
    failures: [
      { name: 'a wrong password', input: { current_password: 'wrong wrong', new_password: 'long enough' }, code: 'wrong_password' },
      {
        name: 'a new password that is too short',
        input: { current_password: adminPassword, new_password: 'short' },
        code: 'invalid_input',
      },
      { name: 'an empty body', input: {}, code: 'invalid_input' },
    ],
  },
  'auth.ticket': { success: [{ name: 'returns a ticket', input: {}, body: { expires_in: 60 } }], failures: [] },
  'auth.sessions': { success: [{ name: "lists the caller's sessions", input: {} }], failures: [] },
  'auth.end_session': {
    success: [
      { name: 'ends a login', input: async (side) => ({ id: loginOf(await refreshToken(side, 'ada')) }) },
      {
        name: 'revokes a personal token',
        input: async (side) => ({ id: `token-${(await side.give('tokens.create', { name: 'mine' }, 'ada')).id}` }),
      },
    ],
    failures: [
      { name: 'an id of no session', input: { id: 'nothing' }, code: 'login_not_found' },
      { name: 'an invalid id', input: { id: 'a.b' }, code: 'invalid_input' },
      {
        name: "another member's session",
        input: async (side) => ({ id: loginOf(await refreshToken(side)) }),
        code: 'login_not_found',
      },
      {
        name: "another member's token",
        input: async (side) => ({ id: `token-${(await side.give('tokens.create', { name: 'his' }, 'admin')).id}` }),
        code: 'login_not_found',
      },
      { name: 'a personal token that asks', asker: 'limited', input: { id: 'nothing' }, code: 'scope_missing' },
    ],
  },
  'auth.end_sessions': {
    success: [
      {
        name: 'ends all but the current one',
        asker: 'bob',
        input: async (side) => {
          await side.logIn('bob', 'bob');
          return { keep_current: true };
        },
      },
    ],
    failures: [{ name: 'a value that is not a boolean', asker: 'bob', input: { keep_current: 'maybe' }, code: 'invalid_input' }],
  },
  'auth.rotate_key': { success: [{ name: 'makes a new key', input: {} }], failures: [] },
  'tokens.list': { success: [{ name: "lists the caller's tokens", input: {} }], failures: [] },
  'tokens.create': {
    success: [{ name: 'creates one', input: { name: 'script', scopes: ['read'] }, body: { name: 'script', scopes: ['read'] } }],
    failures: [
      { name: 'a missing name', input: {}, code: 'invalid_input' },
      { name: 'an unknown scope', input: { name: 'script', scopes: ['all'] }, code: 'invalid_input' },
      { name: 'an expiry in the past', input: { name: 'script', expires_at: '2001-01-01T00:00:00Z' }, code: 'invalid_input' },
    ],
  },
  'tokens.delete': {
    success: [{ name: 'revokes one', input: async (side) => ({ id: (await side.give('tokens.create', { name: 'mine' }, 'ada')).id }) }],
    failures: [
      unknownId('token_not_found'),
      badId,
      {
        name: "another member's token",
        input: async (side) => ({ id: (await side.give('tokens.create', { name: 'his' }, 'admin')).id }),
        code: 'token_not_found',
      },
    ],
  },
  'members.list': {
    success: [
      { name: 'lists all', input: {} },
      { name: 'finds by a part of the name', input: { keyword: 'AD', is_virtual: 'false' }, body: { total: 2, page: 1, page_size: 20 } },
      { name: 'finds by the whole user name', input: { username: 'ADA' }, body: { total: 1 } },
    ],
    failures: [
      { name: 'a page too large', input: { page_size: 201 }, code: 'invalid_input' },
      { name: 'page 0', input: { page: 0 }, code: 'invalid_input' },
      { name: 'a value that is not a boolean', input: { is_virtual: 'maybe' }, code: 'invalid_input' },
    ],
  },
  'members.get': {
    success: [{ name: 'returns one', input: { id: 1 }, body: { id: 1, username: 'admin', role: 'admin' } }],
    failures: [unknownId(), badId],
  },
  'members.create': {
    success: [
      { name: 'adds a person', input: { username: 'carol', password: adminPassword }, body: { username: 'carol', nickname: 'carol' } },
      { name: 'adds an AI employee', input: { username: 'robot', is_virtual: true }, body: { is_virtual: true, role: 'member' } },
    ],
    failures: [
      { name: 'a name in use', input: { username: 'ADA', password: adminPassword }, code: 'username_taken' },
      { name: 'a person without password', input: { username: 'dave' }, code: 'invalid_input' },
      { name: 'a person on a node', input: { username: 'dave', password: adminPassword, remote_node_id: 1 }, code: 'invalid_input' },
      { name: 'a name with a blank', input: { username: 'da ve', password: adminPassword }, code: 'invalid_input' },
    ],
  },
  'members.update': {
    success: [{ name: 'renames one', input: made({ nickname: 'Erin' }), body: { nickname: 'Erin' } }],
    failures: [
      { name: 'an id of no member', input: { id: 999_999, nickname: 'X' }, code: 'member_not_found' },
      { name: 'the last administrator', input: { id: 1, role: 'member' }, code: 'last_admin' },
      { name: 'an unknown role', input: { id: 1, role: 'owner' }, code: 'invalid_input' },
    ],
  },
  'members.delete': {
    success: [{ name: 'deletes one', input: made() }],
    failures: [unknownId(), badId, { name: 'the last administrator', input: { id: 1 }, code: 'last_admin' }],
  },
  'members.reset_password': {
    success: [{ name: 'sets a password', input: made({ new_password: 'a new password' }), body: { reset: true } }],
    failures: [
      { name: 'an id of no member', input: { id: 999_999, new_password: 'a new password' }, code: 'member_not_found' },
      { name: 'a short password', input: { id: 1, new_password: 'short' }, code: 'invalid_input' },
      {
        name: 'an AI employee',
        input: async (side) => ({ id: (await side.give('members.create_virtual', { name: 'Robot' })).id, new_password: 'a new password' }),
        code: 'member_is_virtual',
      },
    ],
  },
  'auth.set_email': {
    success: [
      { name: 'sets it', input: { email: 'ada@example.com', password: adminPassword }, body: { email: 'ada@example.com' } },
      { name: 'removes it', input: { email: null, password: adminPassword }, body: { email: null } },
    ],
    failures: [
      { name: 'a wrong password', input: { email: null, password: 'wrong wrong' }, code: 'wrong_password' },
      { name: 'no address', input: { email: 'ada', password: adminPassword }, code: 'invalid_input' },
      { name: 'an empty body', input: {}, code: 'invalid_input' },
    ],
  },
  'invitations.list': { success: [{ name: 'lists them', input: {} }], failures: [] },
  'invitations.get': {
    success: [{ name: 'returns one', input: invited, body: { role: 'member' } }],
    failures: [unknownId('invitation_not_found'), badId],
  },
  'invitations.create': {
    success: [{ name: 'makes a link', input: { email: 'new@example.com' }, body: { email: 'new@example.com', mailed: false } }],
    failures: [
      { name: 'two addresses', input: { email: 'a@example.com, b@example.com' }, code: 'invalid_input' },
      { name: 'an unknown role', input: { role: 'owner' }, code: 'invalid_input' },
      { name: 'an unknown room', input: { room_ids: ['019a0b5e-7c10-7000-8000-000000000099'] }, code: 'invalid_input' },
    ],
  },
  'invitations.delete': {
    success: [{ name: 'withdraws one', input: invited }],
    failures: [unknownId('invitation_not_found'), badId],
  },
  'auth.invitation': {
    success: [{ name: 'shows it', asker: 'nobody', input: link, body: { role: 'member', invited_by: 'admin' } }],
    failures: [
      { name: 'an unknown link', asker: 'nobody', input: { token: 'unknown' }, code: 'invitation_not_found' },
      { name: 'a link that is too long', asker: 'nobody', input: { token: 'x'.repeat(101) }, code: 'invalid_input' },
      {
        name: 'a link that was used',
        asker: 'nobody',
        input: async (side) => {
          const { token } = await link(side);
          await side.give('auth.accept_invitation', { token, username: side.newName(), password: adminPassword }, 'nobody');
          return { token };
        },
        code: 'invitation_not_found',
      },
    ],
  },
  'auth.accept_invitation': {
    success: [
      {
        name: 'adds a person',
        asker: 'nobody',
        input: async (side) => ({ ...(await link(side)), username: 'frida', password: adminPassword }),
        body: { username: 'frida', role: 'member' },
      },
    ],
    failures: [
      {
        name: 'an unknown link',
        asker: 'nobody',
        input: { token: 'unknown', username: 'gina', password: adminPassword },
        code: 'invitation_not_found',
      },
      {
        name: 'a name in use',
        asker: 'nobody',
        input: async (side) => ({ ...(await link(side)), username: 'ADA', password: adminPassword }),
        code: 'username_taken',
      },
      { name: 'a short password', asker: 'nobody', input: { token: 'x', username: 'gina', password: 'short' }, code: 'invalid_input' },
    ],
  },
  'auth.methods': {
    success: [{ name: 'offers no mail without a mail server', asker: 'nobody', input: {}, body: { password_reset: false } }],
    failures: [],
    cannot_fail: 'it has no input, and everybody may ask',
  },
  'auth.forgot_password': {
    success: [],
    elsewhere: { test: 'extensions/members/forgotten-passwords.test.ts', input: { username: 'ada' } },
    failures: [
      { name: 'no mail server', asker: 'nobody', input: { username: 'ada' }, code: 'mail_not_set_up' },
      { name: 'no name', asker: 'nobody', input: {}, code: 'invalid_input' },
      { name: 'a name that is too long', asker: 'nobody', input: { username: 'x'.repeat(257) }, code: 'invalid_input' },
    ],
  },
  'auth.reset_password': {
    success: [],
    elsewhere: { test: 'extensions/members/forgotten-passwords.test.ts', input: { token: 'unknown', new_password: 'long enough' } },
    failures: [
      { name: 'an unknown link', asker: 'nobody', input: { token: 'unknown', new_password: 'long enough' }, code: 'reset_not_found' },
      { name: 'a short password', asker: 'nobody', input: { token: 'unknown', new_password: 'short' }, code: 'invalid_input' },
      { name: 'an empty body', asker: 'nobody', input: {}, code: 'invalid_input' },
    ],
  },
  'auth.device': {
    success: [
      { name: 'shows who waits', input: async (side) => ({ user_code: await userCode(side) }), body: { name: 'platform on laptop' } },
    ],
    failures: [
      { name: 'an unknown code', input: { user_code: 'BBBB-BBBB' }, code: 'device_code_not_found' },
      { name: 'a text that is too long', input: { user_code: 'x'.repeat(41) }, code: 'invalid_input' },
      { name: 'a personal token that asks', asker: 'reader', input: { user_code: 'BBBB-BBBB' }, code: 'scope_missing' },
    ],
  },
  'auth.confirm_device': {
    success: [
      {
        name: 'logs it in',
        input: async (side) => ({ user_code: await userCode(side), decision: 'approve' }),
        body: { decision: 'approve' },
      },
      { name: 'refuses it', input: async (side) => ({ user_code: await userCode(side), decision: 'deny' }), body: { decision: 'deny' } },
    ],
    failures: [
      { name: 'an unknown code', input: { user_code: 'BBBB-BBBB', decision: 'approve' }, code: 'device_code_not_found' },
      { name: 'an unknown decision', input: { user_code: 'BBBB-BBBB', decision: 'later' }, code: 'invalid_input' },
      { name: 'an empty body', input: {}, code: 'invalid_input' },
    ],
  },
  'members.seats': { success: [{ name: 'counts', input: {}, body: { limit: 0 } }], failures: [] },
  'members.settings': { success: [{ name: "shows the caller's settings", input: {}, body: { theme: null } }], failures: [] },
  'members.set_settings': {
    success: [{ name: 'keeps omitted fields', input: { theme: 'dark' }, body: { theme: 'dark', language: null } }],
    failures: [
      { name: 'an unknown zone', input: { zone: 'Mars/Olympus' }, code: 'invalid_input' },
      { name: 'a locale in another notation', input: { language: 'zh_CN' }, code: 'invalid_input' },
      { name: 'an unknown theme', input: { theme: 'pink' }, code: 'invalid_input' },
    ],
  },
  'members.list_virtual': { success: [{ name: 'lists all of them', input: {} }], failures: [] },
  'members.create_virtual': {
    success: [
      {
        name: 'adds one',
        input: { name: 'Márta Kovács', post: 'Analyst', mode: 'supervised' },
        body: { name: 'Márta Kovács', post: 'Analyst', mode: 'supervised', is_virtual: true, status: 'idle', skills: [] },
      },
    ],
    failures: [
      { name: 'a missing name', input: {}, code: 'invalid_input' },
      { name: 'an unknown mode', input: { name: 'X', mode: 'free' }, code: 'invalid_input' },
      { name: 'a post above the limit', input: { name: 'X', post: 'p'.repeat(65) }, code: 'invalid_input' },
    ],
  },
};
