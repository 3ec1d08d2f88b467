import t from 'tap';
import type { MembersApi } from '../../../extensions/members/contract.js';
import { operations } from '../../../extensions/members/operations.js';
import { adminPassword, eachWorld, failureOf, type World } from './world.js';

type Who = 'nobody' | 'forger' | 'admin' | 'member' | 'reader' | 'stranger' | 'gone';

interface Row {
  it: string;
  who: Who;
  input?: object;
  /** The answer, its times, secrets and keys' names scrubbed. */
  gives?: unknown;
  /** The failure. */
  fails?: object;
}

const invalid = (...paths: string[]) => ({ code: 'invalid_input', status: 400, paths });
const forbidden = { code: 'forbidden', status: 403 };
const unknownLogin = { code: 'login_not_found', status: 404 };
const unknownCode = { code: 'device_code_not_found', status: 404 };
const unknownInvitation = { code: 'invitation_not_found', status: 404 };
const unknownMember = { code: 'member_not_found', status: 404 };
const login = { access_token: '<secret>', token_type: 'bearer', expires_in: 28_800, refresh_token: '<secret>' };
const time = { created_at: '<time>' };

/** Ids: 1 is the first administrator, 2 mia, 3 the AI employee Otto; then what the rows make, in their order. */
const admin = person(1, 'admin', { role: 'admin' });
const mia = person(2, 'mia');
const otto = { ...person(3, 'otto', { nickname: 'Otto' }), is_virtual: true };
const nia = person(4, 'nia');

