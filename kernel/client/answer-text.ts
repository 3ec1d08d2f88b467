import { Failure, type Fault } from '../contract/failure.js';
import type { FileAnswer } from '../contract/operation.js';
import { failClient } from './client-failure.js';

/** Status and headers of a response. */
export interface AnswerHead {
  status: number;
  /** Returns a header by its lower-case name; undefined if there is none. */
  header: (name: string) => string | undefined;
}

/** Returns the value of a JSON response; undefined if it is empty. Throws the failure that it reports. */
export function answerOf(text: string, head: AnswerHead, server: string): unknown {
  if (head.status >= 200 && head.status < 300) return text === '' ? undefined : parse(text, server);
  throw failureOf(text, head, server);
}

/** Returns type, ETag and name of a file response. */
export function describeFile({ header }: AnswerHead): Omit<FileAnswer, 'bytes'> {
  const etag = header('etag');
  const save_as = nameOf(header('content-disposition'));
  return {
    mime_type: header('content-type') ?? 'application/octet-stream',
    ...(etag === undefined ? {} : { etag: etag.replaceAll('"', '') }),
    ...(save_as === undefined ? {} : { save_as }),
  };
}

export function isEventStream({ status, header }: AnswerHead): boolean {
  return status === 200 && /^text\/event-stream\b/.test(header('content-type') ?? '');
}

/** Returns the name in the header of an attachment (RFC 6266); undefined if there is none. */
function nameOf(header: string | undefined): string | undefined {
  const encoded = /^attachment;.*\bfilename\*=UTF-8''([^;\s]+)/i.exec(header ?? '')?.[1];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

function parse(text: string, server: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw failClient('unexpected_answer', `${server} sent a response that is not JSON; is it a platform?`, { cause });
  }
}

export interface ErrorBody {
  code?: unknown;
  message?: unknown;
  details?: readonly Fault[];
  request_id?: unknown;
}

/** Returns the failure that a response reports. */
export function failureOf(text: string, { status, header }: AnswerHead, server: string): Failure {
  const isJson = /^application\/json\b/.test(header('content-type') ?? '');
  const body = isJson ? (parse(text, server) as ErrorBody) : {};
  if (typeof body.code !== 'string' || typeof body.message !== 'string') {
    return failClient(
      'unexpected_answer',
      `${server} answered with status ${status} and without a platform's error body; is it a platform?`,
    );
  }
  const seconds = Number(header('retry-after'));
  return failureFrom(body, { status, retry_after: Number.isInteger(seconds) ? seconds : undefined });
}

/** Builds the failure from a platform's error body. */
export function failureFrom(
  { code, message, details, request_id }: ErrorBody,
  { status, retry_after }: { status: number; retry_after?: number | undefined },
): Failure {
  return new Failure(String(code), String(message), { status, details, retry_after, cause: { request_id } });
}
