import { join } from 'node:path';
import type { Config } from '../../config/schema.js';
import type { Disposables } from '../core/host/disposables.js';
import { SessionRecheck } from '../core/invoke/session-recheck.js';
import type { OwnedCheck } from '../platform/checks/checks.js';
import type { Http } from '../platform/http/http.js';
import { InnerDoor } from '../platform/http/socket/inner-door.js';
import { metricsText } from '../platform/metrics-text.js';
import type { BootOptions } from './kernel.js';
import { openLocalKey } from './local-key.js';
import { OwnTopics } from './own-topics.js';
import type { ServiceParts } from './services.js';
import type { StorageParts } from './storage.js';

/** Connections to close: all of a member, or those of one token. */
type DisconnectTarget = { member_id: number; token_id?: string };

/** The third phase: the transports, not yet listening. */
export interface DoorParts {
  /** Undefined if the kernel doesn't listen. */
  http: Http | undefined;
  /** Sockets of a kernel that doesn't listen. */
  inner: InnerDoor;
  topics: OwnTopics;
  /** Closes a member's connections on all instances. */
  disconnect: (who: DisconnectTarget) => Promise<void>;
}

const disconnectChannel = 'kernel.disconnect';

export async function openDoors(
  config: Config,
  { listen }: BootOptions,
  { storage, services, resources }: { storage: StorageParts; services: ServiceParts; resources: Disposables },
): Promise<DoorParts> {
  const { clock, log, version, instance, transport } = storage;
  const { authenticator, sockets: platform, pusher } = services;
  const http = listen ? await openHttp(config, { storage, services, resources }) : undefined;
  // Only once it is certain that no other server uses this folder.
  if (http) await storage.folder.claimPid();
  const inner = new InnerDoor({ platform, authenticator, clock, log, version, instance });
  const door = http ?? inner;
  const topics = new OwnTopics({ pusher, instance, clock, isRead: (topic) => door.isRead(topic) });
  storage.log_listeners.add((line) => topics.logged(line));
  const undisconnect = await transport.bus.subscribe(disconnectChannel, (who: DisconnectTarget & { instance: string }) => {
    if (who.instance !== instance) door.disconnect(who);
  });
  resources.own({ dispose: undisconnect });
  const disconnect = async (who: DisconnectTarget) => {
    door.disconnect(who);
    await transport.bus.publish(disconnectChannel, { ...who, instance });
  };
  const callers = () => door.callers();
  const recheck = resources.own(new SessionRecheck({ authenticator, callers, disconnect: (who) => door.disconnect(who), log }));
  transport.onReconnect(() => recheck.check());
  return { http, inner, topics, disconnect };
}

interface Parts {
  storage: StorageParts;
  services: ServiceParts;
  resources: Disposables;
}

async function openHttp(config: Config, { storage, services, resources }: Parts): Promise<Http> {
  const { createHttp } = await import('../platform/http/http.js');
  const { trace, requests, floor, log, clock, version, instance_name, folder } = storage;
  const { perform, audit, authenticator, sockets, loaded } = services;
  const { host, port, base_url, trusted_proxies, cors_origins, limits, log_level } = config;
  const { path, key } = resources.own(await openLocalKey(folder.path));
  const settings = { host, port, base_url, trusted_proxies, cors_origins, limits, log_requests: log_level === 'debug' };
  return createHttp({
    config: { ...settings, uploads: join(folder.path, 'uploads'), local: { path, key } },
    invoke: perform,
    ...trace.requests,
    exceeded: (excess) => audit.exceeded(excess),
    authenticator,
    checks: () => readiness(services),
    metrics: () => metricsText(loaded.drafts),
    inRequest: (context, work) => requests.run(context, work),
    sockets,
    floor,
    log,
    clock,
    version,
    instance: instance_name,
  });
}

/** Checks whether this instance can serve: all vital checks pass, and no built-in extension has failed. */
async function readiness({ loaded, vital, checker }: ServiceParts) {
  const extensions = [...loaded.catalog.extensions]
    .filter(([, { builtin }]) => builtin)
    .map(
      ([extension, { state, error }]): OwnedCheck => ({
        extension,
        code: 'extension_active',
        probe: async () => ({ ok: state !== 'failed', message: error ?? 'active' }),
      }),
    );
  const found = await checker.run([...vital.map((check) => ({ extension: 'kernel', ...check })), ...extensions]);
  return { ok: found.every(({ ok }) => ok), checks: found };
}
