/** The program of a plugin's process: loads its bundle, and communicates with the platform over file descriptor 3. */
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import type { ObjectSchema, Root } from 'joi';
import type { Plugin, StopReason } from '../../contract/extension.js';
import { fail } from '../../contract/failure.js';
import { Limiter } from '../../contract/limiter.js';
import type { Manifest } from '../../contract/manifest.js';
import type { Call, Role, StreamEvent } from '../../contract/operation.js';
import type { JsonSchema } from '../../contract/schema.js';
import type { FrameSender } from '../../contract/socket.js';
import { Draft } from '../../core/catalog/draft.js';
import { schemaFromData } from '../../core/host/joi-schema.js';
import { dataFromSchema } from '../../core/host/json-schema.js';
import { loadBundle } from '../../core/host/loader.js';
import { operationData } from '../../core/host/operation-data.js';
import { Patterns } from '../../core/host/pattern.js';
import { noCookies } from '../../core/invoke/no-cookies.js';
import { closeInherited } from './inherited.js';
import { type InputSchema, readInProcess } from './input-reader.js';
import { log_ahead_bytes, requests_in_flight } from './limits.js';
import type {
  Activation,
  CallData,
  Contributed,
  LogNotice,
  OperationAnswer,
  OperationRequest,
  ReadRequest,
  SendRequest,
} from './messages.js';
import { Peer } from './peer.js';
import { createPluginContext, type Exposed } from './plugin-context.js';
import { Streamed } from './requester.js';
import type { Incoming } from './responder.js';

/** The call, as a handler sees it. */
class PluginCall implements Call {
  readonly caller: Call['caller'];
  readonly request_id: string;
  readonly agent: string;
  readonly idempotency_key: string | undefined;
  readonly verbatim: Call['verbatim'];
  readonly cookies = noCookies;
  readonly #request: Incoming;
  chosen: number | undefined;

  constructor({ caller, request_id, agent, idempotency_key, verbatim }: CallData, request: Incoming) {
    this.caller = caller;
    this.request_id = request_id;
    this.agent = agent;
    this.idempotency_key = idempotency_key;
    this.verbatim = verbatim && { headers: verbatim.headers, body: Buffer.from(verbatim.body, 'base64') };
    this.#request = request;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  status(code: number): void {
    this.chosen = code;
  }
}

class PluginSide {
  readonly #stop = new AbortController();
  readonly #draft = new Draft();
  readonly #exposed: Exposed = { operations: new Map(), codes: {} };
  /** Id of the platform's request during which code runs. */
  readonly #current = new AsyncLocalStorage<number>();
  /** Stays below the platform's limit, so that a burst waits here instead of violating it. */
  readonly #limiter = new Limiter(requests_in_flight - 16);
  readonly #peer: Peer;
  #plugin: Plugin | undefined;
  /** Returns the input schema of an operation or a frame, created on first use. */
  #schemaOf: (of: Pick<ReadRequest, 'kind' | 'name'>) => InputSchema = () => assert.fail('Nothing was contributed yet');
  #droppedLines = 0;

