import type { Caller, Contract, Door, Role, Scope } from '../../kernel/contract/index.js';

/** Who an extension or a client means by `members`: `ctx.use<Members>('members')`. */
export interface Members extends Contract {
  id: 'members';
  api: MembersApi;
  service: MembersService;
  events: MembersEvents;
}

/** A person or an AI employee. */
export interface Member {
  id: number;
  /** 2 to 64 of `[A-Za-z0-9._-]`, unique without case; never changes. */
  username: string;
  /** 1 to 64 characters. */
  nickname: string;
  /** Always `member` for an AI employee. */
  role: Role;
  /** True for an AI employee. */
  is_virtual: boolean;
  /** False for one that cannot log in and takes no seat; an AI employee that is not active answers nobody. */
  active: boolean;
  /** The node on which an AI employee works; null for people. */
  remote_node_id: number | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
}

/** `assistant`: read-only tools run, others ask. `supervised`: every tool call asks. `autonomous`: only the dangerous ask. */
export type Mode = 'assistant' | 'supervised' | 'autonomous';

export type Status = 'idle' | 'working' | 'waiting' | 'paused' | 'offline';

/** An AI employee. */
export interface VirtualMember extends Member {
  /** The same as `nickname`. */
  name: string;
  /** Job title, up to 64 characters; may be empty. */
  post: string;
  mode: Mode;
  /** `idle` where no extension contributes {@link VirtualDetails}. */
  status: Status;
  /** Names of the skills that it has now; empty where no extension contributes {@link VirtualDetails}. */
  skills: string[];
  /** Whether administrators may read its conversations; false where no extension contributes {@link VirtualDetails}. */
  oversight: boolean;
}

/** An AI employee as it is kept, without what it does now. */
export type Employee = Omit<VirtualMember, 'status' | 'skills' | 'oversight'>;

/**
 * The slot `members.virtual`: whoever runs AI employees tells here what they do now. The first
 * contribution counts; those that it doesn't know may be left out.
 */
export interface VirtualDetails {
  details(
    employees: readonly Pick<Member, 'id' | 'remote_node_id'>[],
  ): Promise<ReadonlyMap<number, Pick<VirtualMember, 'status' | 'skills' | 'oversight'>>>;
}

/**
 * The slot `members.leaving`: ends what is under way for a member, or by an AI employee, within 25 s: before the member is deleted, or
 * after it became inactive. If it fails, what is left is ended at `members.deleted` or `members.deactivated`.
 */
export type EndsWorkOf = (member_id: number, reason: 'member_deleted' | 'member_inactive') => Promise<void>;

/** What members takes of the event `nodes.deleted`. */
export interface NodeGone {
  id: number;
}

/** What members asks of the extension `nodes`, where there is one. */
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
  /** The whole user name, in any case. */
  username?: string;
  is_virtual?: boolean;
  active?: boolean;
}

/** Of members by their names, whatever these have of case and accents. */
export interface NameQuery {
  /** Part of a user name or nickname, in any case. Default: all. */
  keyword?: string;
  /** Ids of those who are left out. Default: none. */
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
  /** 8 to 256 characters; needed for people, ignored for AI employees. */
  password?: string;
  /** Default `member`. */
  role?: Role;
  /** Default false. */
  is_virtual?: boolean;
  /** Only for an AI employee; the node must exist. */
  remote_node_id?: number | null;
}

export interface MemberChange {
  nickname?: string;
  role?: Role;
  remote_node_id?: number | null;
  active?: boolean;
}

export interface NewVirtual {
  /** 1 to 64 characters; becomes the nickname, and a free user name is derived from it. */
  name: string;
  /** Default empty. */
  post?: string;
  /** Default `assistant`. */
  mode?: Mode;
}

export interface Seats {
  /** Active people. */
  used: number;
  /** 0: unlimited. */
  limit: number;
  ai_employees: number;
}

export interface LoginRequest {
  username: string;
  password: string;
  /** The device token of an earlier login; null to get a first one. Default: the device's cookie counts. */
  device_token?: string | null;
}

/** What a login or a refresh gives. */
export interface Login {
  /** A JWT for the header `Authorization: Bearer …`. */
  access_token: string;
  token_type: 'bearer';
  /** Seconds until the access token ends. */
  expires_in: number;
  /** Good for one refresh within 30 days; using it a second time ends the login. */
  refresh_token: string;
  /**
   * Shows at the next login that this device is known to the account, so that others' failed logins don't keep it out; opens nothing.
   * Given to whoever sent one, or null.
   */
  device_token?: string;
}

export interface PersonalToken {
  id: number;
  name: string;
  scopes: Scope[];
  created_at: string;
  /** Null: until it is revoked. */
  expires_at: string | null;
  /** To the minute; null where it was never used. */
  last_used_at: string | null;
}