/** In the order of the table: a row may rest on those before it. */
const rows: { [Id in keyof MembersApi]: Row[] } = {
  'auth.sessions': [
    {
      it: 'lists logins, then personal tokens',
      who: 'member',
      gives: [
        session('<id>', { kind: 'command_line', last_used_at: '<time>', current: true }),
        session('token-1', { kind: 'token', device: 'reader' }),
      ],
    },
  ],
  'members.create': [
    { it: 'adds a person', who: 'admin', input: { username: 'nia', password: '12345678' }, gives: nia },
    {
      it: 'accepts a password of maximum length',
      who: 'admin',
      input: { username: 'uwe', password: 'x'.repeat(256) },
      gives: person(5, 'uwe'),
    },
    {
      it: 'adds an AI employee, without a password',
      who: 'admin',
      input: { username: 'Robo', nickname: 'R', is_virtual: true, remote_node_id: 9, password: 'x'.repeat(8) },
      gives: { ...person(6, 'Robo', { nickname: 'R' }), is_virtual: true, remote_node_id: 9 },
    },
    {
      it: 'rejects a name in use, in any case',
      who: 'admin',
      input: { username: 'MIA', password: '12345678' },
      fails: { code: 'username_taken', status: 409 },
    },
    { it: 'rejects a short name', who: 'admin', input: { username: 'm', password: '12345678' }, fails: invalid('username') },
    { it: 'rejects other characters', who: 'admin', input: { username: 'mi a', password: '12345678' }, fails: invalid('username') },
    { it: 'rejects a person without a password', who: 'admin', input: { username: 'eva' }, fails: invalid('password') },
    {
      it: 'names all faults',
      who: 'admin',
      input: { username: 'x', password: 'short', role: 'king', is_virtual: 'perhaps', remote_node_id: 0 },
      fails: invalid('username', 'password', 'role', 'is_virtual', 'remote_node_id'),
    },
    {
      it: 'rejects a node for a person',
      who: 'admin',
      input: { username: 'eva', password: '12345678', remote_node_id: 1 },
      fails: invalid('remote_node_id'),
    },
    {
      it: 'rejects an AI employee as administrator',
      who: 'admin',
      input: { username: 'eva', is_virtual: true, role: 'admin' },
      fails: invalid('role'),
    },
    {
      it: 'rejects control characters',
      who: 'admin',
      input: { username: 'eva', password: '12345678', nickname: 'a\u0007b' },
      fails: invalid('nickname'),
    },
    { it: 'is for administrators', who: 'member', input: { username: 'eva', password: '12345678' }, fails: forbidden },
  ],
  'members.create_virtual': [
    {
      it: 'derives a user name',
      who: 'admin',
      input: { name: ' Ada Müller ', post: 'Analyst', mode: 'supervised' },
      gives: employee(7, 'ada-muller', 'Ada Müller', { post: 'Analyst', mode: 'supervised' }),
    },
    {
      it: 'takes the next unused name',
      who: 'admin',
      input: { name: 'Ada Muller' },
      gives: employee(8, 'ada-muller-2', 'Ada Muller'),
    },
    { it: 'numbers names without usable letters', who: 'admin', input: { name: '小明' }, gives: employee(9, 'employee-1', '小明') },
    { it: 'rejects an empty name', who: 'admin', input: { name: '  ' }, fails: invalid('name') },
    { it: 'rejects a long post', who: 'admin', input: { name: 'Ada', post: 'x'.repeat(65) }, fails: invalid('post') },
    { it: 'rejects an unknown mode', who: 'admin', input: { name: 'Ada', mode: 'wild' }, fails: invalid('mode') },
    { it: 'is for administrators', who: 'member', input: { name: 'Ada' }, fails: forbidden },
  ],
  'members.list': [
    {
      it: 'returns a page',
      who: 'member',
      input: { page: 2, page_size: 2 },
      gives: { items: [otto, nia], total: 9, page: 2, page_size: 2 },
    },
    {
      it: 'finds nicknames in any case',
      who: 'member',
      input: { keyword: 'MÜLLER' },
      gives: { items: [person(7, 'ada-muller', { nickname: 'Ada Müller', is_virtual: true })], total: 1, page: 1, page_size: 20 },
    },
    { it: 'takes wildcards literally', who: 'member', input: { keyword: '%' }, gives: { items: [], total: 0, page: 1, page_size: 20 } },
    {
      it: 'distinguishes people from AI employees',
      who: 'reader',
      input: { is_virtual: false, keyword: 'a' },
      gives: { items: [admin, mia, nia], total: 3, page: 1, page_size: 20 },
    },
    { it: 'rejects page 0', who: 'member', input: { page: 0 }, fails: invalid('page') },
    { it: 'rejects more than 200', who: 'member', input: { page_size: 201 }, fails: invalid('page_size') },
    { it: 'rejects an unknown kind', who: 'member', input: { is_virtual: 'some' }, fails: invalid('is_virtual') },
  ],
  'members.get': [
    { it: 'returns a member', who: 'reader', input: { id: 2 }, gives: mia },
    { it: 'accepts digits in a text', who: 'member', input: { id: '3' }, gives: otto },
    { it: 'fails for an unknown member', who: 'member', input: { id: 4711 }, fails: unknownMember },
    { it: 'rejects a word as id', who: 'member', input: { id: 'mia' }, fails: invalid('id') },
    { it: 'rejects an id beyond the column', who: 'member', input: { id: 2 ** 31 }, fails: invalid('id') },
  ],
  'members.update': [
    { it: 'keeps omitted fields', who: 'admin', input: { id: 4, nickname: 'Nia N.' }, gives: { ...nia, nickname: 'Nia N.' } },
    { it: 'changes the role', who: 'admin', input: { id: 4, role: 'admin' }, gives: { ...nia, nickname: 'Nia N.', role: 'admin' } },
    { it: 'binds an AI employee to a node', who: 'admin', input: { id: 3, remote_node_id: 5 }, gives: { ...otto, remote_node_id: 5 } },
    { it: 'unbinds it from the node', who: 'admin', input: { id: 3, remote_node_id: null }, gives: otto },
    { it: 'rejects a node for a person', who: 'admin', input: { id: 2, remote_node_id: 5 }, fails: invalid('remote_node_id') },
    { it: 'rejects an AI employee as administrator', who: 'admin', input: { id: 3, role: 'admin' }, fails: invalid('role') },
    { it: 'fails for an unknown member', who: 'admin', input: { id: 4711, nickname: 'x' }, fails: unknownMember },
    { it: 'rejects an empty nickname', who: 'admin', input: { id: 2, nickname: '' }, fails: invalid('nickname') },
    { it: 'is for administrators', who: 'member', input: { id: 2, nickname: 'Queen' }, fails: forbidden },
  ],
  'members.reset_password': [
    { it: 'sets a password', who: 'admin', input: { id: 4, new_password: 'secret-nia-2' }, gives: { id: 4, reset: true } },
    { it: 'rejects a short one', who: 'admin', input: { id: 4, new_password: '1234567' }, fails: invalid('new_password') },
    { it: 'rejects a long one', who: 'admin', input: { id: 4, new_password: 'x'.repeat(257) }, fails: invalid('new_password') },
    { it: 'fails for an unknown member', who: 'admin', input: { id: 4711, new_password: '12345678' }, fails: unknownMember },
    {
      it: 'rejects AI employees',
      who: 'admin',
      input: { id: 3, new_password: '12345678' },
      fails: { code: 'member_is_virtual', status: 409 },
    },
    { it: 'is for administrators', who: 'member', input: { id: 2, new_password: '12345678' }, fails: forbidden },
  ],
  'members.delete': [
    { it: 'deletes a person', who: 'admin', input: { id: 5 }, gives: undefined },
    { it: 'deletes an AI employee', who: 'admin', input: { id: 9 }, gives: undefined },
    { it: 'fails the second time', who: 'admin', input: { id: 5 }, fails: unknownMember },
    { it: 'rejects a word as id', who: 'admin', input: { id: 'uwe' }, fails: invalid('id') },
    { it: 'is for administrators', who: 'member', input: { id: 4 }, fails: forbidden },
  ],
  'members.seats': [{ it: 'counts people and AI employees', who: 'reader', gives: { used: 3, limit: 0, ai_employees: 4 } }],
  'members.settings': [{ it: 'returns null for unset settings', who: 'reader', gives: { language: null, zone: null, theme: null } }],
  'members.set_settings': [
    {
      it: 'sets some settings',
      who: 'member',
      input: { language: 'EN-us', zone: 'Japan' },
      gives: { language: 'en-US', zone: 'Japan', theme: null },
    },
    { it: 'keeps the other settings', who: 'member', input: { theme: 'dark' }, gives: { language: 'en-US', zone: 'Japan', theme: 'dark' } },
    {
      it: 'sets high contrast',
      who: 'member',
      input: { theme: 'contrast' },
      gives: { language: 'en-US', zone: 'Japan', theme: 'contrast' },
    },
    { it: 'sets the theme again', who: 'member', input: { theme: 'dark' }, gives: { language: 'en-US', zone: 'Japan', theme: 'dark' } },
    { it: 'removes a setting', who: 'member', input: { zone: null }, gives: { language: 'en-US', zone: null, theme: 'dark' } },
    { it: 'requires more than the scope read', who: 'reader', input: { theme: 'dark' }, fails: { code: 'scope_missing', status: 403 } },
    {
      it: 'names all faults',
      who: 'member',
      input: { language: 'zh_CN', zone: '+02:00' },
      fails: invalid('language', 'zone'),
    },
    { it: 'rejects an unknown theme', who: 'member', input: { theme: 'pink' }, fails: invalid('theme') },
  ],
  'members.list_virtual': [
    {
      it: 'lists the AI employees',
      who: 'member',
      gives: [
        employee(3, 'otto', 'Otto'),
        employee(6, 'Robo', 'R', { remote_node_id: 9 }),
        employee(7, 'ada-muller', 'Ada Müller', { post: 'Analyst', mode: 'supervised' }),
        employee(8, 'ada-muller-2', 'Ada Muller'),
      ],
    },
  ],
  'auth.login': [
    { it: 'logs in with the name in any case', who: 'nobody', input: { username: 'Mia', password: 'secret-mia' }, gives: login },
    {
      it: 'rejects a wrong password',
      who: 'nobody',
      input: { username: 'mia', password: 'x' },
      fails: { code: 'invalid_credentials', status: 401 },
    },
    {
      it: 'rejects an unknown name',
      who: 'nobody',
      input: { username: 'nobody', password: 'x' },
      fails: { code: 'invalid_credentials', status: 401 },
    },
    {
      it: 'rejects an impossible user name',
      who: 'nobody',
      input: { username: '\u0001 or 1=1', password: 'x' },
      fails: { code: 'invalid_credentials', status: 401 },
    },
    {
      it: 'rejects AI employees',
      who: 'nobody',
      input: { username: 'otto', password: '12345678' },
      fails: { code: 'invalid_credentials', status: 401 },
    },
    { it: 'requires both fields', who: 'nobody', input: {}, fails: invalid('username', 'password') },
    { it: 'accepts only text', who: 'nobody', input: { username: { $ne: '' }, password: ['x'] }, fails: invalid('username', 'password') },
  ],
  'auth.refresh': [
    {
      it: 'rejects a token that was never issued',
      who: 'nobody',
      input: { refresh_token: 'a.b' },
      fails: { code: 'invalid_token', status: 401 },
    },
    { it: 'requires the token', who: 'nobody', input: {}, fails: invalid('refresh_token') },
    { it: 'accepts only text', who: 'nobody', input: { refresh_token: 5 }, fails: invalid('refresh_token') },
    { it: 'rejects a token that is too long', who: 'nobody', input: { refresh_token: 'x'.repeat(257) }, fails: invalid('refresh_token') },
  ],
  'auth.me': [
    { it: 'returns the caller', who: 'member', gives: { ...mia, scopes: ['read', 'chat', 'admin'] } },
    { it: "returns the token's scopes", who: 'reader', gives: { ...mia, scopes: ['read'] } },
  ],
  'auth.ticket': [{ it: 'returns a ticket', who: 'reader', gives: { ticket: '<secret>', expires_in: 60 } }],
  'tokens.create': [
    {
      it: 'has all scopes by default',
      who: 'member',
      input: { name: 'ci' },
      gives: token(2, 'ci', { scopes: ['read', 'chat', 'admin'] }),
    },
    {
      it: 'accepts scopes, without duplicates, and an expiry',
      who: 'member',
      input: { name: 'b', scopes: ['chat', 'chat'], expires_at: '2999-01-01' },
      gives: token(3, 'b', { scopes: ['chat'], expires_at: '<time>' }),
    },
    {
      it: 'rejects an expiry in the past',
      who: 'member',
      input: { name: 'b', expires_at: '2001-01-01T00:00' },
      fails: invalid('expires_at'),
    },
    { it: 'rejects an invalid time', who: 'member', input: { name: 'b', expires_at: 'tomorrow' }, fails: invalid('expires_at') },
    { it: 'rejects unknown scopes', who: 'member', input: { name: 'b', scopes: ['all'] }, fails: invalid('scopes.0') },
    { it: 'requires a name', who: 'member', input: { scopes: [] }, fails: invalid('name', 'scopes') },
    { it: 'rejects a token without the scope', who: 'reader', input: { name: 'b' }, fails: { code: 'scope_missing', status: 403 } },
  ],
  'tokens.list': [
    {
      it: 'lists one’s own without secrets',
      who: 'member',
      gives: [
        token(1, 'reader', { scopes: ['read'], last_used_at: '<time>' }),
        token(2, 'ci', {}),
        token(3, 'b', { scopes: ['chat'], expires_at: '<time>' }),
      ].map(listed),
    },
  ],
  'tokens.delete': [
    { it: 'fails for another member’s token', who: 'stranger', input: { id: 2 }, fails: { code: 'token_not_found', status: 404 } },
    { it: 'revokes one', who: 'member', input: { id: 2 }, gives: undefined },
    { it: 'fails the second time', who: 'member', input: { id: 2 }, fails: { code: 'token_not_found', status: 404 } },
    { it: 'rejects a word as id', who: 'member', input: { id: 'ci' }, fails: invalid('id') },
  ],
  'auth.end_session': [
    { it: 'fails for an unknown one', who: 'member', input: { id: 'nothing' }, fails: unknownLogin },
    { it: 'fails for another member’s token', who: 'stranger', input: { id: 'token-3' }, fails: unknownLogin },
    { it: 'requires a login', who: 'reader', input: { id: 'token-1' }, fails: { code: 'scope_missing', status: 403 } },
    { it: 'rejects an impossible id', who: 'member', input: { id: '../me' }, fails: invalid('id') },
    { it: 'ends one', who: 'member', input: { id: 'token-3' }, gives: undefined },
    { it: 'fails the second time', who: 'member', input: { id: 'token-3' }, fails: unknownLogin },
  ],
  'auth.end_sessions': [
    { it: 'rejects a word', who: 'member', input: { keep_current: 'perhaps' }, fails: invalid('keep_current') },
    { it: 'requires a login', who: 'reader', fails: { code: 'scope_missing', status: 403 } },
    { it: 'ends all logins but the current one', who: 'member', input: { keep_current: true }, gives: { ended: 1 } },
  ],
  'auth.rotate_key': [
    { it: 'rotates the signing key', who: 'admin', gives: { kid: '<secret>', ...time } },
    { it: 'is for administrators', who: 'member', fails: forbidden },
  ],
  'auth.set_email': [
    {
      it: 'demands the password',
      who: 'member',
      input: { email: 'mia@example.com', password: 'not hers' },
      fails: { code: 'wrong_password', status: 403 },
    },
    { it: 'rejects a list', who: 'member', input: { email: 'a@b.example,c@d.example', password: 'secret-mia' }, fails: invalid('email') },
    { it: 'rejects a missing address', who: 'member', input: { password: 'secret-mia' }, fails: invalid('email') },
    {
      it: 'sets it',
      who: 'member',
      input: { email: ' Mia@Example.com ', password: 'secret-mia' },
      gives: { ...mia, email: 'Mia@Example.com', scopes: ['read', 'chat', 'admin'] },
    },
    {
      it: 'rejects the address of another, in any case',
      who: 'admin',
      input: { email: 'mia@EXAMPLE.com', password: adminPassword },
      fails: { code: 'email_taken', status: 409 },
    },
  ],
  'invitations.create': [
    {
      it: 'creates a link',
      who: 'admin',
      input: { email: 'eva@example.com', role: 'admin' },
      gives: {
        ...invitation(1, { email: 'eva@example.com', role: 'admin' }),
        token: '<secret>',
        link: '<link>',
        mailed: false,
        mail_error: null,
      },
    },
    {
      it: 'needs no address',
      who: 'admin',
      gives: { ...invitation(2), token: '<secret>', link: '<link>', mailed: false, mail_error: null },
    },
    {
      it: "rejects a member's address",
      who: 'admin',
      input: { email: 'MIA@example.com' },
      fails: { code: 'email_taken', status: 409 },
    },
    { it: 'rejects an unknown role', who: 'admin', input: { role: 'owner' }, fails: invalid('role') },
    {
      it: 'rejects an unknown room',
      who: 'admin',
      input: { room_ids: ['019a0b5e-7c10-7000-8000-000000000004'] },
      fails: invalid('room_ids'),
    },
    { it: 'is for administrators', who: 'member', fails: forbidden },
  ],
  'invitations.list': [
    {
      it: 'lists them, the latest first, without links',
      who: 'admin',
      gives: [invitation(2), invitation(1, { email: 'eva@example.com', role: 'admin' })],
    },
    { it: 'is for administrators', who: 'member', fails: forbidden },
  ],
  'invitations.get': [
    { it: 'returns one', who: 'admin', input: { id: 2 }, gives: invitation(2) },
    { it: 'fails for an unknown one', who: 'admin', input: { id: 4711 }, fails: unknownInvitation },
    { it: 'is for administrators', who: 'member', input: { id: 2 }, fails: forbidden },
  ],
  'invitations.delete': [
    { it: 'is for administrators', who: 'member', input: { id: 2 }, fails: forbidden },
    { it: 'withdraws one', who: 'admin', input: { id: 2 }, gives: undefined },
    { it: 'fails for an unknown one', who: 'admin', input: { id: 2 }, fails: unknownInvitation },
  ],
  'auth.invitation': [
    { it: 'fails for an unknown link', who: 'nobody', input: { token: 'x'.repeat(43) }, fails: unknownInvitation },
    { it: 'fails for an administrator, too', who: 'admin', input: { token: '1' }, fails: unknownInvitation },
    { it: 'rejects a long text', who: 'nobody', input: { token: 'x'.repeat(101) }, fails: invalid('token') },
  ],
  'auth.accept_invitation': [
    {
      it: 'fails for an unknown link',
      who: 'nobody',
      input: { token: 'x'.repeat(43), username: 'eva', password: '12345678' },
      fails: unknownInvitation,
    },
    {
      it: 'rejects a short password',
      who: 'nobody',
      input: { token: 'x', username: 'eva', password: 'short' },
      fails: invalid('password'),
    },
    { it: 'rejects a missing name', who: 'nobody', input: { token: 'x', password: '12345678' }, fails: invalid('username') },
  ],
  'auth.methods': [{ it: 'offers no mail without a mail server', who: 'nobody', gives: { password_reset: false } }],
  'auth.forgot_password': [
    { it: 'needs a mail server', who: 'nobody', input: { username: 'mia' }, fails: { code: 'mail_not_set_up', status: 409 } },
    { it: 'rejects a missing name', who: 'nobody', fails: invalid('username') },
    { it: 'rejects a long text', who: 'nobody', input: { username: 'x'.repeat(257) }, fails: invalid('username') },
  ],
  'auth.reset_password': [
    {
      it: 'fails for an unknown link',
      who: 'nobody',
      input: { token: 'x'.repeat(43), new_password: '12345678' },
      fails: { code: 'reset_not_found', status: 404 },
    },
    { it: 'rejects a short password', who: 'nobody', input: { token: 'x', new_password: 'short' }, fails: invalid('new_password') },
    { it: 'rejects a missing link', who: 'nobody', input: { new_password: '12345678' }, fails: invalid('token') },
  ],
  'auth.device': [
    { it: 'fails for an unknown code', who: 'member', input: { user_code: 'BBBB-BBBB' }, fails: unknownCode },
    { it: 'rejects a long text', who: 'member', input: { user_code: 'x'.repeat(41) }, fails: invalid('user_code') },
    { it: 'refuses a personal token', who: 'reader', input: { user_code: 'BBBB-BBBB' }, fails: { code: 'scope_missing', status: 403 } },
  ],
  'auth.confirm_device': [
    { it: 'fails for an unknown code', who: 'member', input: { user_code: 'BBBB-BBBB', decision: 'deny' }, fails: unknownCode },
    { it: 'rejects an unknown decision', who: 'member', input: { user_code: 'B', decision: 'later' }, fails: invalid('decision') },
    { it: 'rejects a missing code', who: 'member', input: { decision: 'deny' }, fails: invalid('user_code') },
  ],
  'auth.password': [
    {
      it: 'rejects a wrong one',
      who: 'member',
      input: { current_password: 'x', new_password: 'y'.repeat(8) },
      fails: { code: 'wrong_password', status: 403 },
    },
    {
      it: 'rejects a short one',
      who: 'member',
      input: { current_password: 'secret-mia', new_password: 'y' },
      fails: invalid('new_password'),
    },
    {
      it: 'requires a login',
      who: 'reader',
      input: { current_password: 'secret-mia', new_password: 'y'.repeat(8) },
      fails: { code: 'scope_missing', status: 403 },
    },
    { it: 'returns new tokens', who: 'member', input: { current_password: 'secret-mia', new_password: 'secret-mia-2' }, gives: login },
  ],
  'auth.logout': [{ it: 'ends the login', who: 'stranger', gives: { logged_out: true } }],
};

