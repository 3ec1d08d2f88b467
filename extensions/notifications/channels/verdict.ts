import type { Clock } from '../../../kernel/contract/index.js';
import { Undelivered } from './channel.js';
import type { PostResponse } from './post.js';
import { retryAfter } from './retry-after.js';

/** Meaning of a vendor's error for a member. */
export interface Reason {
  /** The fault and its remedy, after the vendor's name, such as `no longer knows this webhook`. */
  readonly message: string;
  /** Default false. */
  readonly retry?: boolean;
  /** Used if the response contains none. */
  readonly retry_after_ms?: number | undefined;
}

export interface Vendor {
  readonly title: string;
  readonly clock: Clock;
  /** Whether the response is from the vendor's own host: third-party servers may accept with any 2xx and no code. */
  readonly isVendorHost: boolean;
  /** Returns the code in a response's body, 0 if accepted; undefined if there is none. */
  code(body: Readonly<Record<string, unknown>>): unknown;
  reason(code: number, body: Readonly<Record<string, unknown>>): Reason | undefined;
}

/** Throws unless the vendor accepted a message. For vendors that report errors in the body, whatever the status. */
export function requireAcceptedBy(vendor: Vendor, answer: PostResponse): void {
  const { title, clock } = vendor;
  const body = bodyOf(answer);
  const code = numberOf(vendor.code(body));
  if (!Number.isSafeInteger(code)) {
    requireAccepted(title, answer, clock);
    if (!vendor.isVendorHost) return;
    throw new Undelivered(`${title} gave an unexpected answer; check the address`);
  }
  if (code === 0 && isAccepted(answer.status)) return;
  const reason = vendor.reason(code as number, body);
  const { message, retry = false, retry_after_ms } = reason ?? { message: `refused the message (code ${code as number})`, retry: true };
  throw new Undelivered(`${title} ${message}`, {
    retry,
    retry_after_ms: retry ? (retryAfter(answer.headers, clock) ?? retry_after_ms) : undefined,
  });
}

/** Throws unless the status means success. `receiver` starts the sentence. */
export function requireAccepted(receiver: string, { status, headers }: PostResponse, clock: Clock): void {
  if (isAccepted(status)) return;
  if (status >= 300 && status < 400)
    throw new Undelivered(`${receiver} answered with a redirect (HTTP ${status}): set the address that it leads to`, { retry: false });
  const retry = status >= 500 || [408, 425, 429].includes(status);
  throw new Undelivered(`${receiver} answered HTTP ${status}${adviceOf(status)}`, {
    retry,
    retry_after_ms: retry ? retryAfter(headers, clock) : undefined,
  });
}

/** Gateways may turn numbers into texts. */
function numberOf(code: unknown): unknown {
  return typeof code === 'string' && /^-?\d{1,10}$/.test(code) ? Number(code) : code;
}

export function isAccepted(status: number): boolean {
  return status >= 200 && status < 300;
}

function adviceOf(status: number): string {
  if (status === 401 || status === 403) return ': it denies access';
  if (status === 404 || status === 410) return ': this address no longer accepts messages';
  return status === 429 ? ': it accepts no more messages at the moment' : '';
}

/** Returns the response's JSON object; an empty one if it is none. */
export function bodyOf({ text }: PostResponse): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
