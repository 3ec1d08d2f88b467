import type { Outcome } from '../contract/extension.js';
import { isFailure } from '../contract/failure.js';
import type { Step } from '../contract/operation.js';
import { type ErrorBody, failureFrom } from './answer-text.js';
import { failClient, type Server } from './client-failure.js';
import { frames } from './sse.js';

/** Options for reading a response with progress events. */
export interface ProgressListener {
  server: Server;
  onProgress: (step: Step) => void;
  /** Aborts the read; its reason is thrown. */
  signal: AbortSignal | undefined;
}

/** Reads the response of a call that reports progress in events; throws the failure that it reports. */
export async function readProgressResponse(
  chunks: AsyncIterable<Uint8Array>,
  { server, onProgress, signal }: ProgressListener,
): Promise<Outcome> {
  try {
    for await (const { event, data = '{}' } of frames(chunks)) {
      const content = JSON.parse(data) as Record<string, unknown>;
      if (event === 'progress') onProgress(stepOf(content));
      else if (event === 'answer') return { status: Number(content.status), body: content.body };
      else if (event === 'error') throw failureIn(content);
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw isFailure(error) ? error : server.lost(error);
  }
  throw failClient('unreachable', `${server.name} can't be reached: the connection ended in the middle of the response`);
}

function stepOf({ doing, done, total }: Record<string, unknown>): Step {
  return { doing: String(doing), done: Number(done) || 0, total: Number(total) || 0 };
}

function failureIn(content: ErrorBody & { statusCode?: unknown; retry_after?: unknown }): Error {
  const { statusCode, retry_after } = content;
  return failureFrom(content, { status: Number(statusCode) || 500, retry_after: Number(retry_after) || undefined });
}
