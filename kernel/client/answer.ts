import type { IncomingMessage } from 'node:http';
import { Failure, type Fault } from '../contract/failure.js';
import type { FileAnswer } from '../contract/operation.js';
import { failClient, type Target, unreachable } from './exchange.js';

const max_bytes = 64 * 1024 * 1024;

/** Reads the JSON of a response; undefined if it is empty. Throws the failure that it reports. */
export async function readAnswer(response: IncomingMessage, target: Target): Promise<unknown> {
  const text = await readText(response, target);
  const status = response.statusCode ?? 0;
  if (status >= 200 && status < 300) return text === '' ? undefined : parse(text, target);
  throw failureOf(response, text, target);
}

/** Reads the bytes of a file response, with type, ETag and name. */
export async function readFileAnswer(response: IncomingMessage, target: Target): Promise<FileAnswer> {
  const bytes = await readBytes(response, target);
  const { 'content-type': mime_type = 'application/octet-stream', etag: tag } = response.headers;
  if (response.statusCode !== 200) throw failureOf(response, bytes.toString(), target);
  const save_as = nameOf(response.headers['content-disposition']);
  return {
    mime_type,
    bytes,
    ...(tag === undefined ? {} : { etag: tag.replaceAll('"', '') }),
    ...(save_as === undefined ? {} : { save_as }),
  };
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

async function readText(response: IncomingMessage, target: Target): Promise<string> {
  return (await readBytes(response, target)).toString();
}

async function readBytes(response: IncomingMessage, target: Target): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > max_bytes) throw failClient('unexpected_answer', `${target.name} sent a response of more than ${max_bytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof Failure ? error : unreachable(target, error);
  }
  return Buffer.concat(chunks);
}

function parse(text: string, target: Target): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw failClient('unexpected_answer', `${target.name} sent a response that is not JSON; is it a platform?`, { cause });
  }
}

export interface ErrorBody {
  code?: unknown;
  message?: unknown;
  details?: readonly Fault[];
  request_id?: unknown;
}

function failureOf(response: IncomingMessage, text: string, target: Target): Error {
  const status = response.statusCode ?? 0;
  const body = isJson(response) ? (parse(text, target) as ErrorBody) : {};
  if (typeof body.code !== 'string' || typeof body.message !== 'string') {
    return failClient(
      'unexpected_answer',
      `${target.name} answered with status ${status} and without a platform's error body; is it a platform?`,
    );
  }
  const seconds = Number(response.headers['retry-after']);
  return failureFrom(body, { status, retry_after: Number.isInteger(seconds) ? seconds : undefined });
}

/** Builds the failure from a platform's error body. */
export function failureFrom(
  { code, message, details, request_id }: ErrorBody,
  { status, retry_after }: { status: number; retry_after: number | undefined },
): Failure {
  return new Failure(String(code), String(message), { status, details, retry_after, cause: { request_id } });
}

function isJson(response: IncomingMessage): boolean {
  return /^application\/json\b/.test(response.headers['content-type'] ?? '');
}
