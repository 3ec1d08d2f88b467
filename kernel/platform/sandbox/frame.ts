import { isThrown, type Thrown } from './thrown.js';

/**
 * What crosses the pipe. Each side numbers the requests that it makes itself: `watch`, `answer`, `failure`, `event`
 * and `end` come back under that number; `abort`, `credit` and `leave` follow the request under it.
 */
export type Frame =
  /** `within` is the request of the other side in whose course this one is made. */
  | { type: 'request'; id: number; method: string; params?: unknown; within?: number | undefined }
  | { type: 'notice'; method: string; params?: unknown; within?: number | undefined }
  /** With `stream`, events follow under the same number, as far as there is credit. */
  | { type: 'answer'; id: number; value?: unknown; stream?: true }
  | { type: 'failure'; id: number; thrown: Thrown }
  | { type: 'event'; id: number; value?: unknown }
  | { type: 'end'; id: number }
  /** That many bytes more of the stream's events may be sent. */
  | { type: 'credit'; id: number; bytes: number }
  /** The reader of the stream has gone. */
  | { type: 'leave'; id: number }
  /** Whoever answers looks at the request's signal: from now on it is told of an abort. */
  | { type: 'watch'; id: number }
  | { type: 'abort'; id: number; reason: string | Thrown }
  | { type: 'ping' }
  | { type: 'pong' }
  /** So much has arrived since the last time, whatever it was. */
  | { type: 'taken'; bytes: number };

type Fields = Readonly<Record<string, unknown>>;

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;
const isNumbered = ({ id }: Fields) => isNumber(id);
const isAsked = ({ method, within }: Fields) => typeof method === 'string' && (within === undefined || isNumber(within));

const checks: Readonly<Record<Frame['type'], (frame: Fields) => boolean>> = {
  request: (frame) => isNumbered(frame) && isAsked(frame),
  notice: isAsked,
  answer: (frame) => isNumbered(frame) && (frame.stream === undefined || frame.stream === true),
  failure: (frame) => isNumbered(frame) && isThrown(frame.thrown),
  event: isNumbered,
  end: isNumbered,
  credit: (frame) => isNumbered(frame) && isNumber(frame.bytes),
  leave: isNumbered,
  watch: isNumbered,
  abort: (frame) => isNumbered(frame) && (typeof frame.reason === 'string' || isThrown(frame.reason)),
  ping: () => true,
  pong: () => true,
  taken: ({ bytes }) => isNumber(bytes),
};

/** Whether what was parsed is a frame; the other side may be hostile. */
export function isFrame(value: unknown): value is Frame {
  if (typeof value !== 'object' || value === null) return false;
  const { type } = value as Fields;
  return typeof type === 'string' && Object.hasOwn(checks, type) && checks[type as Frame['type']](value as Fields);
}

/** Frames of one lane keep their order; frames of others may overtake them. */
export function laneOf(frame: Frame): string {
  switch (frame.type) {
    case 'request':
    case 'abort':
    case 'credit':
    case 'leave':
      return `asks ${frame.id}`;
    case 'watch':
    case 'answer':
    case 'failure':
    case 'event':
    case 'end':
      return `answers ${frame.id}`;
    default:
      return 'notices';
  }
}
