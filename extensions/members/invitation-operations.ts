import type { Operations, Subject } from '../../kernel/contract/index.js';
import type { MembersApi } from './contract.js';
import * as shape from './shapes.js';

const invitations: Subject = {
  name: 'Invitations',
  description: 'Links by which people choose a user name and a password of their own. Each works once, for seven days.',
};

type InvitationApi = Pick<MembersApi, Extract<keyof MembersApi, `invitations.${string}` | `auth.${string}invitation`>>;

/** The operations on invitations. */
export const invitationOperations = {
  'invitations.list': {
    summary: 'Lists the invitations that nobody has accepted yet, without their links.',
    subject: invitations,
    method: 'GET',
    path: '/api/members/invitations',
    who: 'admin',
    audience: 'admin',
    answer: (j) => j.array().items(shape.invitation(j)),
  },
  'invitations.get': {
    summary: 'Shows one invitation, without its link.',
    subject: invitations,
    method: 'GET',
    path: '/api/members/invitations/{id}',
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object({ id: shape.id(j).required() }),
    answer: shape.invitation,
    failures: ['invitation_not_found'],
  },
  'invitations.create': {
    summary: 'Invites a person by a link that works once, for seven days; mails it if an address is given and a mail server is configured.',
    subject: invitations,
    method: 'POST',
    path: '/api/members/invitations',
    who: 'admin',
    audience: 'admin',
    input: (j) =>
      j.object({
        email: shape.email(j).allow(null).description('Address that the link is mailed to, and that the person gets'),
        role: shape.role(j).default('member'),
        room_ids: j
          .array()
          .items(j.string().guid().lowercase())
          .max(50)
          .unique()
          .description('Rooms that the person joins: open ones, and those that you own'),
      }),
    answer: shape.createdInvitation,
    status: 201,
    failures: ['email_taken', 'invitation_limit_reached'],
    audited: true,
  },
  'invitations.delete': {
    summary: 'Withdraws an invitation; its link stops working.',
    subject: invitations,
    method: 'DELETE',
    path: '/api/members/invitations/{id}',
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object({ id: shape.id(j).required() }),
    failures: ['invitation_not_found'],
    audited: true,
  },
  'auth.invitation': {
    summary: 'Shows the invitation of a link.',
    subject: invitations,
    method: 'GET',
    path: '/api/auth/invitations/{token}',
    who: 'public',
    audience: 'caller',
    input: (j) => j.object({ token: shape.linkToken(j).required() }),
    answer: shape.openedInvitation,
    failures: ['invitation_not_found'],
    secrets: ['token'],
  },
  'auth.accept_invitation': {
    summary: 'Accepts the invitation of a link: adds you with a user name and a password of your own. Log in with them afterwards.',
    subject: invitations,
    method: 'POST',
    path: '/api/auth/invitations/{token}',
    who: 'public',
    audience: 'caller',
    input: (j) =>
      j.object({
        token: shape.linkToken(j).required(),
        username: shape.username(j).required(),
        nickname: shape.name(j).description('Default: the user name'),
        password: shape.password(j).required(),
      }),
    answer: shape.member,
    status: 201,
    failures: ['invitation_not_found', 'username_taken', 'seat_limit_reached', 'rate_limited'],
    secrets: ['token', 'password'],
    audited: true,
  },
} satisfies Operations<InvitationApi>;
