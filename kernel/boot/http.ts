import { join } from 'node:path';
import type { Config } from '../../config/schema.js';
import type { Disposables } from '../core/host/disposables.js';
import { Recheck } from '../core/invoke/recheck.js';
import type { OwnedCheck } from '../platform/checks/checks.js';
import type { Http } from '../platform/http/http.js';
import { InnerDoor } from '../platform/http/socket/inner-door.js';
import { metricsText } from '../platform/metrics-text.js';
import type { BootOptions } from './kernel.js';
import { openLocalKey } from './local-key.js';
import { OwnTopics } from './own-topics.js';
import type { ServiceParts } from './services.js';
import type { StorageParts } from './storage.js';

/** Whose connections end: all of a member's, or those of one token. */
type Disconnected = { member_id: number; token_id?: string };

/** The third phase: the doors, still closed. */
export interface DoorParts {
  /** Undefined where nothing is to listen. */
  http: Http | undefined;
  /** The sockets of a kernel that doesn't listen. */
  inner: InnerDoor;
  topics: OwnTopics;
  /** Ends a member's connections on all instances. */
  disconnect: (who: Disconnected) => Promise<void>;
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
  // Not before it is known that no other server has this folder.
  if (http) await storage.folder.claimPid();
  const inner = new InnerDoor({ platform, authenticator, clock, log, version, instance });
  const door = http ?? inner;
  const topics = new OwnTopics({ pusher, instance, clock, isRead: (topic) => door.isRead(topic) });
  storage.log_listeners.add((line) => topics.logged(line));
  const undisconnect = await transport.bus.subscribe(disconnectChannel, (who: Disconnected & { instance: string }) => {
    if (who.instance !== instance) door.disconnect(who);
  });
  resources.own({ dispose: undisconnect });
  const disconnect = async (who: Disconnected) => {
    door.disconnect(who);
    await transport.bus.publish(disconnectChannel, { ...who, instance });
  };
  const callers = () => door.callers();
  const recheck = resources.own(new Recheck({ authenticator, callers, disconnect: (who) => door.disconnect(who), log }));
  transport.onBack(() => recheck.look());
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
  const shown = { host, port, base_url, trusted_proxies, cors_origins, limits, log_requests: log_level === 'debug' };
  return createHttp({
    config: { ...shown, uploads: join(folder.path, 'uploads'), local: { path, key } },
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

/** Whether this instance can serve: what is vital works, and none of the platform's own extensions has failed. */
async function readiness({ loaded, vital, checker }: ServiceParts) {
  const extensions = [...loaded.catalog.extensions].map(
    ([extension, { state, error, builtin }]): OwnedCheck => ({
      extension,
      code: 'extension_active',
      probe: async () => ({ ok: state !== 'failed' || !builtin, message: error ?? 'active' }),
    }),
  );
  const found = await checker.run([...vital.map((check) => ({ extension: 'kernel', ...check })), ...extensions]);
  return { ok: found.every(({ ok }) => ok), checks: found };
}
