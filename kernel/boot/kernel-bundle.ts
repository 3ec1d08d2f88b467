import type { Context, Extension } from '../contract/extension.js';
import type { Administration, Kernel } from '../contract/system.js';
import type { Bundle } from '../core/host/loader.js';
import { type MaintenanceParts, maintain } from '../platform/maintenance/maintenance.js';

export interface KernelParts {
  administration: Omit<Administration, 'cleanup' | 'backup' | 'backups' | 'readBackup' | 'removeBackup'>;
  maintenance: MaintenanceParts;
  /** Runs the periodic checks. */
  watch: () => Promise<unknown>;
}

/** Wraps the kernel as an extension, so that others can depend on it and its periodic work runs. It has no operations. */
export function kernelBundle({ administration, maintenance, watch }: KernelParts): Bundle {
  const extension: Extension<Kernel> = {
    async activate(ctx: Context<Kernel>) {
      const failed = () => administration.plugins().filter(({ state }) => state === 'failed').length;
      ctx.metric('extensions_failed', 'Extensions that failed to start or crashed', failed);
      ctx.every({ name: 'checks', every_ms: 60_000 }, async () => void (await watch()));
      ctx.provide({ ...administration, ...(await maintain(ctx, maintenance)) });
    },
  };
  const manifest = {
    id: 'kernel',
    name: 'Kernel',
    type: 'plugin' as const,
    version: administration.version,
    description: 'Loads the extensions and runs their operations.',
    author: 'platform',
    required: true,
  };
  return { manifest, hash: '', evaluate: () => extension as Extension };
}
