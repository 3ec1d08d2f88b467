import { type Database, Op, type Role, type RowOf, type Scope } from '../../kernel/contract/index.js';
import type { Mode, SessionKind, Theme } from './contract.js';
import type { OtherToken } from './refresh-tokens.js';

/** Reference to the owning member; the row is deleted with it. */
const ofMember = { references: { model: 'members_members', key: 'id' }, onDelete: 'CASCADE' };

/** People, AI employees, and the members of third-party plugins. */
function members(db: Database) {
  const { string, text, integer, boolean, time } = db.columns;
  const byCodePoint = { name: 'members_members_key', fields: [{ name: 'username_key', collate: 'C' }] };
  return db.define(
    'members',
    {
      id: integer({ primaryKey: true, autoIncrement: true }),
      username: string(64),
      /** User name in lower case. */
      username_key: string(64, { unique: true }),
      nickname: string(64),
      /** Both names in lower case, because SQLite's `LIKE` only folds ASCII. */
      search: text(),
      /** Null for members without a password: AI employees and plugins. */
      password_hash: string(255, { allowNull: true }),
      /** Whether the generated password of the first start is still valid. */
      first_password: boolean({ defaultValue: false }),
      role: string<Role>(16),
      is_virtual: boolean(),
      /** Incremented by each change that revokes the member's tokens. */
      version: integer({ defaultValue: 1 }),
      remote_node_id: integer({ allowNull: true }),
      post: string(64, { defaultValue: '' }),
      mode: string<Mode>(16, { defaultValue: 'assistant' }),
      created_at: time(),
      /** Plugin that owns the member; null for all others. */
      plugin: string(64, { allowNull: true }),
      /** Nickname without case and accents, for sorting; null until the extension has started once since it was introduced. */
      name_key: string(64, { allowNull: true }),
      active: boolean({ defaultValue: true }),
      email: string(254, { allowNull: true }),
      /** E-mail address in lower case, which may be longer. */
      email_key: string(510, { allowNull: true }),
    },
    {
      indexes: [
        { name: 'members_members_kind', fields: ['is_virtual', 'role', 'id'] },
        { name: 'members_members_of_kind', fields: ['is_virtual', 'id'] },
        { name: 'members_members_name', fields: ['name_key', 'id'] },
        { name: 'members_members_plugin', fields: ['plugin'], unique: true, where: { plugin: { [Op.ne]: null } } },
        { name: 'members_members_email', fields: ['email_key'], unique: true, where: { email_key: { [Op.ne]: null } } },
        ...(db.dialect === 'postgres' ? [byCodePoint] : []),
      ],
    },
  );
}

/** Logins, each with the refresh tokens that can be used. */
function logins(db: Database) {
  const { string, integer, json, time } = db.columns;
  return db.define(
    'logins',
    {
      id: string(32, { primaryKey: true }),
      member_id: integer(ofMember),
      /** Latest refresh token. */
      refresh_hash: string(64),
      /** Number of refreshes. */
      rotation: integer(),
      address: string(64),
      agent: string(200),
      created_at: time(),
      used_at: time(),
      expires_at: time(),
      /** Key that marks all its refresh tokens, so that a spent one is recognised without being stored; grants no access. */
      mark_key: string(64, { defaultValue: '' }),
      /** Generation of the latest refresh token. */
      generation: integer<number>({ defaultValue: 0 }),
      /** When the generation started; null for the first. */
      generation_at: time({ allowNull: true }),
      other_hashes: json<OtherToken[]>({ defaultValue: [] }),
      kind: string<SessionKind>(16, { defaultValue: 'command_line' }),
    },
    {
      indexes: [
        { name: 'members_logins_member', fields: ['member_id', 'used_at'] },
        { name: 'members_logins_expiry', fields: ['expires_at'] },
      ],
    },
  );
}

/** Personal access tokens. */
function tokens(db: Database) {
  const { string, integer, json, time } = db.columns;
  return db.define(
    'tokens',
    {
      id: integer({ primaryKey: true, autoIncrement: true }),
      member_id: integer(ofMember),
      hash: string(64, { unique: true }),
      name: string(64),
      scopes: json<Scope[]>(),
      created_at: time(),
      /** Null for one that does not expire. */
      expires_at: time({ allowNull: true }),
      last_used_at: time({ allowNull: true }),
      kind: string<SessionKind>(16, { defaultValue: 'token' }),
      /** Address of the last use; of the creation before the first one. */
      address: string<string>(64, { defaultValue: '' }),
    },
    { indexes: [{ name: 'members_tokens_member', fields: ['member_id', 'id'] }] },
  );
}

/** Tickets, each of which opens one WebSocket. */
function tickets(db: Database) {
  const { string, integer, json, time } = db.columns;
  return db.define(
    'tickets',
    {
      hash: string(64, { primaryKey: true }),
      member_id: integer(ofMember),
      /** Version of the member at creation. */
      version: integer(),
      /** Token or login that its creator authenticated with. */
      token_id: string(64),
      scopes: json<'all' | readonly Scope[]>(),
      /** Expiry of the token or login; null for none. */
      valid_until: time({ allowNull: true }),
      expires_at: time(),
    },
    {
      indexes: [
        { name: 'members_tickets_member', fields: ['member_id', 'token_id'] },
        { name: 'members_tickets_expiry', fields: ['expires_at'] },
      ],
    },
  );
}

