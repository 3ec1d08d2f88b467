import type { Config } from '../../config/schema.js';
import type { Authenticator, InvokeOptions, Outcome } from '../contract/extension.js';
import { fail } from '../contract/failure.js';
import type { Caller } from '../contract/operation.js';
import type { RoomRights } from '../contract/room-rights.js';
import type { FrameReviewer, PresenceProvider } from '../contract/socket.js';
import type { ActiveOperation } from '../core/catalog/catalog.js';
import type { Check } from '../core/catalog/draft.js';
import { Events } from '../core/events/events.js';
import { Listeners } from '../core/events/listeners.js';
import { Repeats } from '../core/events/repeats.js';
import { authenticatorOf } from '../core/host/authenticator.js';
import type { Disposables } from '../core/host/disposables.js';
import { Loaded } from '../core/host/loaded.js';
import { kernelTopics } from '../core/host/socket-names.js';
import { ClientFrames } from '../core/invoke/client-frames.js';
import { Idempotency } from '../core/invoke/idempotency.js';
import { Invoker } from '../core/invoke/invoke.js';
import { readInput } from '../core/invoke/read-input.js';
import type { GuardedFetch } from '../core/ports.js';
import { AuditTrail } from '../platform/audit/trail.js';
import { Checks } from '../platform/checks/checks.js';
import { vitalChecks } from '../platform/checks/own.js';
import { installationKey } from '../platform/data/secrets.js';
import type { Invoke } from '../platform/http/handle.js';
import { type SocketPlatform, socketPlatform } from '../platform/http/socket/platform.js';
import { Pusher } from '../platform/journal/pusher.js';
import { createFetch } from '../platform/net/guarded-fetch.js';
import { Presences } from '../platform/presence/presences.js';
import type { BootOptions } from './kernel.js';
import type { StorageParts } from './storage.js';

/** The second phase: services for extensions and transports. They look up loaded extensions at each call. */
export interface ServiceParts {
  loaded: Loaded;
  listeners: Listeners;
  events: Events;
  idempotency: Idempotency;
  audit: AuditTrail;
  pusher: Pusher;
  presence: Presences;
  sockets: SocketPlatform;
  repeats: Repeats;
  fetch: GuardedFetch;
  /** Addresses of this process, which its own requests may reach. Set when it listens. */
  own_addresses: string[];
  /** Checks without which nothing works; `/readyz` runs them too. */
  vital: readonly Check[];
  checker: Checks;
  authenticator: () => Authenticator | undefined;
  /** Runs an operation that has been looked up. */
  perform: Invoke;
  invoke: (operation: string, input: unknown, caller: Caller, options?: InvokeOptions) => Promise<Outcome>;
  /** Validates an input against an operation's schema. Checks inside a plugin's process run with the operation, not here. */
  validate: (operation: string, input: unknown) => void;
}

export async function openServices(
  config: Config,
  { strict = false }: BootOptions,
  storage: StorageParts,
  resources: Disposables,
): Promise<ServiceParts> {
  const { data, clock, log, instance, requests, secrets, trace, transport } = storage;
  const { bus, clustered, journal } = transport;
  const loaded = new Loaded();
  const listeners = new Listeners({ data, bus, clock, log, instance });
  const takers = (topic: string) => loaded.drafts.flatMap((draft) => draft.transactionalListeners.filter((taker) => taker.topic === topic));
  const events = new Events({ data, bus, clock, transactionalListeners: takers, instance, listeners });
  const idempotency = new Idempotency({ data, clock, instance, hash_key: await installationKey(data, secrets, 'idempotency_key') });
  const audit = resources.own(new AuditTrail({ data, clock, log, days: config.audit.days }));
  const invoker = new Invoker({ requests, idempotency, audit, strict, roomRights: () => loaded.slot<RoomRights>('rooms.rights')[0] });
  const pusher = new Pusher({ data, journal, bus, clock, log, instance, clustered });
  resources.own({ dispose: () => pusher.close() });
  const providers = () => loaded.slot<PresenceProvider>('presence');
  const presence = await Presences.open({ data, bus, clock, log, instance, clustered, providers });
  resources.own({ dispose: () => presence.close() });
  const frames = new ClientFrames({ requests, running: () => loaded.running.values(), topics: kernelTopics });
  const own_addresses: string[] = [];
  const fetch = trace.fetch(createFetch({ allow: config.fetch_allow, own: () => own_addresses }));
  resources.own({ dispose: () => fetch.close() });
  const repeats = new Repeats(log);
  resources.own({ dispose: () => repeats.stop() });
  const perform = trace.operations((found, input, caller, given) => invoker.run(found, input, caller, given));
  return {
    loaded,
    listeners,
    events,
    idempotency,
    audit,
    pusher,
    presence,
    sockets: socketPlatform({ journal, presence, frames, pusher, reviewers: () => loaded.slot<FrameReviewer>('frames.review') }),
    repeats,
    fetch,
    own_addresses,
    vital: vitalChecks({ data, transport }),
    checker: new Checks(clock),
    authenticator: () => authenticatorOf(loaded),
    perform,
    invoke: async (operation, input, caller, given = {}) => perform(findOperation(loaded, operation), input, caller, given),
    validate: (operation, input) => void readInput(findOperation(loaded, operation), input, { handling: 'strict' }),
  };
}

function findOperation(loaded: Loaded, operation: string): ActiveOperation {
  const found = loaded.catalog.operations.get(operation);
  if (!found) throw fail('operation_not_found', `There is no loaded operation '${operation}'`);
  return found;
}