t.test('every operation succeeds and fails as declared', async (t) => {
  await eachWorld(t, async (t, open) => {
    const world = await open();
    const clients = await people(world);
    for (const id of Object.keys(rows) as (keyof MembersApi)[]) {
      await t.test(id, async (t) => {
        const guarded =
          operations[id].who === 'public' ? [] : unauthenticated((rows[id].find(({ fails }) => !fails) ?? rows[id][0])?.input);
        const all = [...guarded, ...rows[id]];
        for (const { it, who, input = {}, gives, fails } of all) {
          const asked = call(await clients(who), id, input);
          if (fails) t.same(await failureOf(asked), fails, it);
          else t.same(scrub(await asked), gives, it);
        }
        // Without input and open to everybody.
        if (id !== 'auth.methods') t.ok(all.filter(({ fails }) => fails).length >= 3, 'has at least three failing rows');
      });
    }
  });
});

t.test('the table has a successful row for every operation', async (t) => {
  const without = Object.keys(operations).filter((id) => !rows[id as keyof MembersApi].some(({ fails }) => !fails));
  const elsewhere = [
    'auth.invitation',
    'auth.accept_invitation',
    'auth.forgot_password',
    'auth.reset_password',
    'auth.device',
    'auth.confirm_device',
    'auth.refresh',
  ];
  t.same(without.sort(), elsewhere.sort(), 'except operations with a test file of their own');
});