/** Keys that sign access tokens, sealed with the platform's master key. */
function keys(db: Database) {
  const { string, text, time } = db.columns;
  return db.define('keys', {
    kid: string(32, { primaryKey: true }),
    sealed: text(),
    created_at: time(),
    /** Null while it is the signing key. */
    valid_until: time({ allowNull: true }),
  });
}

/** Failed logins, which limit further ones. */
function failures(db: Database) {
  const { string, integer, time } = db.columns;
  return db.define(
    'failures',
    {
      id: integer({ primaryKey: true, autoIncrement: true }),
      name_hash: string(64),
      address: string(64),
      failed_at: time(),
      network: string(64, { defaultValue: '' }),
      /** Known device it came from; empty for an unknown one. */
      device: string(64, { defaultValue: '' }),
    },
    {
      indexes: [
        { name: 'members_failures_name', fields: ['name_hash', 'failed_at'] },
        { name: 'members_failures_time', fields: ['failed_at'] },
        { name: 'members_failures_network', fields: ['network', 'failed_at'] },
      ],
    },
  );
}

/** Addresses of members' logins, with the time of the last one. */
function places(db: Database) {
  const { string, integer, time } = db.columns;
  return db.define(
    'places',
    {
      member_id: integer({ ...ofMember, primaryKey: true }),
      address: string(64, { primaryKey: true }),
      used_at: time(),
    },
    { indexes: [{ name: 'members_places_time', fields: ['used_at'] }] },
  );
}

/** Settings that members chose; a member without a row has none. */
function settings(db: Database) {
  const { string, integer } = db.columns;
  return db.define('settings', {
    member_id: integer({ ...ofMember, primaryKey: true }),
    language: string(64, { allowNull: true }),
    zone: string(64, { allowNull: true }),
    theme: string<Theme>(16, { allowNull: true }),
  });
}

/** Invitations that nobody has accepted yet. */
function invitations(db: Database) {
  const { string, integer, json, time } = db.columns;
  return db.define(
    'invitations',
    {
      id: integer({ primaryKey: true, autoIncrement: true }),
      token_hash: string(64, { unique: true }),
      email: string(254, { allowNull: true }),
      role: string<Role>(16),
      room_ids: json<string[]>(),
      invited_by: integer(ofMember),
      created_at: time(),
      expires_at: time(),
    },
    {
      indexes: [
        { name: 'members_invitations_inviter', fields: ['invited_by'] },
        { name: 'members_invitations_expiry', fields: ['expires_at'] },
      ],
    },
  );
}

/** Links that replace forgotten passwords. */
function resets(db: Database) {
  const { string, integer, time } = db.columns;
  return db.define(
    'resets',
    {
      token_hash: string(64, { primaryKey: true }),
      member_id: integer(ofMember),
      /** Version of the member at creation: a link ends when the password or the rights change. */
      version: integer(),
      expires_at: time(),
    },
    {
      indexes: [
        { name: 'members_resets_member', fields: ['member_id', 'expires_at'] },
        { name: 'members_resets_expiry', fields: ['expires_at'] },
      ],
    },
  );
}

/** Logins of programs that a person confirms in a browser. */
function deviceCodes(db: Database) {
  const { string, integer, time } = db.columns;
  return db.define(
    'device_codes',
    {
      device_hash: string(64, { primaryKey: true }),
      user_hash: string(64, { unique: true }),
      /** Name of the machine, by the program. */
      name: string(64),
      address: string(64),
      network: string(64),
      state: string<'pending' | 'approved' | 'denied'>(16),
      /** Member who approved it. */
      member_id: integer({ references: ofMember.references, onDelete: ofMember.onDelete, allowNull: true }),
      /** Version of the member at the approval. */
      version: integer({ allowNull: true }),
      interval_s: integer(),
      polled_at: time({ allowNull: true }),
      created_at: time(),
      expires_at: time(),
    },
    {
      indexes: [
        { name: 'members_device_codes_network', fields: ['network', 'expires_at'] },
        { name: 'members_device_codes_member', fields: ['member_id'] },
        { name: 'members_device_codes_expiry', fields: ['expires_at'] },
      ],
    },
  );
}

/** Tables of this extension. */
export const defineModels = (db: Database) => ({
  members: members(db),
  logins: logins(db),
  tokens: tokens(db),
  tickets: tickets(db),
  keys: keys(db),
  failures: failures(db),
  places: places(db),
  settings: settings(db),
  invitations: invitations(db),
  resets: resets(db),
  device_codes: deviceCodes(db),
});

export type Models = ReturnType<typeof defineModels>;

export type MemberRow = RowOf<Models['members']>;
export type LoginRow = RowOf<Models['logins']>;
export type TokenRow = RowOf<Models['tokens']>;
export type TicketRow = RowOf<Models['tickets']>;
export type DeviceCodeRow = RowOf<Models['device_codes']>;
export type ResetRow = RowOf<Models['resets']>;
export type InvitationRow = RowOf<Models['invitations']>;
export type FailureRow = RowOf<Models['failures']>;
