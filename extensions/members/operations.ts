import type { Operations, Subject } from '../../kernel/contract/index.js';
import type { MembersApi } from './contract.js';
import { lifetime_ms } from './devices.js';
import * as shape from './shapes.js';

const logins: Subject = {
  name: 'Logins and tokens',
  description: 'Logging in and out, passwords, and tokens for scripts and for requests without headers.',
};

/** Operations of this extension. */
export const operations = {
  'auth.login': {
    summary: 'Logs in with a user name and a password.',
    subject: logins,
    method: 'POST',
    path: '/api/auth/login',
    who: 'public',
    input: (j) =>
      j.object({
        username: j.string().max(256).required(),
        password: shape.givenPassword(j).required(),
        device_token: j
          .string()
          .max(1_024)
          .allow(null)
          .description("Device token of an earlier login; null requests a first one. Default: the device's cookie"),
      }),
    answer: shape.login,
    cookie: { name: 'platform_device', path: '/api/auth', max_age_s: lifetime_ms / 1_000 },
    failures: ['invalid_credentials', 'rate_limited'],
    // People type their passwords there too; the audit trail names the account anyway.
    secrets: ['username', 'password', 'device_token'],
    audited: true,
  },
  'auth.refresh': {
    summary: 'Exchanges a refresh token, which is valid once, for new tokens.',
    subject: logins,
    method: 'POST',
    path: '/api/auth/refresh',
    who: 'public',
    input: (j) => j.object({ refresh_token: j.string().max(256).required() }),
    answer: shape.login,
    failures: ['invalid_token', 'refresh_token_reused'],
    audited: 'refused',
  },
  'auth.logout': {
    summary: 'Ends the login or the personal token of the request, and its streams.',
    subject: logins,
    method: 'POST',
    path: '/api/auth/logout',
    who: 'member',
    answer: (j) => j.object({ logged_out: j.boolean().required() }),
    scope: 'read',
  },
  'auth.me': {
    summary: 'Shows the calling member.',
    subject: logins,
    method: 'GET',
    path: '/api/auth/me',
    who: 'member',
    answer: shape.me,
    failures: ['member_not_found'],
  },
  'auth.password': {
    summary: 'Changes your password, revokes all your tokens and returns new ones.',
    subject: logins,
    method: 'POST',
    path: '/api/auth/password',
    who: 'member',
    input: (j) => j.object({ current_password: shape.givenPassword(j).required(), new_password: shape.password(j).required() }),
    answer: shape.login,
    failures: ['wrong_password', 'member_not_found', 'rate_limited'],
    audited: true,
  },
  'auth.ticket': {
    summary: "Creates a ticket, valid once and for 60 seconds, for requests that can't send headers.",
    subject: logins,
    method: 'POST',
    path: '/api/auth/ticket',
    who: 'member',
    answer: (j) => j.object({ ticket: j.string().required(), expires_in: j.number().integer().required().description('Seconds') }),
    failures: ['rate_limited'],
    scope: 'read',
  },
  'auth.rotate_key': {
    summary: 'Replaces the key that signs access tokens; tokens signed with the old one stay valid until they expire.',
    subject: logins,
    method: 'POST',
    path: '/api/admin/auth/rotate-key',
    who: 'admin',
    answer: (j) => j.object({ kid: j.string().required(), created_at: j.string().isoDate().required() }),
    audited: true,
  },
  'tokens.list': {
    summary: 'Lists your personal tokens, without their secrets.',
    subject: logins,
    method: 'GET',
    path: '/api/auth/tokens',
    who: 'member',
    answer: (j) => j.array().items(shape.personalToken(j)),
  },
  'tokens.create': {
    summary: 'Creates a personal token for scripts and command lines; its secret is shown only once.',
    subject: logins,
    method: 'POST',
    path: '/api/auth/tokens',
    who: 'member',
    input: (j) =>
      j.object({
        name: shape.name(j).required(),
        scopes: j.array().items(shape.scope(j)).min(1).max(3).description('Permitted uses. Default: all'),
        expires_at: j.string().max(40).allow(null).description('ISO 8601. Default: never'),
      }),
    answer: shape.createdToken,
    status: 201,
    failures: ['token_limit_reached'],
    audited: true,
  },
  'tokens.delete': {
    summary: 'Revokes one of your personal tokens and ends its streams.',
    subject: logins,
    method: 'DELETE',
    path: '/api/auth/tokens/{id}',
    who: 'member',
    input: (j) => j.object({ id: shape.id(j).required() }),
    failures: ['token_not_found'],
    audited: true,
  },
  'members.list': {
    summary: 'Lists people and AI employees by page.',
    method: 'GET',
    path: '/api/members',
    who: 'member',
    input: (j) =>
      j.object({
        page: j.number().integer().min(1).max(1_000_000).default(1),
        page_size: j.number().integer().min(1).max(200).default(20),
        keyword: shape.keyword(j).description('Part of a user name or nickname, in any case'),
        username: j.string().max(64).description('Full user name, in any case'),
        is_virtual: j.boolean().description('true: AI employees only; false: people only'),
        active: j.boolean().description('true: active members only; false: inactive ones only'),
      }),
    answer: (j) =>
      j.object({
        items: j.array().items(shape.member(j)).required(),
        total: j.number().integer().required(),
        page: j.number().integer().required(),
        page_size: j.number().integer().required(),
      }),
    tool: true,
  },
  'members.get': {
    summary: 'Shows one member.',
    method: 'GET',
    path: '/api/members/{id}',
    who: 'member',
    input: (j) => j.object({ id: shape.id(j).required() }),
    answer: shape.member,
    failures: ['member_not_found'],
    tool: true,
  },
  'members.create': {
    summary: 'Adds a person, who takes a seat, or an AI employee, which takes none.',
    method: 'POST',
    path: '/api/members',
    who: 'admin',
    input: (j) =>
      j.object({
        username: shape.username(j).required(),
        nickname: shape.name(j).description('Default: the user name'),
        password: shape.password(j).description('Required for people; AI employees have none'),
        role: shape.role(j).default('member'),
        is_virtual: j.boolean().default(false).description('Whether it is an AI employee'),
        remote_node_id: shape.id(j).allow(null).description('Node on which an AI employee works'),
      }),
    answer: shape.member,
    status: 201,
    failures: ['username_taken', 'seat_limit_reached', 'rate_limited'],
    audited: true,
    idempotent: 'data',
  },
  'members.update': {
    summary: 'Changes a member; omitted fields stay. Another role, and active: false, end its logins and tokens; the latter also its work.',
    method: 'PUT',
    path: '/api/members/{id}',
    who: 'admin',
    input: (j) =>
      j.object({
        id: shape.id(j).required(),
        nickname: shape.name(j),
        role: shape.role(j),
        remote_node_id: shape.id(j).allow(null).description('Node on which an AI employee works'),
        active: j.boolean().description('false: keeps its data and name, takes no seat, cannot log in; everything running for it ends'),
      }),
    answer: shape.member,
    failures: ['member_not_found', 'last_admin', 'seat_limit_reached'],
    audited: true,
    tool: true,
  },
  'members.delete': {
    summary: 'Deletes a member with its chat sessions and work; this cannot be undone.',
    method: 'DELETE',
    path: '/api/members/{id}',
    who: 'admin',
    input: (j) => j.object({ id: shape.id(j).required() }),
    failures: ['member_not_found', 'last_admin'],
    dangerous: true,
    audited: true,
  },
  'members.reset_password': {
    summary: "Sets a person's password and revokes all their tokens.",
    method: 'POST',
    path: '/api/members/{id}/reset-password',
    who: 'admin',
    input: (j) => j.object({ id: shape.id(j).required(), new_password: shape.password(j).required() }),
    answer: (j) => j.object({ id: shape.id(j).required(), reset: j.boolean().valid(true).required() }),
    failures: ['member_not_found', 'member_is_virtual', 'rate_limited'],
    dangerous: true,
    audited: true,
  },
  'members.seats': {
    summary: 'Shows the number of seats and how many are taken.',
    method: 'GET',
    path: '/api/members/seats',
    who: 'member',
    answer: (j) =>
      j.object({
        used: j.number().integer().required(),
        limit: j.number().integer().required().description('0: unlimited'),
        ai_employees: j.number().integer().required(),
      }),
    tool: true,
  },
  'members.settings': {
    summary: 'Shows your language, time zone and theme; null means unset.',
    method: 'GET',
    path: '/api/members/me/settings',
    who: 'member',
    answer: shape.settings,
  },
  'members.set_settings': {
    summary: 'Changes your language, time zone or theme; omitted ones stay, null removes one.',
    method: 'PUT',
    path: '/api/members/me/settings',
    who: 'member',
    input: (j) =>
      j.object({
        language: j.string().max(64).allow(null).description('Language tag (BCP 47), such as en or zh-CN'),
        zone: j.string().max(64).allow(null).description('Name from the time zone database, such as Europe/Berlin'),
        theme: shape.theme(j).allow(null),
      }),
    answer: shape.settings,
    failures: ['member_not_found'],
  },
  'members.list_virtual': {
    summary: 'Lists the AI employees and their current status.',
    method: 'GET',
    path: '/api/members/virtual',
    who: 'member',
    answer: (j) => j.array().items(shape.virtualMember(j)),
    tool: true,
  },
  'members.create_virtual': {
    summary: 'Adds an AI employee; its user name is derived from its name.',
    method: 'POST',
    path: '/api/members/virtual',
    who: 'admin',
    input: (j) =>
      j.object({
        name: shape.name(j).required(),
        post: shape.post(j).default('').description('Job title'),
        mode: shape
          .mode(j)
          .default('assistant')
          .description('assistant: read-only tools run, others ask; supervised: all ask; autonomous: only dangerous ones ask'),
      }),
    answer: shape.virtualMember,
    status: 201,
    audited: true,
    idempotent: 'data',
    tool: true,
  },
} satisfies Operations<MembersApi>;