function unauthenticated(input: object | undefined): Row[] {
  const failing = { code: 'invalid_token', status: 401 };
  const common = input === undefined ? {} : { input };
  return [
    { ...common, it: 'requires a token', who: 'nobody', fails: { code: 'unauthenticated', status: 401 } },
    { ...common, it: 'rejects a forged token', who: 'forger', fails: failing },
    { ...common, it: 'rejects an expired token', who: 'gone', fails: failing },
  ];
}

/** The clients of those who ask; made before the first row. */
async function people(world: World): Promise<(who: Who) => Promise<object>> {
  const asAdmin = await world.admin();
  const member = await world.person('mia');
  await asAdmin.members.create_virtual({ name: 'Otto' });
  const reader = await member.client.tokens.create({ name: 'reader', scopes: ['read'] });
  const second = await (await world.as()).auth.login({ username: 'admin', password: adminPassword });
  const third = await (await world.as()).auth.login({ username: 'admin', password: adminPassword });
  await (await world.as(third.access_token)).auth.logout();
  const tokens: Record<Who, string | undefined> = {
    nobody: undefined,
    forger: forged(member.token),
    admin: (await (await world.as()).auth.login({ username: 'admin', password: adminPassword })).access_token,
    member: member.token,
    reader: reader.token,
    stranger: second.access_token,
    gone: third.access_token,
  };
  return (who) => world.as(tokens[who]);
}

