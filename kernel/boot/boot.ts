import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from '../../config/describe.js';
import type { Config } from '../../config/schema.js';
import { fail } from '../contract/failure.js';
import type { Extensions } from '../contract/installation.js';
import type { PresenceProvider } from '../contract/socket.js';
import type { Cell, CellContent } from '../core/catalog/cell.js';
import { Events } from '../core/events/events.js';
import { Listeners } from '../core/events/listeners.js';
import { Repeats } from '../core/events/repeats.js';
import { Activator } from '../core/host/activate.js';
import { authenticatorOf, requireAuthenticator } from '../core/host/authenticator.js';
import { Disposables } from '../core/host/disposables.js';
import { Host } from '../core/host/host.js';
import { kernelTopics } from '../core/host/socket-names.js';
import { ClientFrames } from '../core/invoke/client-frames.js';
import { Idempotency } from '../core/invoke/idempotency.js';
import { Invoker } from '../core/invoke/invoke.js';
import { readInput } from '../core/invoke/read-input.js';
import { Recheck } from '../core/invoke/recheck.js';
import { Requests } from '../core/invoke/request.js';
import { ownExtensions } from '../core/plugins/own-bundles.js';
import { AuditTrail } from '../platform/audit/trail.js';
import { Backups } from '../platform/backup/backups.js';
import { isSigned, isSigningKey } from '../platform/bundles/signature.js';
import { Checks, type OwnedCheck } from '../platform/checks/checks.js';
import { ownChecks, vitalChecks } from '../platform/checks/own.js';
import { foldersOf, parseAddress } from '../platform/data/address.js';
import { openBlobs } from '../platform/data/blobs.js';
import { claimFile } from '../platform/data/claim-file.js';
import { openFolder } from '../platform/data/folder.js';
import { openData } from '../platform/data/hub.js';
import { installationKey, openSecrets, proveKey } from '../platform/data/secrets.js';
import { openStorage } from '../platform/data/storage.js';
import { DiskFloor } from '../platform/files/disk-floor.js';
import type { Http, HttpOptions } from '../platform/http/http.js';
import { InnerDoor } from '../platform/http/socket/inner-door.js';
import { socketPlatform } from '../platform/http/socket/platform.js';
import { Pusher } from '../platform/journal/pusher.js';
import { createLog } from '../platform/log/log.js';
import { LogRing } from '../platform/log/log-ring.js';
import { kernelCleaners } from '../platform/maintenance/cleaners.js';
import { metricsText } from '../platform/metrics-text.js';
import { createFetch } from '../platform/net/guarded-fetch.js';
import { kernelBundle } from '../platform/operations/extension.js';
import { Presences } from '../platform/presence/presences.js';
import { Containment } from '../platform/sandbox/walls/containment.js';
import { openTracing } from '../platform/tracing/open.js';
import { traced } from '../platform/tracing/traced.js';
import type { Tracing } from '../platform/tracing/tracing.js';
import { openTransport } from '../platform/transport/transport.js';
import { Workers } from '../platform/work/worker.js';
import { administration } from './administration.js';
import { clockOf } from './clock.js';
import type { BootOptions, Kernel } from './kernel.js';
import { type LocalKeyFile, openLocalKey } from './local-key.js';
import { OwnTopics } from './own-topics.js';
import { openInstallation, type Timers } from './plugins.js';
import { ProcessLoad } from './process-load.js';

/** What is still open when all extensions have stopped has this long to end. */
const http_close_ms = 2_000;
const disconnectChannel = 'kernel.disconnect';

/** The version of this program. */
function platformVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Starts a platform. Two calls give two, which share nothing but what the configuration names. */
export async function boot(config: Config, options: BootOptions): Promise<Kernel> {
  const resources = new Disposables();
  try {
    return await assemble(config, options, resources);
  } catch (fault) {
    await resources.dispose();
    throw fault;
  }
}

