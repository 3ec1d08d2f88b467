import { emailAddress, type Joi, label } from '../../kernel/contract/index.js';

/** Largest id that both databases accept. */
const largest = 2_147_483_647;
const printable = /^\P{Cc}*$/u;

export const id = (j: Joi) => j.number().integer().min(1).max(largest);

export const name = (j: Joi) => label(j, 64);
export const keyword = (j: Joi) => j.string().trim().max(200).allow('').pattern(printable, 'one line of text');
export const post = (j: Joi) => label(j, 64).allow('');
export const username = (j: Joi) =>
  j
    .string()
    .trim()
    .pattern(/^[A-Za-z0-9._-]{2,64}$/, 'user name')
    .description('2 to 64 of A-Z a-z 0-9 . _ -, unique without case; not me, which means the calling member');
/** Schema of a new password. Its length is checked after normalisation: before that, a text may be longer. */
export const password = (j: Joi) =>
  j.string().min(8).max(1_024).pattern(printable, 'text without control characters').description('8 to 256 characters');
/** Schema of a password to compare: a wrong one of any length is wrong, not malformed. */
export const givenPassword = (j: Joi) => j.string().max(1_024);
export const email = (j: Joi) => j.string().trim().max(254).pattern(emailAddress, 'e-mail address');
export const role = (j: Joi) => j.string().valid('admin', 'member');
export const mode = (j: Joi) => j.string().valid('assistant', 'supervised', 'autonomous');
export const session = (j: Joi) =>
  j
    .string()
    .valid('cookie')
    .description('cookie: sets the refresh token as a cookie instead of returning it; only for pages of the platform');
export const scope = (j: Joi) => j.string().valid('read', 'chat', 'admin');
export const theme = (j: Joi) => j.string().valid('system', 'light', 'dark', 'contrast');
const time = (j: Joi) => j.string().isoDate();

const memberKeys = (j: Joi) => ({
  id: id(j).required(),
  username: j.string().required(),
  nickname: j.string().required(),
  role: role(j).required(),
  is_virtual: j.boolean().required(),
  active: j.boolean().required().description('Whether it may log in and takes a seat; an AI employee: whether it answers'),
  remote_node_id: id(j).allow(null).required(),
  created_at: time(j).required(),
});

const ownEmail = (j: Joi) => j.string().allow(null);

export const member = (j: Joi) =>
  j
    .object({ ...memberKeys(j), email: ownEmail(j).description('Left out for AI employees and plugins that ask; null for none') })
    .label('Member');

export const me = (j: Joi) =>
  j
    .object({
      ...memberKeys(j),
      email: ownEmail(j).required(),
      scopes: j.array().items(scope(j)).required(),
      first_password: j.boolean().valid(true).description('Present while the password is the one that the first start generated'),
    })
    .label('Me');

export const virtualMember = (j: Joi) =>
  j
    .object({
      ...memberKeys(j),
      name: j.string().required(),
      post: j.string().allow('').required(),
      mode: mode(j).required(),
      status: j.string().valid('idle', 'working', 'waiting', 'paused', 'offline').required(),
      skills: j.array().items(j.string()).required(),
      oversight: j.boolean().required().description('Whether administrators may read its conversations'),
    })
    .label('VirtualMember');

export const login = (j: Joi) =>
  j
    .object({
      access_token: j.string().required(),
      token_type: j.string().valid('bearer').required(),
      expires_in: j.number().integer().required().description('Seconds'),
      refresh_token: j.string().description('Absent if it is in a cookie'),
      device_token: j.string().description('Send it with the next login on this device'),
    })
    .label('Login');

export const settings = (j: Joi) =>
  j
    .object({
      language: j.string().allow(null).required(),
      zone: j.string().allow(null).required(),
      theme: theme(j).allow(null).required(),
    })
    .label('MemberSettings');

export const linkToken = (j: Joi) => j.string().max(100).description('Secret of the link');

const invitationKeys = (j: Joi) => ({
  id: id(j).required(),
  email: j.string().allow(null).required(),
  role: role(j).required(),
  room_ids: j.array().items(j.string()).required(),
  invited_by: id(j).required().description('Member who created it'),
  created_at: time(j).required(),
  expires_at: time(j).required(),
});

export const invitation = (j: Joi) => j.object(invitationKeys(j)).label('Invitation');

export const createdInvitation = (j: Joi) =>
  j
    .object({
      ...invitationKeys(j),
      token: j.string().required(),
      link: j.string().required().description('Shown only once. A path if no public address is configured'),
      mailed: j.boolean().required().description('Whether the mail server accepted the mail with the link'),
      mail_error: j.string().allow(null).required().description('Reason why the mail could not be sent'),
    })
    .label('CreatedInvitation');

export const openedInvitation = (j: Joi) =>
  j
    .object({
      email: j.string().allow(null).required(),
      role: role(j).required(),
      invited_by: j.string().required().description('Nickname of the member who created it'),
      expires_at: time(j).required(),
    })
    .label('OpenedInvitation');

export const sessionId = (j: Joi) => j.string().pattern(/^[\w-]{1,64}$/, 'id of a session');

export const listedSession = (j: Joi) =>
  j
    .object({
      id: j.string().required().description('token-<id> for a personal token'),
      kind: j
        .string()
        .valid('browser', 'command_line', 'token')
        .required()
        .description('command_line: any login without the cookie of a browser; token: a personal token of no command line'),
      device: j.string().allow('').required().description("Browser and system, or program; a personal token's name"),
      address: j.string().allow('').required().description('Network address of the last use'),
      created_at: time(j).required(),
      last_used_at: time(j).allow(null).required().description('Rounded to five minutes, of a personal token to one'),
      current: j.boolean().required().description('Whether it is the session of this request'),
    })
    .label('Session');

const tokenKeys = (j: Joi) => ({
  id: id(j).required(),
  name: j.string().required(),
  scopes: j.array().items(scope(j)).required(),
  created_at: time(j).required(),
  expires_at: time(j).allow(null).required(),
  last_used_at: time(j).allow(null).required(),
});

export const personalToken = (j: Joi) => j.object(tokenKeys(j)).label('PersonalToken');

export const createdToken = (j: Joi) => j.object({ ...tokenKeys(j), token: j.string().required() }).label('CreatedToken');
