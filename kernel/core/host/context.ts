import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import joi, { type ObjectSchema, type Schema } from 'joi';
import type { Database, Secrets } from '../../contract/data.js';
import type { Documents } from '../../contract/documents.js';
import type { Clock, Context, Contract, Contribution, InvokeOptions, Outcome, Storage } from '../../contract/extension.js';
import { coreCodes, fail as failCore } from '../../contract/failure.js';
import type { Extensions } from '../../contract/installation.js';
import type { Bus, Journal } from '../../contract/journal.js';
import type { OperationData } from '../../contract/manifest.js';
import type { Caller, Operation, Preparing } from '../../contract/operation.js';
import type { PresenceService } from '../../contract/socket.js';
import type { Thumbnails } from '../../contract/thumbnails.js';
import type { ActiveOperation } from '../catalog/catalog.js';
import { LabelledCounter } from '../catalog/counter.js';
import type { Draft } from '../catalog/draft.js';
import type { Events } from '../events/events.js';
import { assertPushed } from '../invoke/assert-events.js';
import { modelArguments } from '../invoke/model-arguments.js';
import type { Requests } from '../invoke/request.js';
import type { BlobParts, ChildLog, Data, FramePusher, GuardedFetch, LogMemory, Workers } from '../ports.js';
import { auditedDatabase } from './audited-database.js';
import { channelOf, channelSlot } from './channel.js';
import { describeOperation } from './describe-operation.js';
import type { Neighbours } from './loaded.js';
import { operationJoi } from './operation-joi.js';
import { pagesOf } from './pages.js';
import type { Running } from './running.js';

/** Kernel services from which each context is built. */
export interface Services {
  log: ChildLog;
  logs: LogMemory;
  clock: Clock;
  data: Data;
  data_dir: string;
  /** The configured public address, without a slash at its end. */
  base_url: string | undefined;
  /** Returns the key-value storage of one extension. */
  storage: (extension: string) => Storage;
  blobs: BlobParts;
  documents: Documents;
  thumbnails: Thumbnails;
  secrets: Secrets;
  journal: Journal;
  bus: Bus;
  pusher: FramePusher;
  /** Holds pushed frames to what the extension declares. For tests: it costs time. */
  strict: boolean;
  presence: PresenceService;
  events: Events;
  requests: Requests;
  instance: string;
  background: boolean;
  workers: Workers;
  settings: (extension: string) => Readonly<Record<string, unknown>>;
  extensions: Extensions;
  /** Returns an extension's own caller, used outside of requests; undefined if it has no member of its own. */
  itself: (extension: string) => Promise<Caller | undefined>;
  fetch: GuardedFetch;
  invoke: (operation: string, input: unknown, caller: Caller, options?: InvokeOptions) => Promise<Outcome>;
  validate: (operation: string, input: unknown) => void;
  disconnect: (who: { member_id: number; token_id?: string }) => Promise<void>;
}

