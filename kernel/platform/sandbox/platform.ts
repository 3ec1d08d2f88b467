import type { PluginContext, Storage } from '../../contract/extension.js';
import { fail, isFailure } from '../../contract/failure.js';
import type { Limiter } from '../../contract/limiter.js';
import type { Emissions } from './emissions.js';
import type { Grants } from './grants.js';
import { fetchForPlugin } from './plugin-fetch.js';
import type { PluginLog } from './plugin-log.js';
import { Streamed } from './requester.js';
import type { Incoming } from './responder.js';

type Fields = Readonly<Record<string, unknown>>;
type Method = (side: PlatformSide, params: Fields, request: Incoming) => unknown;

/** Dependencies for serving the requests of a plugin's process. */
export interface PlatformSide {
  ctx: PluginContext;
  log: Pick<PluginLog, 'error'>;
  grants: Grants;
  emissions: Emissions;
  /** Limits the fetches whose bodies are read concurrently. */
  limiter: Limiter;
  /** Whether the plugin itself exposes the operation. */
  exposes: (operation: string) => boolean;
}

/** Methods that a plugin's process may call. Parameters and permissions are checked here. */
const methods: Readonly<Record<string, Method>> = {
  'storage.get': (side, { key }) => storageOf(side).get(text(key, 'key')),
  'storage.set': (side, { key, value }) => storageOf(side).set(text(key, 'key'), value),
  'storage.delete': (side, { key }) => storageOf(side).delete(text(key, 'key')),
  'storage.keys': (side, { prefix }) => storageOf(side).keys(prefix === undefined ? undefined : text(prefix, 'prefix')),
  env: ({ ctx, grants }, { name }) => {
    grants.read(text(name, 'name'));
    return ctx.env(name as string);
  },
  emit: ({ ctx, grants, emissions }, { topic, payload }) => {
    grants.emit(text(topic, 'topic'));
    emissions.count(payload);
    return ctx.emit(topic as never, payload as never);
  },
  push: ({ ctx }, { to, frame }) => pushFor(ctx, fields(to, 'to'), fields(frame, 'frame')),
  fetch: (side, params, { signal }) => {
    const reach = (url: URL) => side.grants.reach(url);
    return new Streamed(undefined, fetchForPlugin({ ctx: side.ctx, reach, limiter: side.limiter }, params, signal));
  },
  async call({ ctx, grants, exposes }, { operation, input }) {
    grants.call(text(operation, 'operation'), exposes(operation as string));
    const answer = await ctx.call(operation as string, fields(input, 'input'));
    return isAsyncIterable(answer) ? new Streamed(undefined, answer) : answer;
  },
};

function storageOf({ ctx, grants }: PlatformSide): Storage {
  grants.store();
  return ctx.storage;
}

/** Answers one request of a plugin's process. */
export async function servePlugin(side: PlatformSide, request: Incoming): Promise<unknown> {
  const { method, params } = request;
  const serve = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!serve) throw fail('invalid_input', `A plugin can't ask for '${method.slice(0, 100)}'`);
  try {
    return await serve(side, fields(params, 'params'), request);
  } catch (fault) {
    // The plugin only learns that there was an error; the log has its cause.
    if (!isFailure(fault)) side.log.error(`The platform failed to serve '${method}'`, { err: fault });
    throw fault;
  }
}

/** Pushes a frame of a plugin. Topic and type must start with the plugin's name. */
function pushFor(ctx: PluginContext, { topic }: Fields, { type, data }: Fields): void {
  const own = (name: string) => name.startsWith(`${ctx.name}.`) && name.length <= 64;
  if (!own(text(topic, 'topic')) || !own(text(type, 'type'))) {
    throw fail('forbidden', `A plugin pushes frames to its own topics only: both names begin with '${ctx.name}.'`);
  }
  ctx.push({ topic: topic as string }, { type: type as string, data: fields(data, 'data') });
}

function text(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw fail('invalid_input', `'${name}' must be a text`);
}

function fields(value: unknown, name: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw fail('invalid_input', `'${name}' must be an object`);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
