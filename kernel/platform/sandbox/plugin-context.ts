import assert from 'node:assert/strict';
import type { FetchAnswer, FetchOptions, Log, PluginContext } from '../../contract/extension.js';
import type { Call, Operation } from '../../contract/operation.js';
import type { Draft } from '../../core/catalog/draft.js';
import type { FetchEvent, FetchRequest, LogNotice } from './messages.js';
import { type RequestOptions, Streamed } from './requester.js';

export type Handler = (input: object, call: Call) => unknown;

/** Operations and codes that a plugin exposed. */
export interface Exposed {
  operations: Map<string, { operation: Operation; handler: Handler }>;
  codes: Readonly<Record<string, number>>;
}

/** Reads a streamed answer to its end, as part of the request. */
type Read = (events: AsyncIterable<unknown>) => Promise<unknown>;

export interface PluginContextParts {
  name: string;
  config: Readonly<Record<string, unknown>>;
  /** The plugin's own folder. */
  files: string;
  signal: AbortSignal;
  draft: Draft;
  exposed: Exposed;
  /** Sends a request to the platform, within the current call. */
  sendRequest: (method: string, params: object, options?: Pick<RequestOptions, 'signal'> & { read?: Read }) => Promise<unknown>;
  sendLog: (notice: LogNotice) => void;
}

/** Creates the context of a plugin in its own process: the same interface as in the kernel, over messages. */
export function createPluginContext({
  name,
  config,
  files,
  signal,
  draft,
  exposed,
  sendRequest,
  sendLog,
}: PluginContextParts): PluginContext {
  return {
    name,
    config,
    signal,
    log: createLog(sendLog),
    clock: { now: () => Date.now(), iso: () => new Date().toISOString() },
    storage: {
      get: (key) => sendRequest('storage.get', { key }),
      set: async (key, value) => void (await sendRequest('storage.set', { key, value })),
      delete: async (key) => void (await sendRequest('storage.delete', { key })),
      keys: async (prefix) => (await sendRequest('storage.keys', { prefix })) as string[],
    },
    files: async () => files,
    env: async (variable) => (await sendRequest('env', { name: variable })) as string | undefined,
    expose(operations, handlers, codes = {}) {
      draft.assertOpen('expose()');
      assert(exposed.operations.size === 0, 'expose() was called twice');
      for (const [id, operation] of Object.entries(operations as Record<string, Operation>)) {
        const handler = (handlers as Record<string, Handler>)[id];
        assert(handler, `Operation '${id}' has no handler`);
        exposed.operations.set(id, { operation, handler });
      }
      exposed.codes = codes;
    },
    async call(operation, input) {
      const answer = await sendRequest('call', { operation, input });
      return answer instanceof Streamed ? answer.events : answer;
    },
    emit: async (topic, payload) => void (await sendRequest('emit', { topic, payload })),
    listen(topic, handler) {
      draft.assertOpen('listen()');
      draft.listeners.push({ topic, handler: handler as never });
    },
    topic: (topic, readers) => draft.topic(topic, readers),
    frame: (type, schema, handler) => draft.frame(type, { schema, handler }),
    push(to, frame) {
      sendRequest('push', { to, frame }).catch((fault: unknown) =>
        sendLog({ level: 'warn', message: `A frame was not pushed: ${String(fault)}` }),
      );
    },
    fetch: (url, options) => fetchOver(sendRequest, url, options),
    channel(description, deliver) {
      draft.assertOpen('channel()');
      draft.channels.push({ description, deliver });
    },
    check(code, probe) {
      draft.assertOpen('check()');
      draft.checks.push({ code, probe });
    },
    metric(metric, help, read) {
      draft.assertOpen('metric()');
      draft.metrics.push({ name: metric, help, read });
    },
  };
}

async function fetchOver(sendRequest: PluginContextParts['sendRequest'], url: string, options: FetchOptions = {}): Promise<FetchAnswer> {
  const { body, signal, ...rest } = options;
  const request: FetchRequest = { ...rest, url, ...(body === undefined ? {} : { body: Buffer.from(body).toString('base64') }) };
  return (await sendRequest('fetch', request, { signal: () => signal, read: collectBody })) as FetchAnswer;
}

async function collectBody(events: AsyncIterable<unknown>): Promise<FetchAnswer> {
  // A growing buffer: many small ones would fill the memory before they are collected.
  let body = Buffer.alloc(0);
  let length = 0;
  for await (const event of events as AsyncIterable<FetchEvent>) {
    if ('answer' in event) return { ...event.answer, body: body.subarray(0, length) };
    const needed = length + Buffer.byteLength(event.piece, 'base64');
    if (needed > body.length) body = Buffer.concat([body.subarray(0, length)], Math.max(needed, 2 * body.length));
    length += body.write(event.piece, length, 'base64');
  }
  throw new Error('The platform answered a fetch without an end');
}

const message_length = 8_000;
const fields_length = 16_384;

function createLog(sendLog: (notice: LogNotice) => void): Log {
  const at = (level: LogNotice['level']) => (message: string, fields?: object) => {
    sendLog({ level, message: String(message).slice(0, message_length), fields: plain(fields) });
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Converts fields to plain JSON; never throws, so that a log line can't fail its caller. */
function plain(fields: object | undefined): object | undefined {
  if (fields === undefined) return undefined;
  try {
    const text = JSON.stringify(fields instanceof Error ? { error: fields } : fields, (_key, value: unknown) => {
      return value instanceof Error ? { type: value.name, message: value.message, stack: value.stack } : value;
    });
    return text.length > fields_length ? { fields_dropped: `${text.length} characters` } : (JSON.parse(text) as object);
  } catch {
    return { fields_dropped: 'no JSON' };
  }
}