async function assemble(config: Config, options: BootOptions, resources: Disposables): Promise<Kernel> {
  const clock = clockOf(options.clock ?? { now: () => Date.now() });
  const started_ms = clock.now();
  const requests = new Requests();
  let topics: OwnTopics | undefined;
  const heard = (line: string) => topics?.logged(line);
  let tracing: Tracing | undefined;
  const destination = options.log ? { destination: options.log } : {};
  const log = createLog({ level: config.log_level, requests, heard, trace: () => tracing?.ids(), ...destination });
  const logs = new LogRing(clock);
  const version = platformVersion();
  const instance = randomUUID();
  const instance_name = config.instance_name || instance;
  const serves = options.listen || options.background;
  tracing = await openTracing({ env: process.env, version, instance: instance_name, log });
  const trace = traced(tracing, config.database_url);
  resources.own({ dispose: () => tracing?.close() });
  // Nobody else works in the folder of a database that has one user; others share theirs.
  const address = parseAddress(config.database_url, config.data_dir);
  const isLocked = address.dialect === 'sqlite';
  const folder = resources.own(await openFolder({ path: config.data_dir, lock: isLocked }));
  if (address.dialect === 'sqlite') resources.own(await claimFile(address.file));
  const { min_free_bytes } = config;
  const floor = new DiskFloor({ folders: foldersOf(address, folder.path), min_free_bytes });
  const transport = await openTransport({ url: config.bus_url, clock, log });
  resources.own({ dispose: () => transport.close() });
  const data = await openData({
    url: config.database_url,
    data_dir: folder.path,
    instance,
    serves,
    clock,
    log,
    watch: trace.statements,
    isAwaited: () => requests.isAwaited,
  });
  resources.own({ dispose: () => data.close() });
  const secrets = await openSecrets({ key: config.secret_key, data_dir: folder.path });
  await proveKey(data, secrets);

  const listeners = new Listeners({ data, bus: transport.bus, clock, log, instance });
  const events = new Events({ data, bus: transport.bus, clock, takers: (topic) => takersOf(host, topic), instance, listeners });
  const idempotency = new Idempotency({ data, clock, instance, hash_key: await installationKey(data, secrets, 'idempotency_key') });
  const audit = resources.own(new AuditTrail({ data, clock, log, days: config.audit.days }));
  const invoker = new Invoker({ requests, idempotency, audit, strict: options.strict ?? false });
  const { bus, clustered } = transport;
  const pusher = new Pusher({ data, journal: transport.journal, bus, clock, log, instance, clustered });
  resources.own({ dispose: () => pusher.close() });
  // Presence is asked for while the rest still starts, on a slow database for seconds.
  let startedHost: Host | undefined;
  const runningExtensions = () => [...(startedHost?.running.values() ?? [])];
  const providers = () => runningExtensions().flatMap(({ draft }) => (draft.slots.get('presence') ?? []) as PresenceProvider[]);
  const presence = await Presences.open({ data, bus, clock, log, instance, clustered, providers });
  resources.own({ dispose: () => presence.close() });
  const frames = new ClientFrames({ requests, running: runningExtensions, topics: kernelTopics });
  const own: string[] = [];
  const fetch = trace.fetch(createFetch({ allow: config.fetch_allow, own: () => own }));
  resources.own({ dispose: () => fetch.close() });
  const repeats = new Repeats(log);
  resources.own({ dispose: () => repeats.stop() });
  const settings = (extension: string) => settingsOf(config, extension);
  const authenticator = () => authenticatorOf(host);
  const active = (operation: string) => {
    const found = host.catalog.operations.get(operation);
    if (!found) throw fail('operation_not_found', `There is no operation '${operation}' among what is loaded`);
    return found;
  };
  const perform = trace.operations((found, input, caller, given) => invoker.run(found, input, caller, given));
  const invoke: Kernel['invoke'] = async (operation, input, caller, given = {}) => perform(active(operation), input, caller, given);
  // Checks that need a plugin's process run with the operation: nothing waits for a plugin here.
  const check = (operation: string, input: unknown) => void readInput(active(operation), input, { handling: 'strict' });

  const vital = vitalChecks({ data, transport });
  const checker = new Checks(clock);
  const readiness = async () => {
    const extensions = [...host.catalog.extensions].map(
      ([extension, { state, error, builtin }]): OwnedCheck => ({
        extension,
        code: 'extension_active',
        probe: async () => ({ ok: state !== 'failed' || !builtin, message: error ?? 'active' }),
      }),
    );
    const found = await checker.run([...vital.map((check) => ({ extension: 'kernel', ...check })), ...extensions]);
    return { ok: found.every(({ ok }) => ok), checks: found };
  };
  const metrics = () => metricsText([...host.running.values()].map(({ draft }) => draft));
  const sockets = socketPlatform({ journal: transport.journal, presence, frames, pusher });
  const http = options.listen
    ? await openHttp(config, {
        invoke: perform,
        ...trace.requests,
        exceeded: (excess) => audit.exceeded(excess),
        authenticator,
        checks: readiness,
        metrics,
        inRequest: (context, work) => requests.run(context, work),
        sockets,
        floor,
        log,
        clock,
        version,
        instance: instance_name,
        uploads: join(folder.path, 'uploads'),
        local: resources.own(await openLocalKey(folder.path)),
      })
    : undefined;

  // Not before it is known that no other server has this folder.
  if (http) await folder.claimPid();
  const inner = new InnerDoor({ platform: sockets, authenticator, clock, log, version, instance });
  const door = http ?? inner;
  topics = new OwnTopics({ pusher, instance, clock, isRead: (topic) => door.isRead(topic) });

  const disconnect = async (who: { member_id: number; token_id?: string }) => {
    door.disconnect(who);
    await transport.bus.publish(disconnectChannel, { ...who, instance });
  };
  const undisconnect = await transport.bus.subscribe(disconnectChannel, (who: { member_id: number; instance: string }) => {
    if (who.instance !== instance) door.disconnect(who);
  });
  resources.own({ dispose: undisconnect });
  const recheck = resources.own(
    new Recheck({ authenticator, callers: () => door.callers(), disconnect: (who) => door.disconnect(who), log }),
  );
  transport.onBack(() => recheck.look());
  const blobs = resources.own(openBlobs(data, { data_dir: folder.path, clock, log, floor }));
  const extensions: Extensions = {
    platform_version: version,
    check: (file, signal) => installation.installer.check(file, signal),
    isSigned,
    isSigningKey,
    install: (request) => installation.installer.installGuest(request),
    uninstall: (id, given) => installation.installer.uninstall(id, given),
    installed: () => installation.installer.installed(),
    skill: (id) => installation.installer.skill(id),
  };
  const services = {
    log,
    logs,
    clock,
    data,
    data_dir: folder.path,
    storage: (extension: string) => openStorage(data, extension),
    blobs,
    secrets,
    journal: transport.journal,
    bus: transport.bus,
    pusher,
    presence,
    events,
    requests,
    instance,
    background: options.background,
    workers: new Workers(),
    settings,
    fetch,
    invoke,
    extensions,
    itself: (extension: string) => installation.itself(extension),
    validate: check,
    disconnect,
  };
  const walls = resources.own(new Containment({ data_dir: folder.path, trusted: config.plugins.trusted }));
  const cells = http && {
    build: (content: CellContent) => http.buildCell(content),
    stop: (cell: Cell) => cell.stop(),
    stopStreams: (extension: string) => http.stopStreams(extension),
  };
  const activator = new Activator({ services, listeners, repeats, cells });
  const host: Host = new Host({
    activator,
    platform_version: version,
    publish: (catalog) => {
      http?.publish(catalog);
      topics?.published(catalog);
      installation.standings.changed();
    },
    unstarted: (id, fault) => installation.restarts.unstarted(id, fault),
  });
  startedHost = host;
  // What is acquired from here on is released before it: while all stops, nothing is changed any more.
  resources.own({
    async dispose() {
      await host.close();
      await http?.close(http_close_ms);
      await inner.close();
    },
  });
  const files_quota = { files: config.plugins.files, bytes: config.plugins.files_bytes };
  const installation = openInstallation({
    walls,
    files_quota,
    floor,
    secrets,
    host,
    data,
    data_dir: folder.path,
    blobs,
    bus,
    clustered,
    instance,
    clock,
    builtin: options.extensions ?? ownExtensions(),
    alone: options.background,
    timers: options.timers ?? timers,
    step: options.installing ?? (() => {}),
    log,
  });
  const { installer, restarts } = installation;
  // Before anything starts: also a start that is refused leaves nothing that is tried again.
  resources.own({ dispose: () => restarts.close() });
  const keeping = <T>(work: () => Promise<T>) => blobs.keeping(work);
  // The folders of the platform's own extensions have no quota.
  const quotaOf = (extension: string) =>
    host.installed(extension)?.bundle.guest === undefined && host.installed(extension) ? undefined : files_quota;
  const backups = new Backups({ data, data_dir: folder.path, server: version, keeping, quotaOf, clock, log, floor });
  const cleaners = kernelCleaners({ audit, idempotency, listeners, blobs });
  const maintenance = { data, backups, cleaners };
  const { database_url } = config;
  const watching = { data, clock, data_dir: folder.path, database_url, min_free_bytes, instance, clustered, serves };
  const watched = [...vital, ...ownChecks(watching)];
  // Without plugins nothing depends on it, and trying the walls starts processes.
  const checks = [...watched, { code: 'plugin_walls', probe: () => walls.check() }];
  const around = (extension: string) => walls.around(extension);
  const trusts = (extension: string) => config.plugins.trusted.includes(extension);
  const { standings } = installation;
  const load = resources.own(new ProcessLoad());
  const status = { version, instance, instance_name, database: data.dialect, clock, started_ms, host, load, http: () => http?.standing() };
  // A port of 0 is another one once the server listens.
  let { port } = config;
  const settingRows = () => describe({ ...config, port }, options.sources ?? {});
  const parts = {
    version,
    clock,
    config: settingRows,
    host,
    installer,
    standings,
    logs,
    settings,
    checker,
    watched,
    checks,
    walls: around,
    trusts,
    status,
  };
  const kernel = kernelBundle({ administration: administration(parts), maintenance, audit });
  const found = await installer.found();
  await host.boot([{ bundle: kernel, folder: undefined, builtin: true, enabled: true }, ...found]);
  await installation.start(resources);
  const listening = await http?.listen();
  if (listening) port = listening.port;
  if (listening) own.push(`${new URL(listening.url).hostname}:${listening.port}`);

  return {
    url: listening?.url,
    instance,
    log,
    host,
    installer,
    walls,
    workbench: {
      async install(zip) {
        await installer.installGuest({ blob: await blobs.of('kernel').put(zip), accept_permissions: true });
      },
      emit: (topic, payload) => events.emit(topic as never, payload as never),
      storage: (extension) => openStorage(data, extension),
    },
    invoke,
    localCaller: async (door) => requireAuthenticator(authenticator()).local(door),
    tokenCaller: async (token, door) => requireAuthenticator(authenticator()).token(token, door, ''),
    operations: () => Object.fromEntries([...host.catalog.operations].map(([id, active]) => [id, active.data()])),
    openSocket: () => inner.connect(),
    settled: () => host.settled(),
    async close() {
      await http?.drain();
      const faults = await resources.dispose();
      for (const fault of faults) log.warn('Something was not released cleanly', { err: fault });
    },
  };
}

