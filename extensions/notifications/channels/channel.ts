import type { About, Kind } from '../contract.js';

/** What is sent. Plain text, already bounded: title ≤ 200, summary ≤ 4,000 characters. */
export interface Note {
  id: number;
  source: 'schedule' | 'ai_message' | 'system';
  kind: Kind;
  title: string;
  summary: string;
  /** ISO 8601. */
  created_at: string;
  /** An absolute link into the platform, where it is known. */
  url: string | null;
  /** The link as the API gives it: a path of the web app, or an address. */
  link: string | null;
  /** The ids of what it is about. */
  about: About;
}

/** One field of a member's settings for a channel. */
export interface Field {
  name: string;
  /** As people read it. */
  label: string;
  /** Never shown again once it is set. */
  secret: boolean;
  required: boolean;
  description: string;
  /** The value is a URL that deliveries call: it is saved only if outgoing calls may reach it. Default false. */
  readonly called?: boolean;
  /** A sentence where the value is wrong, without the value. */
  readonly check: (value: string) => string | undefined;
}

export interface Delivery {
  /** By the fields' names. An empty text counts as not set. */
  settings: Readonly<Record<string, string>>;
  note: Note;
  /** Ends the delivery at once. */
  signal: AbortSignal;
}

/** A way to reach a member outside of the platform. */
export interface Channel {
  /** `^[a-z][a-z0-9_]{0,31}$` */
  readonly name: string;
  /** As people read it. */
  readonly title: string;
  readonly fields: readonly Field[];
  /**
   * Resolves once the other side has accepted the note; a note may arrive twice, where its answer was lost.
   * Throws {@link Undelivered}, and nothing else.
   */
  send(delivery: Delivery): Promise<void>;
}

export interface UndeliveredOptions {
  /** Whether a later try may succeed without anybody changing anything. Default true. */
  retry?: boolean;
  /** No sooner than after this; left out: the caller's own back-off. */
  retry_after_ms?: number | undefined;
  cause?: unknown;
}

/**
 * Why a delivery failed. `message` is shown to the member: it never holds a secret or an address with a token in it, and
 * no words of the other side except those of the administrators' own mail server. `cause` is for logs.
 */
export class Undelivered extends Error {
  /** Recognised by this field, not by `instanceof`: a plugin's channel may carry a copy of this class. */
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

/** Whether something thrown is an {@link Undelivered}, also one of another bundle's copy of the class. */
export function isUndelivered(thrown: unknown): thrown is Undelivered {
  return thrown instanceof Error && (thrown as { isUndelivered?: unknown }).isUndelivered === true;
}
