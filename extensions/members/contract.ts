import type { Caller, Contract, Door, Role, Scope } from '../../kernel/contract/index.js';
import type {
  AcceptedInvitation,
  CreatedInvitation,
  Invitation,
  InvitedMember,
  NewInvitation,
  OpenedInvitation,
} from './invitation-types.js';

export type * from './invitation-types.js';

/** Contract of the extension `members`: `ctx.use<Members>('members')`. */
export interface Members extends Contract {
  id: 'members';
  api: MembersApi;
  service: MembersService;
  events: MembersEvents;
}

/** Person or AI employee. */
export interface Member {
  id: number;
  /** 2 to 64 of `[A-Za-z0-9._-]`, unique regardless of case; never changes. */
  username: string;
  /** 1 to 64 characters. */
  nickname: string;
  /** Always `member` for an AI employee. */
  role: Role;
  /** True for an AI employee. */
  is_virtual: boolean;
  /** False for a member that cannot log in and takes no seat; an inactive AI employee answers nobody. */
  active: boolean;
  /** Node on which an AI employee works; null for people. */
  remote_node_id: number | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** E-mail address, unique regardless of case; null for none. Left out for AI employees and plugins, and in the service. */
  email?: string | null;
}

/**
 * When tool calls need approval. `assistant`: read-only tools run, others ask. `supervised`: every call asks.
 * `autonomous`: only dangerous ones ask.
 */
export type Mode = 'assistant' | 'supervised' | 'autonomous';

export type Status = 'idle' | 'working' | 'waiting' | 'paused' | 'offline';

/** AI employee. */
export interface VirtualMember extends Omit<Member, 'email'> {
  /** Same as `nickname`. */
  name: string;
  /** Job title, up to 64 characters; may be empty. */
  post: string;
  mode: Mode;
  /** `idle` if no extension contributes {@link VirtualDetails}. */
  status: Status;
  /** Names of its current skills; empty if no extension contributes {@link VirtualDetails}. */
  skills: string[];
  /** Whether administrators may read its conversations; false if no extension contributes {@link VirtualDetails}. */
  oversight: boolean;
}

/** AI employee as stored, without its current activity. */
export type Employee = Omit<VirtualMember, 'status' | 'skills' | 'oversight'>;

/**
 * Slot `members.virtual`: the extension that runs AI employees reports their current activity. The first contribution
 * is used; unknown employees may be omitted.
 */
export interface VirtualDetails {
  details(
    employees: readonly Pick<Member, 'id' | 'remote_node_id'>[],
  ): Promise<ReadonlyMap<number, Pick<VirtualMember, 'status' | 'skills' | 'oversight'>>>;
}

/**
 * Slot `members.leaving`: ends running work for a member, or by an AI employee, within 25 s: before the member is
 * deleted, after it was deactivated, or before and after it loses the role of administrator. If it fails, the rest is ended at `members.deleted` or `members.deactivated`.
 */
export type EndsWorkOf = (member_id: number, reason: 'member_deleted' | 'member_inactive' | 'member_demoted') => Promise<void>;

/** Part of the event `nodes.deleted` that members uses. */
export interface NodeGone {
  id: number;
}

/** Part of the extension `nodes` that members uses, if it is active. */
export interface NodeDirectory extends Contract {
  id: 'nodes';
  service: { exists(id: number): Promise<boolean> };
}

export interface MemberQuery {
  /** From 1. Default 1. */
  page?: number;
  /** 1 to 200. Default 20. */
  page_size?: number;
  /** Part of a user name or nickname, in any case. */
  keyword?: string;
  /** Full user name, in any case. */
  username?: string;
  is_virtual?: boolean;
  active?: boolean;
}

/** Query of members sorted by name, ignoring case and accents. */
export interface NameQuery {
  /** Part of a user name or nickname, in any case. Default: all. */
  keyword?: string;
  /** Ids to exclude. Default: none. */
  except?: readonly number[];
  limit: number;
  offset: number;
}

export interface MemberPage {
  items: Member[];
  total: number;
  page: number;
  page_size: number;
}

export interface NewMember {
  username: string;
  /** Default: the user name. */
  nickname?: string;
  /** 8 to 256 characters; required for people, ignored for AI employees. */
  password?: string;
  /** Default `member`. */
  role?: Role;
  /** Default false. */
  is_virtual?: boolean;
  /** Only for AI employees; the node must exist. */
  remote_node_id?: number | null;
  /** Only for people. Default null. */
  email?: string | null;
}

export interface MemberChange {
  nickname?: string;
  role?: Role;
  remote_node_id?: number | null;
  active?: boolean;
  /** Only for people; null removes it. */
  email?: string | null;
}

