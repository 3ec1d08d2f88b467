/** One setting that a member has for a channel. */
export interface ChannelField {
  /** `^[a-z][a-z0-9_]{0,31}$` */
  name: string;
  /** Name for people, at most 64 characters. */
  label: string;
  /** Whether its value is never shown after it was set. Default false. */
  secret?: boolean;
  /** Default false. */
  required?: boolean;
  /** At most 500 characters. Default empty. */
  description?: string;
}

/** A channel: a way to reach members outside of the platform. */
export interface ChannelDescription {
  /** Id in lower case, at most 64 characters; a plugin's begins with `<its id>.`. */
  name: string;
  /** Name for people, at most 64 characters. */
  title: string;
  /** Settings that a member makes, at most 20. */
  fields: readonly ChannelField[];
}

/** A notification for a channel to deliver: plain text within the given limits. */
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
  /** Absolute address of the link; null if it is unknown. */
  url: string | null;
  /** The link as the API returns it: a path of the web app, or an address. */
  link: string | null;
}

/** One delivery to one member. */
export interface ChannelDelivery {
  /** The member's settings by field name, each at most 2,000 characters; fields that aren't set are left out. */
  settings: Readonly<Record<string, string>>;
  note: ChannelNote;
  /** Aborts when the delivery must end at once. */
  signal: AbortSignal;
}

/**
 * Delivers a note within 30 s; resolves when the receiving service has accepted it. A note may be delivered twice, if the service's answer
 * was lost.
 *
 * The member sees the message of a thrown failure, so it must contain no secret and no text from the service. A failure with a status below
 * 500 is final. After others, and after a crash, the delivery is retried, no sooner than after `retry_after`.
 */
export type ChannelDeliver = (delivery: ChannelDelivery) => Promise<void>;