/** Shown once. */
export interface CreatedToken extends PersonalToken {
  /** `plat_…` */
  token: string;
}

export interface NewToken {
  /** 1 to 64 characters. */
  name: string;
  /** Default: all that the member may. */
  scopes?: Scope[];
  /** ISO 8601, in the future; left out or null: until it is revoked. */
  expires_at?: string | null;
}

export interface Ticket {
  /** Good once, for `?ticket=`. */
  ticket: string;
  /** Seconds. */
  expires_in: number;
}

export type Theme = 'system' | 'light' | 'dark';

/** Settings that a member chose for itself; null if unset. */
export interface MemberSettings {
  /** A BCP 47 language tag in canonical form. At most 64 characters. */
  language: string | null;
  /** A name of the time zone database, links included. At most 64 characters. */
  zone: string | null;
  theme: Theme | null;
}

/** Operations: what goes in, what comes out. */
export type MembersApi = {
  'auth.login': { input: LoginRequest; answer: Login };
  'auth.refresh': { input: { refresh_token: string }; answer: Login };
  'auth.logout': { input: object; answer: { logged_out: boolean } };
  'auth.me': { input: object; answer: Member & { scopes: Scope[] } };
  'auth.password': { input: { current_password: string; new_password: string }; answer: Login };
  'auth.ticket': { input: object; answer: Ticket };
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
  'members.seats': { input: object; answer: Seats };
  'members.settings': { input: object; answer: MemberSettings };
  'members.set_settings': { input: Partial<MemberSettings>; answer: MemberSettings };
  'members.list_virtual': { input: object; answer: VirtualMember[] };
  'members.create_virtual': { input: NewVirtual; answer: VirtualMember };
};

export type MembersEvents = {
  'members.created': { id: number; is_virtual: boolean };
  /** Nickname, role, node, post, mode or `active` changed. */
  'members.changed': { id: number; is_virtual: boolean };
  /** The member became inactive: nothing begins or goes on for it from the commit on. */
  'members.deactivated': { id: number; is_virtual: boolean };
  /**
   * The row is gone when this is taken; whoever keeps something of the member removes it in the same
   * transaction, and ends what runs for it after the commit.
   */
  'members.deleted': { id: number; is_virtual: boolean };
};

/** For other extensions. Inside a transaction all of it joins in. */
export interface MembersService {
  /** The member, or undefined where there is none. */
  get(id: number): Promise<Member | undefined>;
  /** The member. Fails with `member_not_found`. */
  require(id: number): Promise<Member>;
  /** Those that exist of the given ids, by id; any number of ids. */
  byIds(ids: readonly number[]): Promise<Member[]>;
  /** Returns the members that have one of the user names, in any case, by id; at most 100 names. */
  named(usernames: readonly string[]): Promise<Member[]>;
  /** A page of all members, by id. */
  list(query: MemberQuery): Promise<MemberPage>;
  /** A page of members by name, without plugins' own members; its cost doesn't grow with their number, unless a keyword is looked for. */
  byName(query: NameQuery): Promise<Member[]>;
  /** Those of the ids in whose user name or nickname the keyword is; any number of ids. */
  matching(ids: readonly number[], keyword: string): Promise<ReadonlySet<number>>;
  /** The active administrator with the lowest id. There always is one. */
  defaultAdmin(): Promise<Member>;
  /** The member's own settings; all null if it has set none or doesn't exist. One read. */
  settingsOf(member_id: number): Promise<MemberSettings>;
  /** All active administrators, by id. */
  admins(): Promise<Member[]>;
  /** Makes an AI employee. No seat is used. */
  createVirtual(virtual: NewVirtual): Promise<VirtualMember>;
  /** All AI employees, or those of the given ids, by id. */
  virtuals(ids?: readonly number[]): Promise<VirtualMember[]>;
  /** The AI employee, or undefined where there is none with this id. Asks whoever knows what it does now. */
  virtual(id: number): Promise<VirtualMember | undefined>;
  /** The same without what it does now, by one read. */
  employee(id: number): Promise<Employee | undefined>;
  /** Changes an AI employee; what is left out stays. Fails with `member_not_found`, also for people. */
  updateVirtual(id: number, change: Partial<NewVirtual>): Promise<VirtualMember>;
  /** A caller who acts as that member with all that it may. Fails with `member_not_found`, also for an inactive one. */
  caller(member_id: number, door: Door): Promise<Caller>;
  /**
   * The generated password of the first administrator, for as long as it is in the file
   * `first-password` of the data folder: until it is shown on a terminal (whoever shows it removes
   * the file) or changed. Never log it.
   */
  firstPassword(): Promise<{ username: string; password: string } | undefined>;
}
