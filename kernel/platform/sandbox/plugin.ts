import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import joi, { type ObjectSchema } from 'joi';
import type { CheckResult, Context, Disposable, Extension } from '../../contract/extension.js';
import { coreCodes, fail, isFailure } from '../../contract/failure.js';
import { Limiter } from '../../contract/limiter.js';
import type { Manifest, OperationData, Permissions } from '../../contract/manifest.js';
import type { Operation } from '../../contract/operation.js';
import { fail as failHost } from '../../core/host/codes.js';
import type { Reading } from '../../core/host/context.js';
import { schemaFromData } from '../../core/host/joi-schema.js';
import { Patterns } from '../../core/host/pattern.js';
import { validate } from '../../core/invoke/validate.js';
import { RateLimiter } from '../../core/limits/rate-limiter.js';
import { type FolderQuota, isOverQuota } from '../files/files-below.js';
import { operationFromData, readContributed } from './contributed.js';
import { Emissions } from './emissions.js';
import { Grants } from './grants.js';
import { handlerFor, unavailable } from './handler.js';
import { type InputReaderParts, inputReader } from './input-reader.js';
import { bodies_at_once, log_bytes } from './limits.js';
import type { Activation, Contributed, SendRequest } from './messages.js';
import { type PlatformSide, servePlugin } from './platform.js';
import { PluginLog } from './plugin-log.js';
import { type Exit, PluginProcess } from './process.js';
import { processSlot } from './slot.js';
import { Spool } from './spool.js';
import type { Containment } from './walls/containment.js';

/** Limit of the body of a public operation. */
const public_max_bytes = 1024 * 1024;
/** Limit of requests a minute from one address to all public operations of a plugin together. */
const public_per_minute = 60;

/** The bundle of a plugin: its manifest and folder. */
export interface PluginSource {
  manifest: Manifest;
  folder: string;
}

export interface SandboxOptions {
  /** Granted permissions. Default: those that its manifest requests. */
  permissions?: Permissions;
  /** Isolates its process. */
  walls: Containment;
  /** Whether an administrator trusts it, so that it may run without isolation. In addition to `plugins.trusted`. */
  trusted?: boolean;
  /** Limit of the plugin's heap. Default 64. */
  memory_mb?: number;
  /** Time limit of operations without their own. Default 30,000. */
  call_timeout_ms?: number;
  /** Time limit of the activation. Default 25,000: below the 30 s for any extension. */
  activate_timeout_ms?: number;
  /** Ping interval; two missed pings end the process. Default 5,000. */
  ping_every_ms?: number;
  /**
   * Called when the process has ended for any reason, with the signal of its activation. Its calls
   * fail with `extension_unavailable` from then on.
   */
  onExit?: (exit: Exit, signal: AbortSignal) => void;
  /** Limit of its own folder, checked before the start and once a minute. Default: no limit. */
  files_quota?: FolderQuota;
  /** Returns the seconds until a crashed process may be restarted. */
  retry_after?: () => number | undefined;
}

const defaults = { memory_mb: 64, call_timeout_ms: 30_000, activate_timeout_ms: 25_000, ping_every_ms: 5_000 };
const listener_timeout_ms = 30_000;
const probe_timeout_ms = 5_000;
const frame_timeout_ms = 10_000;
const quota_every_ms = 60_000;
const channel_timeout_ms = 30_000;

/** Wraps a third-party plugin as an extension: its code runs in its own process and communicates over a pipe. */
export function sandboxed(source: PluginSource, options: SandboxOptions): Extension {
  const settings = { ...defaults, ...options };
  let process: PluginProcess | undefined;
  return {
    async activate(ctx) {
      const { manifest } = source;
      const { memory_mb, walls, trusted = false } = settings;
      const { permissions = manifest.permissions ?? {} } = options;
      const log = new PluginLog(ctx.log);
      const grants = new Grants({ plugin: ctx.name, permissions, log });
      const emissions = new Emissions();
      let exposed: ReadonlySet<string> = new Set();
      const spool = ctx.own(await Spool.open());
      const own = await ctx.files();
      await assertQuota(ctx.name, own, settings.files_quota);
      const isolation = { folder: source.folder, files: own, spool: spool.folder, memory_mb, trusted };
      const { command, folder, files } = ctx.own(await walls.isolate(ctx.name, isolation));
      const side: PlatformSide = {
        ctx,
        log,
        grants,
        emissions,
        exposes: (operation) => exposed.has(operation),
        limiter: new Limiter(bodies_at_once),
      };
      const started: PluginProcess = PluginProcess.start({
        name: ctx.name,
        command,
        ping_every_ms: settings.ping_every_ms,
        memory_mb,
        log: ctx.log,
        serve: (request) => servePlugin(side, request),
        notice: (method, params, bytes) => method === 'log' && bytes <= log_bytes && log.line(params),
        ended: (exit) => ended(ctx, exit, options.onExit),
      });
      ctx.own({ dispose: () => started.kill() });
      if (settings.files_quota) ctx.own(watchQuota(own, settings.files_quota, started));
      process = started;
      const { main = 'index.cjs' } = manifest;
      const activation = { name: ctx.name, folder, main, joi: command.joi, files, config: ctx.config, inherited: started.inherited };
      const { call_timeout_ms, retry_after = () => undefined } = settings;
      try {
        const contributed = await activated(started, activation, settings.activate_timeout_ms);
        assertDeclared(contributed, manifest);
        exposed = new Set(Object.keys(contributed.operations));
        await contribute(ctx, { ...contributed, grants, process: started, log, spool, call_timeout_ms, retry_after });
      } catch (fault) {
        throw faultOfStart(fault);
      }
      ctx.contribute(processSlot, started);
      ctx.signal.addEventListener('abort', () => started.peer.notify('stop', { reason: ctx.signal.reason as unknown }), { once: true });
      started.watch();
    },
    async deactivate(reason) {
      if (process && !process.gone) await process.peer.request('deactivate', { reason });
    },
  };
}

