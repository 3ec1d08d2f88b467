import {
  type Context,
  type Contract,
  type Extension,
  type Handlers,
  installationCodes,
  type Kernel,
  type PluginRecord,
  type SystemApi,
} from '../../kernel/contract/index.js';
import { examples } from './examples.js';
import { operations } from './operations.js';

interface System extends Contract {
  id: 'system';
  api: SystemApi;
  service: Record<string, never>;
}

const codes = {
  ...installationCodes,
  manifest_invalid: 400,
  plugin_without_config: 409,
  backup_failed: 500,
  backup_not_found: 404,
  maintenance_running: 409,
} as const;

const extension: Extension<System> = {
  activate(ctx: Context<System>) {
    ctx.examples(examples);
    ctx.expose(
      operations,
      handlersOf(ctx.use<Kernel>('kernel'), (file) => ctx.about(file)),
      codes,
    );
  },
};

export default extension;

function handlersOf(kernel: Kernel['service'], about: (file: string) => void): Handlers<SystemApi> {
  const after = async (name: string, change: Promise<void>): Promise<PluginRecord> => {
    await change;
    return kernel.record(name);
  };
  return {
    'plugins.list': () => kernel.plugins(),
    'plugins.get': ({ name }, { caller }) => kernel.plugin(name, caller),
    'plugins.disable': ({ name }) => after(name, kernel.disable(name)),
    'plugins.enable': ({ name }) => after(name, kernel.enable(name)),
    'plugins.reload': ({ name }) => after(name, kernel.reload(name)),
    'plugins.settings': ({ name }) => kernel.settings(name),
    'plugins.configure': ({ name, config }) => kernel.configure(name, config),
    'catalog.get': (_input, { caller }) => kernel.catalogFor(caller),
    'version.get': () => ({ api: '1', server: kernel.version }),
    'checks.list': () => kernel.checks(),
    'status.get': () => kernel.status(),
    'config.get': () => kernel.config(),
    'audit.list': (query) => kernel.auditTrail(query),
    'maintenance.cleanup': (_input, { signal }) => kernel.cleanup(signal),
    'maintenance.backup': async ({ keep }, { signal, progress }) => {
      const report = await kernel.backup({ keep, signal, progress });
      about(report.file);
      return report;
    },
    'backups.list': () => kernel.backups(),
    'backups.read': async ({ file, ...piece }) => ({ mime_type: 'application/x-tar', bytes: await kernel.readBackup(file, piece) }),
    'backups.delete': async ({ file }) => {
      await kernel.removeBackup(file);
      return undefined;
    },
  };
}
