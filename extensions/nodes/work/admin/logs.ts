import type { StreamEvent } from '../../../../kernel/contract/index.js';
import { workFault } from '../faults.js';
import { framesOf } from '../frames.js';
import type { NodeContainer } from '../node-container.js';

export interface LogQuery {
  /** Lines from the end of each container's log. */
  tail: number;
  /** ISO 8601. */
  since?: string | undefined;
  /** Time of the last line received, as the engine wrote it; takes precedence over `tail` and `since`. */
  after?: string | undefined;
  /** Whether to continue with new lines. */
  follow: boolean;
}

/** Length in characters beyond which a line is split. */
const max_line_length = 16_384;
/** Matches the engine's timestamp before each line: RFC 3339 with nanoseconds. */
const stamp = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z) /;

/**
 * Streams the output of a container's own program, one event a line: `log {stream, at, delta}`; then `done`. Reads only
 * as fast as the consumer. Fails if the engine is unreachable.
 */
export async function logStream(place: NodeContainer, query: LogQuery, signal: AbortSignal): Promise<AsyncIterable<StreamEvent>> {
  const { tail, since, after, follow } = query;
  const from = after ?? since;
  const options = {
    stdout: true,
    stderr: true,
    timestamps: true,
    follow,
    tail: after === undefined ? tail : 'all',
    ...(from === undefined ? {} : { since: secondsOf(from) }),
  };
  try {
    signal.throwIfAborted();
    return events(await opened(place, options, signal), { place, after, signal });
  } catch (fault) {
    throw signal.aborted ? signal.reason : workFault(fault, place);
  }
}

/** Opens the log as a stream even if it ends: the client would buffer all of it. */
function opened({ docker, container }: NodeContainer, options: object, abortSignal: AbortSignal): Promise<Source> {
  const statusCodes = { 200: true, 404: 'no such container', 500: 'server error' };
  const request = { path: `/containers/${container.id}/logs?`, method: 'GET', isStream: true, statusCodes, options, abortSignal };
  return new Promise((resolve, reject) => {
    docker.modem.dial(request, (fault: unknown, answer: unknown) => {
      if (fault) return reject(fault);
      const source = answer as Source;
      // Readers get the error too; without a listener it would end the process.
      source.on('error', () => undefined);
      resolve(source);
    });
  });
}

type Source = NodeJS.ReadableStream & { destroy(): void };

interface Reading {
  place: NodeContainer;
  after: string | undefined;
  signal: AbortSignal;
}

async function* events(source: Source, { place, after, signal }: Reading): AsyncGenerator<StreamEvent> {
  try {
    for await (const { stream, line } of linesOf(source as AsyncIterable<Buffer>)) {
      const [prefix = '', at = ''] = stamp.exec(line) ?? [];
      if (after !== undefined && at !== '' && at <= after) continue;
      yield { ...(at === '' ? {} : { id: at }), type: 'log', data: { stream, at, delta: `${line.slice(prefix.length)}\n` } };
    }
    yield { type: 'done', data: {} };
  } catch (fault) {
    if (!signal.aborted) throw workFault(fault, place);
  } finally {
    source.destroy();
  }
}

interface Line {
  stream: 'stdout' | 'stderr';
  line: string;
}

async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const rests = { stdout: '', stderr: '' };
  for await (const { stream, bytes } of framesOf(source)) {
    const lines = (rests[stream] + decoders[stream].decode(bytes, { stream: true })).split('\n');
    rests[stream] = lines.pop() ?? '';
    for (const line of lines) yield { stream, line };
    if (rests[stream].length < max_line_length) continue;
    yield { stream, line: rests[stream] };
    rests[stream] = '';
  }
  for (const stream of ['stdout', 'stderr'] as const) if (rests[stream] !== '') yield { stream, line: rests[stream] };
}

/** Formats a time for the engine: seconds with nanoseconds after the point. */
function secondsOf(time: string): string {
  const fraction = /\.(\d{1,9})\d*(?:Z|[+-]\d{2}:\d{2})?$/.exec(time)?.[1] ?? '';
  return `${Math.floor(Date.parse(time) / 1_000)}.${fraction.padEnd(9, '0')}`;
}