async function assertQuota(plugin: string, folder: string, quota: FolderQuota | undefined): Promise<void> {
  if (quota && (await isOverQuota(folder, quota)))
    throw failHost(
      'extension_failed',
      `Plugin '${plugin}' ${overQuota(quota)}: remove some of ${folder}, or raise PLATFORM_PLUGINS_FILES_BYTES`,
    );
}

function overQuota({ files, bytes }: FolderQuota): string {
  return `has more than ${files} files or ${bytes} bytes in its own folder`;
}

/** Kills a process that exceeds its folder limit. Checks never overlap, even if one takes longer than a minute. */
function watchQuota(folder: string, quota: FolderQuota, process: PluginProcess): Disposable {
  let isChecking = false;
  const check = async () => {
    if (isChecking || process.gone) return;
    isChecking = true;
    try {
      if (await isOverQuota(folder, quota)) await process.kill(`it ${overQuota(quota)}`);
    } finally {
      isChecking = false;
    }
  };
  const timer = setInterval(() => void check(), quota_every_ms).unref();
  return { dispose: () => clearInterval(timer) };
}

function ended(ctx: Context, exit: Exit, onExit: SandboxOptions['onExit']): void {
  if (!exit.expected)
    ctx.log.error(`Extension '${ctx.name}' has lost its process: ${exit.reason}`, { exit_code: exit.code, signal: exit.signal });
  onExit?.(exit, ctx.signal);
}

async function activated(process: PluginProcess, activation: Activation, ms: number): Promise<Contributed> {
  const limit = { ms, fault: () => new Error(`activate() took longer than ${ms / 1000} s`) };
  try {
    return readContributed(await process.peer.request('activate', activation, { limit }));
  } catch (fault) {
    // The pipe closes before the exit is known, but a person needs the exit reason.
    if (process.gone) throw new Error((await process.exited).reason, { cause: fault });
    throw fault;
  }
}

const schemaFaults: ReadonlySet<string> = new Set(['pattern_refused', 'invalid_schema']);

/**
 * Returns what a start fails with. A rejection, such as `permission_denied`, is the plugin's fault and not that of the person who starts it;
 * so is an internal error in its process. Faults that `check` finds too, such as `pattern_refused`, keep their codes, and so do those of the
 * platform, such as `database_unavailable`.
 */
function faultOfStart(fault: unknown): unknown {
  if (!isFailure(fault)) return fault;
  const { code, status } = fault;
  if (schemaFaults.has(code) || (Object.hasOwn(coreCodes, code) && status >= 500 && code !== 'internal_error')) return fault;
  return new Error(fault.message, { cause: fault });
}

/** Fails if a registered operation differs from the manifest. The host compares missing operations, topics and channels. */
function assertDeclared({ operations }: Contributed, { contributes }: Manifest): void {
  const declared = contributes?.operations ?? {};
  const known = Object.keys(operations).filter((id) => Object.hasOwn(declared, id));
  const differing = known.find((id) => !isDeepStrictEqual(operations[id], declared[id]));
  if (differing) throw new Error(`Its operation '${differing}' differs from its manifest`);
}

interface Parts extends Contributed {
  grants: Grants;
  process: PluginProcess;
  log: PluginLog;
  spool: Spool;
  call_timeout_ms: number;
  retry_after: () => number | undefined;
}

