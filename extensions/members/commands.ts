import type { CommandHint } from '../../kernel/contract/index.js';

const memberColumns = ['id', 'username', 'nickname', 'role', 'is_virtual', 'active', 'created_at'];
const wholeColumns = [...memberColumns, 'email'];
const invitationColumns = ['id', 'email', 'role', 'room_ids', 'invited_by', 'created_at', 'expires_at'];
const settingsColumns = ['language', 'zone', 'theme'];
const sessionColumns = ['id', 'kind', 'device', 'address', 'created_at', 'last_used_at', 'current'];
const employeeColumns = ['id', 'username', 'name', 'post', 'mode', 'status'];

/** Command line form of the operations. */
export const commands: readonly CommandHint[] = [
  { operation: 'members.list', command: 'member list', columns: memberColumns, example: 'platform member list --keyword ada' },
  { operation: 'members.get', refers: { id: 'member' }, command: 'member get', arguments: ['id'], columns: wholeColumns },
  {
    operation: 'members.create',
    refers: { remote_node_id: 'node' },
    command: 'member create',
    arguments: ['username'],
    secrets: ['password'],
    columns: wholeColumns,
    example: 'platform member create ada --nickname "Ada Lovelace"',
  },
  {
    operation: 'members.update',
    refers: { id: 'member', remote_node_id: 'node' },
    command: 'member update',
    arguments: ['id'],
    columns: wholeColumns,
    example: 'platform member update 7 --role admin',
  },
  {
    operation: 'members.delete',
    refers: { id: 'member' },
    command: 'member delete',
    arguments: ['id'],
    confirm: 'Delete {id} with its chat sessions and work? This cannot be undone.',
  },
  {
    operation: 'members.reset_password',
    refers: { id: 'member' },
    command: 'member reset-password',
    arguments: ['id'],
    secrets: ['new_password'],
    confirm: 'Set a new password for {id} and revoke all its tokens?',
  },
  { operation: 'invitations.list', command: 'invitation list', columns: invitationColumns },
  { operation: 'invitations.get', command: 'invitation get', arguments: ['id'], columns: invitationColumns },
  {
    operation: 'invitations.create',
    refers: { room_ids: 'session' },
    command: 'invitation create',
    columns: ['id', 'email', 'role', 'expires_at', 'mailed', 'link'],
    example: 'platform invitation create --email grace@example.com',
  },
  {
    operation: 'invitations.delete',
    command: 'invitation delete',
    arguments: ['id'],
    confirm: 'Withdraw the invitation {id}? Its link stops working.',
  },
  { operation: 'members.seats', command: 'member seats', columns: ['used', 'limit', 'ai_employees'] },
  {
    operation: 'auth.set_email',
    command: 'member set-email',
    arguments: ['email'],
    secrets: ['password'],
    columns: ['id', 'username', 'nickname', 'email'],
    example: 'platform member set-email ada@example.com',
  },
  { operation: 'members.settings', command: 'member settings', columns: settingsColumns },
  {
    operation: 'members.set_settings',
    command: 'member set-settings',
    columns: settingsColumns,
    example: 'platform member set-settings --zone Europe/Berlin',
  },
  { operation: 'members.list_virtual', command: 'employee list', columns: employeeColumns },
  {
    operation: 'members.create_virtual',
    command: 'employee create',
    arguments: ['name'],
    columns: employeeColumns,
    example: 'platform employee create "Ada" --post "Research assistant" --mode assistant',
  },
  { operation: 'auth.sessions', command: 'session list', columns: sessionColumns },
  {
    operation: 'auth.end_session',
    command: 'session end',
    arguments: ['id'],
    confirm: 'End the session {id}? Whatever uses it stops working.',
    example: 'platform session end IfLlc5J4x-usP4L7lUBz6g',
  },
  {
    operation: 'auth.end_sessions',
    command: 'session end-all',
    confirm: 'End all your sessions? Browsers and command lines have to log in again.',
    columns: ['ended'],
    example: 'platform session end-all --keep-current',
  },
  { operation: 'tokens.list', command: 'token list', columns: ['id', 'name', 'scopes', 'created_at', 'expires_at', 'last_used_at'] },
  {
    operation: 'tokens.create',
    command: 'token create',
    arguments: ['name'],
    columns: ['id', 'name', 'scopes', 'expires_at', 'token'],
    example: 'platform token create backup --scopes read --expires-at 2030-01-01',
  },
  {
    operation: 'tokens.delete',
    refers: { id: 'token' },
    command: 'token revoke',
    arguments: ['id'],
    confirm: 'Revoke {id}? Whatever uses it stops working.',
  },
  { operation: 'auth.rotate_key', command: 'auth rotate-key', columns: ['kid', 'created_at'] },
];
