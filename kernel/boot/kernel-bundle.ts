import type { Context, Extension } from '../contract/extension.js';
import type { Administration, Kernel } from '../contract/system.js';
import type { Bundle } from '../core/host/loader.js';
import { type MaintenanceParts, maintain } from '../platform/maintenance/maintenance.js';

export interface KernelParts {
  administration: Omit<Administration, 'cleanup' | 'backup' | 'backups' | 'readBackup' | 'removeBackup'>;
  maintenance: MaintenanceParts;
  /** Looks again at what may have become red. */
  watch: () => Promise<unknown>;
}

/** The kernel in the shape of an extension: what others depend on, and what it does by itself. It has no operations of its own. */
export function kernelBundle({ administration, maintenance, watch }: KernelParts): Bundle {
  const extension: Extension<Kernel> = {
    async activate(ctx: Context<Kernel>) {
      const failed = () => administration.plugins().filter(({ state }) => state === 'failed').length;
      ctx.metric('extensions_failed', 'Extensions that could not be started, or were lost', failed);
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