/** Registers the plugin's contributions, each backed by requests to its process. */
async function contribute(ctx: Context, parts: Parts): Promise<void> {
  const { process, log, codes, spool, call_timeout_ms, grants, retry_after } = parts;
  const publicLimiter = new RateLimiter({ per_minute: public_per_minute, what: 'requests from one address' });
  const patterns = new Patterns(ctx.name);
  const { peer } = process;
  const limit = (what: string, ms: number) => ({ limit: { ms, fault: () => new Error(`${what} took longer than ${ms / 1000} s`) } });
  const operations: Record<string, Operation> = {};
  const handlers: Record<string, Reading> = {};
  const sendRequest: InputReaderParts['sendRequest'] = (method, params, options) => {
    if (process.gone) throw unavailable(ctx.name, retry_after());
    return peer.request(method, params, options);
  };
  const readLimit = { ms: call_timeout_ms, fault: () => fail('operation_timeout', `Plugin '${ctx.name}' took too long to check an input`) };
  for (const [id, data] of Object.entries(parts.operations)) {
    grants.expose({ id, who: data.who });
    assertPublic(id, data);
    const operation = operationFromData(data, patterns.make);
    operations[id] = operation;
    const handle = handlerFor({ process, log, name: ctx.name, id, operation, call_timeout_ms, spool, limit: publicLimiter, retry_after });
    handlers[id] = {
      handle,
      read: inputReader({ of: { kind: 'operation', name: id }, data: data.input, patterns, sendRequest, limit: readLimit }),
    };
    // Yield between schemas: compiling one takes milliseconds, and a plugin may have hundreds.
    await setImmediate();
  }
  if (Object.keys(operations).length > 0) ctx.expose(operations as never, handlers as never, codes);
  for (const [index, topic] of parts.listens.entries()) {
    const options = limit(`The listener to '${topic}'`, listener_timeout_ms);
    grants.listen(topic);
    ctx.listen(topic, async (delivery) => void (await peer.request('deliver', { index, delivery }, options)));
  }
  for (const [index, code] of parts.checks.entries()) {
    const options = limit(`The check '${code}'`, probe_timeout_ms);
    ctx.check(code, async () => readCheck(await peer.request('check', { index }, options), code));
  }
  for (const { name, readers } of parts.topics) ctx.topic(owned(ctx, name), readers);
  for (const [index, description] of parts.channels.entries()) {
    const options = limit(`The channel '${description.name}'`, channel_timeout_ms);
    ctx.channel({ ...description, name: owned(ctx, description.name) }, async ({ settings, note, signal }) => {
      await peer.request('send', { index, settings, note } satisfies SendRequest, { ...options, signal: () => signal });
    });
  }
  for (const { type, schema } of parts.frames) {
    const options = limit(`The handler of '${type}'`, frame_timeout_ms);
    const compiled = schemaFromData(joi, schema, patterns.make) as ObjectSchema;
    const read = inputReader({ of: { kind: 'frame', name: type }, data: schema, patterns, sendRequest, limit: readLimit });
    ctx.frame(
      owned(ctx, type),
      (j) => j.object().unknown(),
      async (frame, { caller, connection_id }) => {
        const remote = read(frame);
        const data: unknown = remote ? await remote() : validate(compiled, frame);
        // Never pass the id of the sender's token on.
        const sender = { caller: { ...caller, token_id: '' }, connection_id };
        await peer.request('frame', { type, data, sender }, options);
      },
    );
  }
  for (const [index, { name, help }] of parts.metrics.entries()) {
    const options = limit(`The metric '${name}'`, probe_timeout_ms);
    ctx.metric(name, help, async () => readMetric(await peer.request('metric', { index }, options), name));
  }
}

function assertPublic(id: string, { who, max_bytes = 0 }: OperationData): void {
  if (who !== 'public' || max_bytes <= public_max_bytes) return;
  throw new Error(`'${id}' is open to everybody and takes more than ${public_max_bytes} bytes`);
}

/** Fails unless a socket or channel name starts with the plugin's id, so that names don't collide. */
function owned(ctx: Context, name: string): string {
  if (name.startsWith(`${ctx.name}.`)) return name;
  throw new Error(`It registers '${name}', but a plugin's names begin with '${ctx.name}.'`);
}

function readCheck(value: unknown, code: string): CheckResult | undefined {
  if (value === undefined || value === null) return undefined;
  const { ok, message, fix, since } = value as Partial<CheckResult>;
  if (typeof ok !== 'boolean' || typeof message !== 'string') throw new TypeError(`The check '${code}' returned no {ok, message}`);
  const at = typeof since === 'string' ? Date.parse(since) : Number.NaN;
  return {
    ok,
    message: message.slice(0, 500),
    ...(typeof fix === 'string' ? { fix: fix.slice(0, 500) } : {}),
    ...(Number.isNaN(at) ? {} : { since: new Date(at).toISOString() }),
  };
}

function readMetric(value: unknown, name: string): number {
  if (typeof value === 'number') return value;
  throw new TypeError(`The metric '${name}' returned no number`);
}