/** Creates the object through which an extension reaches the platform. */
export function createContext(running: Running, services: Services, neighbours: Neighbours): Context<Contract> {
  const { owned } = running;
  const name = running.extension;
  const db = services.data.facade(name);
  owned.own({ dispose: () => db.dispose() });
  const service = (id: string) => neighbours.find(id)?.draft.service;

  return {
    ...registrations(running),
    name,
    log: services.logs.remembering(name, services.log.child({ extension: name })),
    config: running.bundle.plugin?.config ?? services.settings(name),
    clock: services.clock,
    signal: running.signal,
    storage: services.storage(name),
    db: auditedDatabase(db, services.requests),
    blobs: services.blobs.of(name),
    documents: services.documents,
    thumbnails: services.thumbnails,
    secrets: services.secrets,
    dataDir: services.data_dir,
    baseUrl: services.base_url,
    journal: services.journal,
    bus: services.bus,
    presence: services.presence,
    instance: services.instance,
    background: services.background,

    files: () => madeFolder(join(services.data_dir, 'files', name)),
    env: async (variable) => process.env[variable],
    use<Other extends Contract>(id: Other['id']) {
      const declared = Object.keys(running.bundle.manifest.dependencies ?? {});
      assert(declared.includes(id), `Extension '${name}' uses '${id}', which its manifest does not name under 'dependencies'`);
      return handleOf<Other['service']>(id, () => service(id));
    },
    find<Other extends Contract>(id: Other['id']) {
      return service(id) as Other['service'] | undefined;
    },
    slot<Value>(slot: string) {
      const found: Contribution<Value>[] = [];
      for (const other of neighbours.all()) {
        for (const value of other.draft.slots.get(slot) ?? []) found.push({ from: other.extension, value: value as Value });
      }
      return found;
    },
    emit: (topic, payload) => services.events.emit(topic, payload),
    push(to, frame, options) {
      if (services.strict) assertPushed({ extension: name, pushed: running.draft.pushed }, to, frame);
      services.pusher.push(to, frame, options);
    },
    work: workFor(running, services, db),
    own: (disposable) => owned.own(disposable),
    track: (work) => running.track(work),
    fetch: (url, options) => services.fetch(url, options),
    web: (allow) => services.fetch.web(allow),
    checkUrl: (url) => services.fetch.check(url),
    disconnect: services.disconnect,
    invoke: services.invoke,
    validate: services.validate,
    modelArguments,
    extensions: services.extensions,
    operations: () => neighbours.operations(),
    pages: () => pagesOf(neighbours.all()),
    about: (target) => services.requests.current()?.audit?.of(name)?.about(target),
    identify: (caller) => services.requests.current()?.audit?.of(name)?.identify(caller),
    call: caller(name, services),
  };
}

async function madeFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  return path;
}

type Registrations = Pick<
  Context<Contract>,
  | 'expose'
  | 'provide'
  | 'contribute'
  | 'take'
  | 'listen'
  | 'channel'
  | 'check'
  | 'metric'
  | 'counter'
  | 'topic'
  | 'frame'
  | 'pushes'
  | 'examples'
  | 'every'
  | 'door'
  | 'site'
>;

/** Returns the context's methods that register contributions in the draft. */
function registrations(running: Running): Registrations {
  const { draft, extension: name } = running;
  return {
    expose(operations, handlers, codes = {}) {
      draft.assertOpen('expose()');
      assert(draft.operations.size === 0, 'expose() was called twice');
      for (const [id, operation] of Object.entries(operations as Record<string, Operation>)) {
        const handler = (handlers as Record<string, Handler>)[id];
        assert(handler, `Operation '${id}' has no handler`);
        draft.operations.set(id, activeOperation({ id, operation, ...steps(handler), codes, running }));
      }
    },
    provide: (own) => draft.provide(own),
    contribute: (slot, value) => draft.contribute(slot, value),
    take(topic, handler) {
      draft.assertOpen('take()');
      draft.transactionalListeners.push({ topic, handler: handler as (payload: unknown) => Promise<void> });
    },
    listen(topic, handler) {
      draft.assertOpen('listen()');
      draft.listeners.push({ topic, handler: handler as never });
    },
    channel: (description, deliver) => draft.contribute(channelSlot, channelOf(description, deliver)),
    check(code, probe) {
      draft.assertOpen('check()');
      draft.checks.push({ code, probe });
    },
    metric(metric, help, read) {
      draft.assertOpen('metric()');
      draft.metrics.push({ name: metricName(name, metric), help, read });
    },
    counter: (metric, help, label) => draft.counter(new LabelledCounter(metricName(name, metric), help, label)),
    topic: (topic, readers) => draft.topic(topic, readers),
    frame: (type, schema, handler) => draft.frame(type, { schema, handler }),
    pushes: (frames) => draft.pushes(frames),
    examples(examples) {
      draft.assertOpen('examples()');
      draft.examples = examples as Draft['examples'];
    },
    every(repeat, work) {
      draft.assertOpen('every()');
      draft.jobs.push({ repeat, work });
    },
    door(door, handle) {
      draft.assertOpen('door()');
      draft.doors.push({ extension: name, door, handle, activation: running });
    },
    site(site) {
      draft.assertOpen('site()');
      assert(draft.site === undefined, 'site() was called twice');
      draft.site = site;
    },
  };
}

