import type { Handlers } from '../../kernel/contract/index.js';
import type { MembersApi } from './contract.js';
import type { DeviceLogins } from './device-logins.js';
import type { ForgottenPasswords } from './forgotten-passwords.js';
import type { Invitations } from './invitations.js';
import type { SigningKeys } from './keys.js';
import type { Logins } from './logins.js';
import type { MemberSettingsService } from './member-settings.js';
import type { OwnEmail } from './own-email.js';
import { forDoor } from './record.js';
import type { MemberRules } from './service.js';
import type { Sessions } from './sessions.js';
import type { Tickets } from './tickets.js';
import type { Tokens } from './tokens.js';
import type { VirtualMembers } from './virtual.js';

interface Parts {
  logins: Logins;
  sessions: Sessions;
  tickets: Tickets;
  tokens: Tokens;
  keys: SigningKeys;
  rules: MemberRules;
  virtuals: VirtualMembers;
  settings: MemberSettingsService;
  ownEmail: OwnEmail;
  invitations: Invitations;
  forgotten: ForgottenPasswords;
  devices: DeviceLogins;
}

/** Maps each operation to its function. */
export function handlersOf(parts: Parts): Handlers<MembersApi> {
  const { logins, sessions, tickets, tokens, keys, rules, virtuals, settings, ownEmail, invitations, forgotten, devices } = parts;
  return {
    'auth.login': (input, call) => logins.login(input, call),
    'auth.refresh': (input, call) => logins.refresh(input, call),
    'auth.logout': (_, { caller, cookies }) => logins.logout(caller, cookies),
    'auth.me': (_, { caller }) => logins.me(caller),
    'auth.password': (input, call) => logins.changePassword(input, call),
    'auth.set_email': (input, { caller }) => ownEmail.set(input, caller),
    'auth.methods': () => ({ password_reset: forgotten.isAvailable }),
    'auth.forgot_password': (input, { caller }) => forgotten.request(input, caller),
    'auth.reset_password': (input) => forgotten.reset(input),
    'auth.device': ({ user_code }, { caller }) => devices.show(user_code, caller),
    'auth.confirm_device': (input, { caller }) => devices.confirm(input, caller),
    'auth.ticket': (_, { caller }) => tickets.create(caller),
    'auth.sessions': (_, { caller }) => sessions.list(caller),
    'auth.end_session': ({ id }, { caller }) => sessions.end(id, caller),
    'auth.end_sessions': (input, { caller }) => sessions.endAll(input, caller),
    'auth.rotate_key': () => keys.rotate(),
    'tokens.list': (_, { caller }) => tokens.list(caller),
    'tokens.create': (input, call) => tokens.create(input, call),
    'tokens.delete': ({ id }, { caller }) => tokens.delete(id, caller),
    'members.list': async (input, { caller }) => {
      const page = await rules.list(input);
      return { ...page, items: page.items.map((member) => forDoor(member, caller)) };
    },
    'members.get': async ({ id }, { caller }) => forDoor(await rules.full(id), caller),
    'members.create': async (input, { caller }) => forDoor(await rules.create(input), caller),
    'members.update': async ({ id, ...change }, { caller }) => forDoor(await rules.update(id, change), caller),
    'members.delete': ({ id }) => rules.delete(id),
    'members.reset_password': ({ id, new_password }) => rules.resetPassword(id, new_password),
    'invitations.list': () => invitations.list(),
    'invitations.get': ({ id }) => invitations.get(id),
    'invitations.create': (input, call) => invitations.create(input, call),
    'invitations.delete': ({ id }) => invitations.delete(id),
    'auth.invitation': ({ token }) => invitations.open(token),
    'auth.accept_invitation': (input) => invitations.accept(input),
    'members.seats': () => rules.seats(),
    'members.settings': (_, { caller }) => settings.of(caller.member_id),
    'members.set_settings': (input, { caller }) => settings.change(caller.member_id, input),
    'members.list_virtual': () => virtuals.list(),
    'members.create_virtual': (input) => virtuals.create(input),
  };
}