/** The same token with a later end, and the old signature. */
function forged(token: string): string {
  const [header, payload = '', signature] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number };
  return [header, Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 1 })).toString('base64url'), signature].join('.');
}

function call(client: object, id: string, input: object): Promise<unknown> {
  const [group = '', name = ''] = id.split('.');
  const methods = (client as Record<string, Record<string, (input: object) => Promise<unknown>>>)[group];
  const method = methods?.[name];
  if (!method) throw new Error(`The client has no ${id}`);
  return method(input);
}

const secrets = new Set(['access_token', 'refresh_token', 'ticket', 'token', 'kid']);

function scrub(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(scrub);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, scrubbed(key, item)]));
}

function scrubbed(key: string, item: unknown): unknown {
  if (secrets.has(key) && typeof item === 'string' && item.length > 20) return '<secret>';
  if (key === 'id' && typeof item === 'string' && item.length === 22) return '<id>';
  if (key === 'address') return '<address>';
  if (key === 'link') return '<link>';
  if (key.endsWith('_at') && typeof item === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(item)) return '<time>';
  return scrub(item);
}

function person(id: number, username: string, change: object = {}) {
  const fixed = { role: 'member', is_virtual: false, active: true, remote_node_id: null, email: null };
  return { id, username, nickname: username, ...fixed, ...time, ...change };
}

function invitation(id: number, change: object = {}) {
  return { id, email: null, role: 'member', room_ids: [], invited_by: 1, ...time, expires_at: '<time>', ...change };
}

function session(id: string, change: object) {
  return { id, device: '', address: '<address>', ...time, last_used_at: null, current: false, ...change };
}

function employee(id: number, username: string, name: string, change: object = {}) {
  const working = { name, post: '', mode: 'assistant', status: 'idle', skills: [], oversight: false };
  const { email: _, ...record } = person(id, username, { nickname: name, is_virtual: true });
  return { ...record, ...working, ...change };
}

function listed({ token: secret, ...record }: ReturnType<typeof token>) {
  return secret === '<secret>' ? record : secret;
}

function token(id: number, name: string, change: object) {
  return { id, name, scopes: ['read', 'chat', 'admin'], ...time, expires_at: null, last_used_at: null, token: '<secret>', ...change };
}