  constructor(socket: Socket) {
    this.#peer = new Peer(socket, {
      serve: (request) => this.#serve(request),
      notice: (method, params) => this.#notice(method, params),
      contextOf:
        ({ id }) =>
        (work) =>
          id === undefined ? work() : this.#current.run(id, work),
      max_requests: Number.MAX_SAFE_INTEGER,
      // The platform is gone, or has disconnected this process.
      closed: () => process.exit(0),
    });
  }

  /** Sends a log line. Drops and counts lines if the platform reads too slowly: otherwise they would fill the heap. */
  #log(notice: LogNotice): void {
    if (this.#peer.queued > log_ahead_bytes) {
      this.#droppedLines += 1;
      return;
    }
    if (this.#droppedLines > 0)
      this.#line({ level: 'warn', message: `… and ${this.#droppedLines} more lines, logged faster than they are read` });
    this.#droppedLines = 0;
    this.#line(notice);
  }

  #line(notice: LogNotice): void {
    this.#peer.notify('log', notice, this.#current.getStore());
  }

  #serve(request: Incoming): unknown {
    const { method, params } = request;
    switch (method) {
      case 'operation':
        return this.#operate(params as OperationRequest, request);
      case 'activate':
        return this.#activate(params as Activation);
      case 'deliver': {
        const { index, delivery } = params as { index: number; delivery: never };
        return at(this.#draft.listeners, index).handler(delivery);
      }
      case 'frame': {
        const { type, data, sender } = params as { type: string; data: object; sender: FrameSender };
        return this.#draft.frames.get(type)?.handler(data, sender);
      }
      case 'send': {
        const { index, settings, note } = params as SendRequest;
        return at(this.#draft.channels, index).deliver({ settings, note, signal: request.signal });
      }
      case 'check':
        return at(this.#draft.checks, (params as { index: number }).index).probe();
      case 'metric':
        return at(this.#draft.metrics, (params as { index: number }).index).read();
      case 'read':
        return this.#read(params as ReadRequest);
      case 'deactivate':
        return this.#plugin?.deactivate?.((params as { reason: StopReason }).reason);
      default:
        throw new Error(`The platform asked for '${method}', which this process doesn't know`);
    }
  }

  #notice(method: string, params: unknown): boolean {
    if (method === 'stop') this.#stop.abort((params as { reason: StopReason }).reason);
    return true;
  }

  async #activate({ name, folder, main, joi, files, config, inherited }: Activation): Promise<Contributed> {
    closeInherited(inherited);
    // Only the fields needed for loading: a plugin gets no packages of the platform.
    const manifest = { id: name, main } as Manifest;
    const bundle = await loadBundle(folder, manifest);
    const plugin = bundle.evaluate() as Plugin;
    const [draft, exposed] = [this.#draft, this.#exposed];
    const context = createPluginContext({
      name,
      config: frozen(config),
      files,
      signal: this.#stop.signal,
      draft,
      exposed,
      sendRequest: (method, params, { read, ...options } = {}) =>
        this.#limiter.run(async () => {
          const answer = await this.#peer.request(method, params, { ...options, within: this.#current.getStore() });
          return read && answer instanceof Streamed ? read(answer.events) : answer;
        }),
      sendLog: (notice) => this.#log(notice),
    });
    await plugin.activate(context);
    draft.seal();
    this.#plugin = plugin;
    const j = createRequire(import.meta.url)(joi) as Root;
    const patterns = new Patterns(name);
    const schemas = new Map<string, InputSchema>();
    this.#schemaOf = ({ kind, name: of }) => {
      const data = (kind === 'operation' ? contributed.operations[of]?.input : frameSchema(contributed, of)) as JsonSchema | undefined;
      assert(data, `There is no ${kind} '${of}'`);
      const key = `${kind} ${of}`;
      const schema = schemas.get(key) ?? { data, patterns, schema: schemaFromData(j, data, patterns.make) as ObjectSchema };
      schemas.set(key, schema);
      return schema;
    };
    const contributed: Contributed = {
      operations: Object.fromEntries([...exposed.operations].map(([id, { operation }]) => [id, operationData(j, operation)])),
      codes: exposed.codes,
      listens: draft.listeners.map(({ topic }) => topic),
      checks: draft.checks.map(({ code }) => code),
      metrics: draft.metrics.map(({ name, help }) => ({ name, help })),
      topics: [...draft.topics].map(([name, readers]) => ({ name, readers: readers as Role })),
      channels: draft.channels.map(({ description }) => description),
      frames: [...draft.frames].map(([type, { schema }]) => ({ type, schema: dataFromSchema(schema(j)) })),
    };
    return contributed;
  }

  #read({ kind, name, input }: ReadRequest): object {
    return readInProcess(this.#schemaOf({ kind, name }), input, name);
  }

  async #operate({ operation: id, input, call }: OperationRequest, request: Incoming): Promise<OperationAnswer | Streamed> {
    const exposed = this.#exposed.operations.get(id);
    if (!exposed) throw fail('operation_not_found', `There is no operation '${id}' here`);
    const pluginCall = new PluginCall(call, request);
    const body = await exposed.handler(input, pluginCall);
    if (exposed.operation.kind !== 'stream') return { body, status: pluginCall.chosen };
    return new Streamed({ status: pluginCall.chosen }, body as AsyncIterable<StreamEvent>);
  }
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  assert(item !== undefined, `There is nothing at ${index}`);
  return item;
}

function frameSchema({ frames }: Contributed, type: string): object | undefined {
  return frames.find((frame) => frame.type === type)?.schema;
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

new PluginSide(new Socket({ fd: 3, readable: true, writable: true }));