type HttpParts = Omit<HttpOptions, 'config'> & { local: LocalKeyFile; uploads: string };

async function openHttp(config: Config, { local, uploads, ...options }: HttpParts): Promise<Http> {
  const { createHttp } = await import('../platform/http/http.js');
  const { host, port, base_url, trusted_proxies, cors_origins, limits, log_level } = config;
  const { path, key } = local;
  const shown = { host, port, base_url, trusted_proxies, cors_origins, limits, log_requests: log_level === 'debug' };
  return createHttp({ ...options, config: { ...shown, uploads, local: { path, key } } });
}

const timers: Timers = {
  after(ms, work) {
    const timer = setTimeout(work, ms).unref();
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

function takersOf(host: Host, topic: string) {
  return [...host.running.values()].flatMap(({ draft }) => draft.takers.filter((taker) => taker.topic === topic));
}

function settingsOf(config: Config, extension: string): Readonly<Record<string, unknown>> {
  const section = (config as unknown as Record<string, unknown>)[extension];
  const own = typeof section === 'object' && section !== null && !Array.isArray(section) ? (section as Record<string, unknown>) : {};
  return Object.freeze({ ...own, ...sharedSettings(config)[extension] });
}

/** Settings outside of any section that an extension needs too. */
function sharedSettings({ docker_host, docker_cert_path, trusted_proxies }: Config): Record<string, Readonly<Record<string, unknown>>> {
  return { nodes: { docker_host, docker_cert_path }, members: { trusted_proxies } };
}
