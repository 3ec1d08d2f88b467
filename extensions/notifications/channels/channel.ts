import type { About, Kind } from '../contract.js';

/** The content of a message. Plain text within limits: title ≤ 200, summary ≤ 4,000 characters. */
export interface Note {
  id: number;
  source: 'schedule' | 'ai_message' | 'system';
  kind: Kind;
  title: string;
  summary: string;
  /** In ISO 8601. */
  created_at: string;
  /** The absolute link; null if there is none, or if it is a path and the platform's public address isn't configured. */
  url: string | null;
  /** The link as in the API: a path of the web app, or an absolute address. */
  link: string | null;
  /** Ids of the subject. */
  about: About;
}

/** A field of a member's channel settings. */
export interface Field {
  name: string;
  /** Name for display. */
  label: string;
  /** Whether it is never shown again once set. */
  secret: boolean;
  required: boolean;
  description: string;
  /** Whether the value is a URL that deliveries call; it is saved only if outgoing calls may reach it. Default false. */
  readonly called?: boolean;
  /** Returns a sentence if the value is wrong, without the value; otherwise undefined. */
  readonly check: (value: string) => string | undefined;
}

export interface Delivery {
  /** By field name. An empty text counts as unset. */
  settings: Readonly<Record<string, string>>;
  note: Note;
  /** Aborts the delivery immediately. */
  signal: AbortSignal;
}

/** A way to reach a member outside the platform. */
export interface Channel {
  /** `^[a-z][a-z0-9_]{0,31}$` */
  readonly name: string;
  /** Name for display. */
  readonly title: string;
  readonly fields: readonly Field[];
  /**
   * Resolves once the other side has accepted the message; it may arrive twice if the response was lost. Throws only
   * {@link Undelivered}.
   */
  send(delivery: Delivery): Promise<void>;
}

export interface UndeliveredOptions {
  /** Whether a retry may succeed without any change. Default true. */
  retry?: boolean;
  /** Minimum wait before a retry; default: the caller's own back-off. */
  retry_after_ms?: number | undefined;
  cause?: unknown;
}

/**
 * Reason why a delivery failed. `message` is shown to the member: it never holds a secret or an address with a token,
 * and no text from the other side except that of the administrators' own mail server. `cause` is for logs.
 */
export class Undelivered extends Error {
  /** Identifies this class instead of `instanceof`: a plugin's channel may include its own copy of the class. */
  readonly isUndelivered = true;
  readonly retry: boolean;
  readonly retry_after_ms: number | undefined;

  constructor(message: string, { retry = true, retry_after_ms, cause }: UndeliveredOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'Undelivered';
    this.retry = retry;
    this.retry_after_ms = retry_after_ms;
  }
}

/** Whether a thrown value is an {@link Undelivered}, including copies of the class in other bundles. */
export function isUndelivered(thrown: unknown): thrown is Undelivered {
  return thrown instanceof Error && (thrown as { isUndelivered?: unknown }).isUndelivered === true;
}
