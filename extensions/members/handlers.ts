import type { Handlers } from '../../kernel/contract/index.js';
import type { MembersApi } from './contract.js';
import type { SigningKeys } from './keys.js';
import type { Logins } from './logins.js';
import type { MemberSettingsService } from './member-settings.js';
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
}

/** Maps each operation to its function. */
export function handlersOf({ logins, sessions, tickets, tokens, keys, rules, virtuals, settings }: Parts): Handlers<MembersApi> {
  return {
    'auth.login': (input, call) => logins.login(input, call),
    'auth.refresh': (input, call) => logins.refresh(input, call),
    'auth.logout': (_, { caller, cookies }) => logins.logout(caller, cookies),
    'auth.me': (_, { caller }) => logins.me(caller),
    'auth.password': (input, call) => logins.changePassword(input, call),
    'auth.ticket': (_, { caller }) => tickets.create(caller),
    'auth.sessions': (_, { caller }) => sessions.list(caller),
    'auth.end_session': ({ id }, { caller }) => sessions.end(id, caller),
    'auth.end_sessions': (input, { caller }) => sessions.endAll(input, caller),
    'auth.rotate_key': () => keys.rotate(),
    'tokens.list': (_, { caller }) => tokens.list(caller),
    'tokens.create': (input, call) => tokens.create(input, call),
    'tokens.delete': ({ id }, { caller }) => tokens.delete(id, caller),
    'members.list': (input) => rules.list(input),
    'members.get': ({ id }) => rules.require(id),
    'members.create': (input) => rules.create(input),
    'members.update': ({ id, ...change }) => rules.update(id, change),
    'members.delete': ({ id }) => rules.delete(id),
    'members.reset_password': ({ id, new_password }) => rules.resetPassword(id, new_password),
    'members.seats': () => rules.seats(),
    'members.settings': (_, { caller }) => settings.of(caller.member_id),
    'members.set_settings': (input, { caller }) => settings.change(caller.member_id, input),
    'members.list_virtual': () => virtuals.list(),
    'members.create_virtual': (input) => virtuals.create(input),
  };
}
