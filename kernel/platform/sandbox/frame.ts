import { isThrown, type Thrown } from './thrown.js';

/**
 * A message on the pipe. Each side numbers its own requests: `watch`, `answer`, `failure`, `event`
 * and `end` come back with that number; `abort`, `credit` and `leave` follow the request with it.
 */
export type Frame =
  /** `within` is the request of the other side during which this one is made. */
  | { type: 'request'; id: number; method: string; params?: unknown; within?: number | undefined }
  | { type: 'notice'; method: string; params?: unknown; within?: number | undefined }
  /** With `stream`, events follow with the same number, as far as there is credit. */
  | { type: 'answer'; id: number; value?: unknown; stream?: true }
  | { type: 'failure'; id: number; thrown: Thrown }
  | { type: 'event'; id: number; value?: unknown }
  | { type: 'end'; id: number }
  /** Permits that many more bytes of the stream's events. */
  | { type: 'credit'; id: number; bytes: number }
  /** The reader of the stream has gone. */
  | { type: 'leave'; id: number }
  /** The responder watches the request's signal: from now on it is notified of an abort. */
  | { type: 'watch'; id: number }
  | { type: 'abort'; id: number; reason: string | Thrown }
  | { type: 'ping' }
  | { type: 'pong' }
  /** Acknowledges received bytes since the last time. */
  | { type: 'taken'; bytes: number };

type Fields = Readonly<Record<string, unknown>>;

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;
const isNumbered = ({ id }: Fields) => isNumber(id);
const hasMethod = ({ method, within }: Fields) => typeof method === 'string' && (within === undefined || isNumber(within));

const checks: Readonly<Record<Frame['type'], (frame: Fields) => boolean>> = {
  request: (frame) => isNumbered(frame) && hasMethod(frame),
  notice: hasMethod,
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

/** Returns whether a parsed value is a frame; the other side may be hostile. */
export function isFrame(value: unknown): value is Frame {
  if (typeof value !== 'object' || value === null) return false;
  const { type } = value as Fields;
  return typeof type === 'string' && Object.hasOwn(checks, type) && checks[type as Frame['type']](value as Fields);
}

/** Returns the lane of a frame. Frames of one lane keep their order; those of others may overtake. */
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