export interface NewVirtual {
  /** 1 to 64 characters; becomes the nickname, and an unused user name is derived from it. */
  name: string;
  /** Default empty. */
  post?: string;
  /** Default `assistant`. */
  mode?: Mode;
}

export interface Seats {
  /** Active people. */
  used: number;
  /** 0 means unlimited. */
  limit: number;
  ai_employees: number;
}

export interface LoginRequest {
  username: string;
  password: string;
  /** Device token of an earlier login; null requests a first one. Default: the device's cookie. */
  device_token?: string | null;
  /** `cookie`: sets the refresh token as a cookie instead of returning it; only for pages of the platform. */
  session?: 'cookie';
}

/** Result of a login or a refresh. */
export interface Login {
  /** JWT for the header `Authorization: Bearer …`. */
  access_token: string;
  token_type: 'bearer';
  /** Seconds until the access token expires. */
  expires_in: number;
  /**
   * Valid for one refresh within 30 days. If its answer was lost, it can be used again until the new one was used, and for
   * 30 s after that. Using an older one ends the login. Absent if it is in a cookie.
   */
  refresh_token?: string;
  /**
   * Identifies this device as known to the account at the next login, so that other people's failed logins don't lock
   * it out; grants no access. Returned if the request had a device token or null.
   */
  device_token?: string;
}

/** `command_line`: any login without the cookie of a browser, and the token that `platform login` stores. `token`: other personal tokens. */
export type SessionKind = 'browser' | 'command_line' | 'token';

/** A member's login, or one of its personal tokens. */
export interface Session {
  /** `token-<id>` for a personal token. */
  id: string;
  kind: SessionKind;
  /** Browser and system, or program; a personal token's name. May be empty. */
  device: string;
  /** Network address of the last use. Empty if unknown. */
  address: string;
  created_at: string;
  /** Rounded to five minutes, of a personal token to one; null if never used. */
  last_used_at: string | null;
  /** Whether the request was authenticated by it. */
  current: boolean;
}

export interface PersonalToken {
  id: number;
  name: string;
  scopes: Scope[];
  created_at: string;
  /** Null if it doesn't expire. */
  expires_at: string | null;
  /** Rounded to the minute; null if never used. */
  last_used_at: string | null;
}

/** Created token, whose secret is shown once. */
export interface CreatedToken extends PersonalToken {
  /** Secret, beginning with `plat_`. */
  token: string;
}

export interface NewToken {
  /** 1 to 64 characters. */
  name: string;
  /** Default: all scopes. */
  scopes?: Scope[];
  /** ISO 8601, in the future; if omitted or null, it doesn't expire. */
  expires_at?: string | null;
}

export interface Ticket {
  /** Valid once, for `?ticket=`. */
  ticket: string;
  /** Seconds. */
  expires_in: number;
}

export type Theme = 'system' | 'light' | 'dark' | 'contrast';

/** Settings that a member chose; null if unset. */
export interface MemberSettings {
  /** BCP 47 language tag in canonical form. At most 64 characters. */
  language: string | null;
  /** Name from the time zone database, links included. At most 64 characters. */
  zone: string | null;
  theme: Theme | null;
}

/** Program on another machine that waits to be logged in. */
export interface DeviceLogin {
  /** Name of the machine, as the program gave it. */
  name: string;
  /** Network address of the program. */
  address: string;
  created_at: string;
  expires_at: string;
}

/** Calling member. */
export interface Me extends Omit<Member, 'email'> {
  email: string | null;
  scopes: Scope[];
  /** Present while the password is the one that the first start generated. */
  first_password?: true;
}

