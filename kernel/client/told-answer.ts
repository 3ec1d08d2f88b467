import type { IncomingMessage } from 'node:http';
import type { Outcome } from '../contract/extension.js';
import { isFailure } from '../contract/failure.js';
import type { Step } from '../contract/operation.js';
import { type ErrorBody, failureFrom } from './answer.js';
import { failClient, type Target, unreachable } from './exchange.js';
import { frames } from './sse.js';

/** Who reads it. */
export interface Told {
  told: (step: Step) => void;
  /** Its reason is thrown where it aborts. */
  signal: AbortSignal | undefined;
}

/** Reads the answer of a call that tells in events how far it is; what went wrong is thrown. */
export async function readToldAnswer(response: IncomingMessage, target: Target, { told, signal }: Told): Promise<Outcome> {
  try {
    for await (const { event, data = '{}' } of frames(response as AsyncIterable<Uint8Array>)) {
      const content = JSON.parse(data) as Record<string, unknown>;
      if (event === 'progress') told(stepOf(content));
      else if (event === 'answer') return { status: Number(content.status), body: content.body };
      else if (event === 'error') throw failureIn(content);
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw isFailure(error) ? error : unreachable(target, error);
  }
  throw failClient('unreachable', `${target.name} can't be reached: it ended in the middle of its answer`);
}

function stepOf({ doing, done, total }: Record<string, unknown>): Step {
  return { doing: String(doing), done: Number(done) || 0, total: Number(total) || 0 };
}

function failureIn(content: ErrorBody & { statusCode?: unknown; retry_after?: unknown }): Error {
  const { statusCode, retry_after } = content;
  return failureFrom(content, { status: Number(statusCode) || 500, retry_after: Number(retry_after) || undefined });
}
