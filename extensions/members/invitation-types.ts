import type { Role } from '../../kernel/contract/index.js';

/** Invitation that waits for a person. */
export interface Invitation {
  id: number;
  /** Address that it was mailed to, and that the person gets; null for none. */
  email: string | null;
  role: Role;
  /** Rooms that the person joins. */
  room_ids: string[];
  /** Member who created it. It ends when this member is no longer an administrator. */
  invited_by: number;
  created_at: string;
  expires_at: string;
}

export interface NewInvitation {
  /** Not an address of a member. Default null. */
  email?: string | null;
  /** Default `member`. */
  role?: Role;
  /** Open rooms, and rooms that the caller owns; at most 50. Default none. */
  room_ids?: string[];
}

/** Created invitation, whose link is shown once. */
export interface CreatedInvitation extends Invitation {
  token: string;
  /** Address that opens it. A path if neither the platform's public address nor its port is configured. */
  link: string;
  /** Whether the mail server accepted the mail with the link. */
  mailed: boolean;
  /** Reason why the mail could not be sent, as a sentence; null if it was sent, or if there is no address or no mail server. */
  mail_error: string | null;
}

/** Invitation as the invited person sees it. */
export interface OpenedInvitation {
  email: string | null;
  role: Role;
  /** Nickname of the member who created it. */
  invited_by: string;
  expires_at: string;
}

export interface AcceptedInvitation {
  token: string;
  username: string;
  /** Default: the user name. */
  nickname?: string;
  /** 8 to 256 characters. */
  password: string;
}

/** Mail to one person, in plain text. */
export interface Mail {
  address: string;
  /** One line. */
  subject: string;
  text: string;
}

/**
 * Slot `members.mail`: sends a mail through the configured mail server, within 30 s. Contributed only if there is one. Rejects with an error
 * whose message people may read.
 */
export type SendMail = (mail: Mail) => Promise<void>;

/** Slot `members.rooms`: returns those of the rooms that a member may add people to. */
export type RoomsToInvite = (room_ids: readonly string[], member_id: number) => Promise<readonly string[]>;

/** Payload of `members.invited`. */
export interface InvitedMember {
  id: number;
  /** Rooms that the member joins. */
  room_ids: string[];
  /** Member who created the invitation. */
  invited_by: number;
}
