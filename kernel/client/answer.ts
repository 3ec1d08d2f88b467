import type { IncomingMessage } from 'node:http';
import { Failure } from '../contract/failure.js';
import type { FileAnswer } from '../contract/operation.js';
import { type AnswerHead, answerOf, describeFile, failureOf } from './answer-text.js';
import { failClient } from './client-failure.js';
import { type Target, unreachable } from './exchange.js';

const max_bytes = 64 * 1024 * 1024;

/** Returns status and headers of a response. */
export function headOf({ statusCode = 0, headers }: IncomingMessage): AnswerHead {
  return { status: statusCode, header: (name) => headers[name] as string | undefined };
}

/** Reads the JSON of a response; undefined if it is empty. Throws the failure that it reports. */
export async function readAnswer(response: IncomingMessage, target: Target): Promise<unknown> {
  return answerOf((await readBytes(response, target)).toString(), headOf(response), target.name);
}

/** Reads the bytes of a file response, with type, ETag and name. */
export async function readFileAnswer(response: IncomingMessage, target: Target): Promise<FileAnswer> {
  const bytes = await readBytes(response, target);
  const head = headOf(response);
  if (head.status !== 200) throw failureOf(bytes.toString(), head, target.name);
  return { ...describeFile(head), bytes };
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
