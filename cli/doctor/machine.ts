import type { Config } from '../../config/load.js';
import { type CommonFlags, configOf } from '../session.js';
import type { Terminal } from '../terminal.js';
import type { LocalCheck } from './doctor.js';

export function nodeVersion(): LocalCheck {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  return { code: 'node_version', ok, message: `Running on Node ${process.versions.node}; 20.19 or later is required` };
}

/** Checks whether a server could listen on the configured port. */
export async function portChecks(flags: CommonFlags, terminal: Terminal): Promise<LocalCheck[]> {
  const config = await configOf(flags, terminal);
  const code = await bindingError(config);
  const at = `${config.host}:${config.port}`;
  if (code === undefined) return [{ code: 'port', ok: true, message: `A server could listen on ${at}` }];
  if (code === 'EADDRINUSE') return [await portInUse(config, at)];
  const name = code === 'EACCES' ? 'port_forbidden' : 'address_unavailable';
  return [{ code: name, ok: false, message: `A server could not listen on ${at} (${code})` }];
}

async function portInUse({ port, data_dir }: Config, at: string): Promise<LocalCheck> {
  const { listenerOn } = await import('./listener.js');
  const { startingServer } = await import('../../kernel/client/starting-server.js');
  const [holder, own] = await Promise.all([listenerOn(port), startingServer(data_dir)]);
  // A server that starts, or hangs as it starts, is not in its own way.
  if (holder !== undefined && holder.pid === own)
    return { code: 'port', ok: true, message: `The server of this data folder (process ${own}) listens on ${at}` };
  const holderText = holder ? `: process ${holder.pid} (${holder.name}) listens there` : '';
  return {
    code: 'port_in_use',
    ok: false,
    message: `A server could not listen on ${at} (EADDRINUSE)${holderText}`,
    since: holder?.since ?? null,
  };
}

async function bindingError({ host, port }: Config): Promise<string | undefined> {
  const { createServer } = await import('node:net');
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Checks the disk if no kernel could be started: a full disk may be the reason. */
export async function diskChecks(flags: CommonFlags, terminal: Terminal): Promise<LocalCheck[]> {
  const { data_dir, min_free_bytes } = await configOf(flags, terminal);
  const { diskRoom } = await import('../../kernel/platform/checks/disk.js');
  // A missing folder has no disk to check.
  return diskRoom(data_dir, min_free_bytes).then(
    (result) => [{ extension: 'kernel', code: 'disk', ...result, since: null, fix: result.fix ?? null }],
    () => [],
  );
}
