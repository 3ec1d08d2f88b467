import { readFileSync } from 'node:fs';
import type { Context, Extension } from '../../contract/extension.js';
import type { Manifest } from '../../contract/manifest.js';
import type { Caller, Handlers } from '../../contract/operation.js';
import { hostCodes } from '../../core/host/codes.js';
import type { Bundle } from '../../core/host/loader.js';
import type { AuditApi, AuditQuery } from '../audit/contract.js';
import type { AuditTrail } from '../audit/trail.js';
import { maintenanceCodes } from '../maintenance/codes.js';
import type { MaintenanceApi } from '../maintenance/contract.js';
import { type MaintenanceParts, maintain } from '../maintenance/maintenance.js';
import type { CheckRecord, KernelApi, KernelContract, PluginDetail, PluginRecord, PluginSettings, StatusRecord } from './contract.js';
import { operations } from './table.js';

/** What the kernel's operations ask of the kernel. */
export interface Administration {
  version: string;
  plugins(): PluginRecord[];
  record(name: string): PluginRecord;
  /** Settings and log lines are for administrators; others get neither. */
  plugin(name: string, caller: Caller): Promise<PluginDetail>;
  disable(name: string): Promise<void>;
  enable(name: string): Promise<void>;
  reload(name: string): Promise<void>;
  settings(name: string): Promise<PluginSettings>;
  configure(name: string, config: Record<string, unknown>): Promise<PluginSettings>;
  catalogFor(caller: Caller): KernelApi['catalog.get']['answer'];
  checks(): Promise<CheckRecord[]>;
  status(): Promise<StatusRecord>;
  /** The settings that this process runs with, secrets masked. */
  config(): KernelApi['config.get']['answer'];
  /** Looks again at what may have become red. */
  watch(): Promise<unknown>;
}

const manifest = (version: string): Manifest => ({
  id: 'kernel',
  name: 'Kernel',
  type: 'plugin',
  version,
  description: 'Loads the extensions and runs their operations.',
  author: 'platform',
  claims: [
    '/api/plugins',
    '/api/admin/plugins',
    '/api/admin/audit',
    '/api/admin/checks',
    '/api/admin/status',
    '/api/admin/config',
    '/api/admin/maintenance',
    '/api/catalog',
    '/api/version',
  ],
  required: true,
});

export interface KernelParts {
  administration: Administration;
  maintenance: MaintenanceParts;
  audit: Pick<AuditTrail, 'list'>;
}

/** The kernel's own operations in the shape of an extension, so that every door treats them like any other. */
export function kernelBundle({ administration, maintenance, audit }: KernelParts): Bundle {
  const extension: Extension<KernelContract> = {
    async activate(ctx: Context<KernelContract>) {
      const failed = () => administration.plugins().filter(({ state }) => state === 'failed').length;
      ctx.metric('extensions_failed', 'Extensions that could not be started, or were lost', failed);
      ctx.every({ name: 'checks', every_ms: 60_000 }, async () => void (await administration.watch()));
      const handlers = {
        ...handlersOf(administration),
        ...(await maintain(ctx, maintenance)),
        'audit.list': (query: AuditQuery) => audit.list(query),
      };
      ctx.expose(operations, handlers, { ...hostCodes, ...maintenanceCodes });
    },
  };
  return { manifest: manifest(administration.version), hash: '', described: described(), evaluate: () => extension as Extension };
}

/** What the build has written of them; read when it is first asked for. */
function described(): NonNullable<Bundle['described']> {
  let read: ReturnType<NonNullable<Bundle['described']>> | undefined;
  return () => {
    read ??= JSON.parse(readFileSync(new URL('./described.json', import.meta.url), 'utf8')) as NonNullable<typeof read>;
    return read;
  };
}

function handlersOf(administration: Administration): Handlers<Omit<KernelApi, keyof MaintenanceApi | keyof AuditApi>> {
  const after = async (name: string, change: Promise<void>): Promise<PluginRecord> => {
    await change;
    return administration.record(name);
  };
  return {
    'plugins.list': () => administration.plugins(),
    'plugins.get': ({ name }, { caller }) => administration.plugin(name, caller),
    'plugins.disable': ({ name }) => after(name, administration.disable(name)),
    'plugins.enable': ({ name }) => after(name, administration.enable(name)),
    'plugins.reload': ({ name }) => after(name, administration.reload(name)),
    'plugins.settings': ({ name }) => administration.settings(name),
    'plugins.configure': ({ name, config }) => administration.configure(name, config),
    'catalog.get': (_input, { caller }) => administration.catalogFor(caller),
    'version.get': () => ({ api: '1', server: administration.version }),
    'checks.list': () => administration.checks(),
    'status.get': () => administration.status(),
    'config.get': () => administration.config(),
  };
}