/** Creates workers of this version of the extension and schedules their polls. */
function workFor(running: Running, services: Services, db: Database): Context<Contract>['work'] {
  return (work) => {
    const { draft, owned, signal, extension } = running;
    draft.assertOpen('work()');
    const { log, instance, background, workers } = services;
    const host = { db, log, instance, background, signal, track: (job: Promise<unknown>) => running.track(job) };
    const worker = owned.own(workers.open(extension, work, host));
    const { name, always = false, poll_ms = 2_000 } = work;
    draft.jobs.push({ repeat: { name, every_ms: poll_ms, always }, work: () => worker.poll() });
    if (work.lapsed !== 'retry')
      draft.jobs.push({ repeat: { name: `${name}-leases`, every_ms: 5_000, always }, work: () => worker.watch() });
    return worker;
  };
}

/** Calls operations as the caller of the running request; outside of a request as the extension itself. */
function caller(name: string, { requests, itself, invoke }: Services): Context<Contract>['call'] {
  return async (operation, input) => {
    const running = requests.current();
    const known = running?.caller ?? (await itself(name)) ?? anonymousExtension(name);
    // The audit trail links the call to the request by its id and names the extension in `via`.
    const options = { via: name, ...(running ? { request_id: running.request_id } : {}) };
    return (await invoke(operation, input, { ...known, door: 'plugin' }, options)).body;
  };
}

/** Returns the caller of an extension without a member: it may call public operations only. */
function anonymousExtension(name: string): Caller {
  return { member_id: 0, username: name, role: 'member', scopes: 'all', door: 'plugin', address: '', token_id: '', expires_at: 0 };
}

/** A handler that reads its input itself instead of the operation's schema. */
export interface Reading {
  read: NonNullable<ActiveOperation['read']>;
  handle: ActiveOperation['handler'];
}

type Handler = ActiveOperation['handler'] | Preparing<object, unknown> | Reading;

function steps(handler: Handler): Pick<ActiveOperation, 'handler' | 'prepare' | 'read'> {
  if (typeof handler === 'function') return { handler };
  if ('read' in handler) return { read: handler.read, handler: handler.handle };
  const prepare: Preparing<object, unknown>['prepare'] = (input, call) => handler.prepare(input, call);
  return { prepare, handler: async (input, call) => (await prepare(input, call))() };
}

interface OperationParts extends Pick<ActiveOperation, 'handler' | 'prepare' | 'read'> {
  id: string;
  operation: Operation;
  codes: Readonly<Record<string, number>>;
  running: Running;
}

function activeOperation({ id, operation, handler, prepare, read, codes, running }: OperationParts): ActiveOperation {
  for (const code of operation.failures ?? []) {
    assert(code in codes || code in coreCodes, `Operation '${id}' names the failure '${code}', which has no status`);
  }
  let data: OperationData | undefined;
  let input: ObjectSchema | undefined;
  let answer: Schema | undefined;
  return {
    id,
    extension: running.extension,
    operation,
    // Lazy, because a replacement would otherwise wait for schemas that nobody uses.
    get input() {
      input ??= operation.input?.(operationJoi) ?? joi.object({});
      return input;
    },
    get answer() {
      answer ??= operation.answer?.(operationJoi);
      return answer;
    },
    // The build writes operations as data into the manifest; otherwise they are described here.
    data: () => (data ??= running.bundle.manifest.contributes?.operations?.[id] ?? describeOperation(operation)),
    example: () => running.draft.examples[id]?.(),
    codes,
    handler,
    prepare,
    read,
    activation: running,
  };
}

/** Returns a proxy that looks the service up at each use, so that calls reach the running version. */
function handleOf<Service extends object>(id: string, current: () => object | undefined): Service {
  return new Proxy({} as Service, {
    get(_target, property) {
      const service = current();
      if (!service) throw failCore('extension_unavailable', `Extension '${id}' is not active now`);
      const member = Reflect.get(service, property) as unknown;
      return typeof member === 'function' ? member.bind(service) : member;
    },
  });
}

function metricName(extension: string, metric: string): string {
  return `platform_${extension.replace(/[^a-z0-9]/g, '_')}_${metric}`;
}
