import type { StreamEvent } from '../../../../kernel/contract/index.js';
import { workFault } from '../faults.js';
import { framesOf } from '../frames.js';
import type { Place } from '../place.js';

export interface LogQuery {
  /** Of each container's log, how many lines from its end. */
  tail: number;
  /** ISO 8601. */
  since?: string | undefined;
  /** The time of the last line that was seen, as the engine wrote it; goes before `tail` and `since`. */
  after?: string | undefined;
  /** Whether it goes on with what comes. */
  follow: boolean;
}

/** What is longer is given in parts, in characters. */
const max_line_length = 16_384;
/** As the engine writes it before each line: RFC 3339 with nanoseconds. */
const stamp = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z) /;

/**
 * What a container's own program writes, a line an event: `log {stream, at, delta}`; then `done`. Asked for as fast as
 * it is read. Fails where the engine can't be asked.
 */
export async function logStream(place: Place, query: LogQuery, signal: AbortSignal): Promise<AsyncIterable<StreamEvent>> {
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

/** As a stream also where it has an end: the client would keep all of it. */
function opened({ docker, container }: Place, options: object, abortSignal: AbortSignal): Promise<Source> {
  const statusCodes = { 200: true, 404: 'no such container', 500: 'server error' };
  const request = { path: `/containers/${container.id}/logs?`, method: 'GET', isStream: true, statusCodes, options, abortSignal };
  return new Promise((resolve, reject) => {
    docker.modem.dial(request, (fault: unknown, answer: unknown) => {
      if (fault) return reject(fault);
      const source = answer as Source;
      // Its fault comes to whoever reads, too; without a listener it would end the process.
      source.on('error', () => undefined);
      resolve(source);
    });
  });
}

type Source = NodeJS.ReadableStream & { destroy(): void };

interface Reading {
  place: Place;
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

/** As the engine takes it: seconds, with nanoseconds after the point. */
function secondsOf(time: string): string {
  const fraction = /\.(\d{1,9})\d*(?:Z|[+-]\d{2}:\d{2})?$/.exec(time)?.[1] ?? '';
  return `${Math.floor(Date.parse(time) / 1_000)}.${fraction.padEnd(9, '0')}`;
}
