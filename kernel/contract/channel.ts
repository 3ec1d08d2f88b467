/** One setting that a member has for a channel. */
export interface ChannelField {
  /** `^[a-z][a-z0-9_]{0,31}$` */
  name: string;
  /** As people read it; at most 64 characters. */
  label: string;
  /** Never shown again once it is set. Default false. */
  secret?: boolean;
  /** Default false. */
  required?: boolean;
  /** At most 500 characters. Default empty. */
  description?: string;
}

/** A way to reach members outside of the platform. */
export interface ChannelDescription {
  /** Lower case, at most 64 characters; a plugin's begins with `<its id>.`. */
  name: string;
  /** As people read it; at most 64 characters. */
  title: string;
  /** At most 20. */
  fields: readonly ChannelField[];
}

/** A notification as a channel delivers it to a member: plain text, already bounded. */
export interface ChannelNote {
  id: number;
  source: 'schedule' | 'ai_message' | 'system';
  /** More precise than the source, such as `mention`; the list grows. */
  kind: string;
  /** At most 200 characters. */
  title: string;
  /** At most 4,000 characters. */
  summary: string;
  /** ISO 8601. */
  created_at: string;
  /** An absolute link into the platform, where it is known. */
  url: string | null;
  /** The link as the API gives it: a path of the web app, or an address. */
  link: string | null;
}

export interface ChannelDelivery {
  /** By the fields' names; what isn't set is left out. A value has at most 2,000 characters. */
  settings: Readonly<Record<string, string>>;
  note: ChannelNote;
  /** Ends the delivery at once. */
  signal: AbortSignal;
}

/**
 * Resolves once the other side has accepted the note; a note may arrive twice, where its answer was lost. At most 30 s.
 *
 * A failure that is thrown is told to the member, so its message holds no secret and nothing of the other side's words.
 * One with a status below 500 is final; after others, and after a crash, it is tried again, no sooner than after its
 * `retry_after`.
 */
export type ChannelDeliver = (delivery: ChannelDelivery) => Promise<void>;