/** Operations with their inputs and answers. */
export type MembersApi = {
  'auth.login': { input: LoginRequest; answer: Login };
  'auth.refresh': { input: { refresh_token?: string }; answer: Login };
  'auth.logout': { input: object; answer: { logged_out: boolean } };
  'auth.me': { input: object; answer: Me };
  'auth.password': { input: { current_password: string; new_password: string; session?: 'cookie' }; answer: Login };
  'auth.set_email': { input: { email: string | null; password: string }; answer: Me };
  'auth.methods': { input: object; answer: { password_reset: boolean } };
  'auth.forgot_password': { input: { username: string }; answer: { requested: true } };
  'auth.reset_password': { input: { token: string; new_password: string }; answer: { username: string } };
  'auth.device': { input: { user_code: string }; answer: DeviceLogin };
  'auth.confirm_device': {
    input: { user_code: string; decision: 'approve' | 'deny' };
    answer: DeviceLogin & { decision: 'approve' | 'deny' };
  };
  'auth.ticket': { input: object; answer: Ticket };
  'auth.sessions': { input: object; answer: Session[] };
  'auth.end_session': { input: { id: string }; answer: undefined };
  'auth.end_sessions': { input: { keep_current?: boolean }; answer: { ended: number } };
  'auth.rotate_key': { input: object; answer: { kid: string; created_at: string } };
  'tokens.list': { input: object; answer: PersonalToken[] };
  'tokens.create': { input: NewToken; answer: CreatedToken };
  'tokens.delete': { input: { id: number }; answer: undefined };
  'members.list': { input: MemberQuery; answer: MemberPage };
  'members.get': { input: { id: number }; answer: Member };
  'members.create': { input: NewMember; answer: Member };
  'members.update': { input: MemberChange & { id: number }; answer: Member };
  'members.delete': { input: { id: number }; answer: undefined };
  'members.reset_password': { input: { id: number; new_password: string }; answer: { id: number; reset: true } };
  'invitations.list': { input: object; answer: Invitation[] };
  'invitations.get': { input: { id: number }; answer: Invitation };
  'invitations.create': { input: NewInvitation; answer: CreatedInvitation };
  'invitations.delete': { input: { id: number }; answer: undefined };
  'auth.invitation': { input: { token: string }; answer: OpenedInvitation };
  'auth.accept_invitation': { input: AcceptedInvitation; answer: Member };
  'members.seats': { input: object; answer: Seats };
  'members.settings': { input: object; answer: MemberSettings };
  'members.set_settings': { input: Partial<MemberSettings>; answer: MemberSettings };
  'members.list_virtual': { input: object; answer: VirtualMember[] };
  'members.create_virtual': { input: NewVirtual; answer: VirtualMember };
};

export type MembersEvents = {
  'members.created': { id: number; is_virtual: boolean };
  /** Nickname, role, node, post, mode, e-mail address or `active` changed. */
  'members.changed': { id: number; is_virtual: boolean };
  /** A person accepted an invitation to rooms; after `members.created`. */
  'members.invited': InvitedMember;
  /** The member became inactive: nothing starts or continues for it after the commit. */
  'members.deactivated': { id: number; is_virtual: boolean };
  /**
   * The member was deleted. Handlers delete their data of the member in the same transaction, and end its running work
   * after the commit.
   */
  'members.deleted': { id: number; is_virtual: boolean };
};

/** Service for other extensions. Within a transaction, all calls join it. */
export interface MembersService {
  /** Returns the member; undefined if there is none. */
  get(id: number): Promise<Member | undefined>;
  /** Returns the member. Fails with `member_not_found`. */
  require(id: number): Promise<Member>;
  /** Returns those of the ids that exist, by id; any number of ids. */
  byIds(ids: readonly number[]): Promise<Member[]>;
  /** Returns the members with one of the user names, in any case, by id; at most 100 names. */
  named(usernames: readonly string[]): Promise<Member[]>;
  /** Returns a page of all members, by id. */
  list(query: MemberQuery): Promise<MemberPage>;
  /** Returns a page of members by name, without plugins' members. The cost doesn't grow with their number unless a keyword is given. */
  byName(query: NameQuery): Promise<Member[]>;
  /** Returns those of the ids whose user name or nickname contains the keyword; any number of ids. */
  matching(ids: readonly number[], keyword: string): Promise<ReadonlySet<number>>;
  /** Returns the active administrator with the lowest id. There always is one. */
  defaultAdmin(): Promise<Member>;
  /** Returns the member's settings; all null if it set none or doesn't exist. One read. */
  settingsOf(member_id: number): Promise<MemberSettings>;
  /** Returns all active administrators, by id. */
  admins(): Promise<Member[]>;
  /**
   * Creates a person who is inactive and has no password, for an import: takes no seat, cannot log in, is no administrator. The user name is
   * made allowed and unused.
   */
  createInactive(person: { username: string; nickname: string }): Promise<Member>;
  /** Creates an AI employee. It takes no seat. */
  createVirtual(virtual: NewVirtual): Promise<VirtualMember>;
  /** Returns all AI employees, or those of the ids, by id. */
  virtuals(ids?: readonly number[]): Promise<VirtualMember[]>;
  /** Returns the AI employee with its current activity; undefined if there is none with this id. */
  virtual(id: number): Promise<VirtualMember | undefined>;
  /** Returns the AI employee without its current activity, in one read. */
  employee(id: number): Promise<Employee | undefined>;
  /** Changes an AI employee; omitted fields stay. Fails with `member_not_found`, also for people. */
  updateVirtual(id: number, change: Partial<NewVirtual>): Promise<VirtualMember>;
  /** Returns a caller that acts as the member with all its permissions. Fails with `member_not_found`, also for an inactive one. */
  caller(member_id: number, door: Door): Promise<Caller>;
  /**
   * Returns the generated password of the first administrator while the file `first-password` exists in the data
   * folder: until it is shown on a terminal (the code that shows it removes the file) or changed. Never log it.
   */
  firstPassword(): Promise<{ username: string; password: string } | undefined>;
}
