import { readFileSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/load.js';
import type { Kernel } from '../kernel/boot/kernel.js';
import { exitCodes, report } from './exit.js';
import { type CommonFlags, settingsOf } from './session.js';
import { harmless, type Terminal } from './terminal.js';
import { welcome } from './welcome.js';

export interface ServeFlags extends CommonFlags {
  host?: string;
  port?: string;
  baseUrl?: string;
  logLevel?: string;
}

// Limit of a shutdown, below the 10 s that service managers usually allow; open work is abandoned then.
const deadline_ms = 9_500;

/** Runs the server until a reason to stop arises; returns the exit code. */
export async function serve(flags: ServeFlags, terminal: Terminal): Promise<number> {
  const stopping = stopSignals(terminal.env);
  try {
    const { host, port, baseUrl: base_url, logLevel: log_level } = flags;
    const { config, sources } = await settingsOf(flags, terminal, { host, port, base_url, log_level });
    const [{ avoidCompilerCrash }, { boot }] = await Promise.all([
      import('../kernel/platform/process/v8-flags.js'),
      import('../kernel/boot/boot.js'),
    ]);
    avoidCompilerCrash();
    const kernel = await boot(config, { listen: true, background: true, sources, ...(await prettyLog(config, terminal)) });
    await announce(kernel, config, terminal);
    const { reason, fault } = await stopping.requested;
    if (fault === undefined) kernel.log.info('stopping', { reason });
    else kernel.log.error('stopping', { reason, fault });
    await stop(kernel);
    return fault === undefined ? exitCodes.ok : exitCodes.failure;
  } catch (error) {
    report(error, terminal, { debug: flags.debug ?? false });
    return exitCodes.failure;
  } finally {
    stopping.dispose();
  }
}

async function announce(kernel: Kernel, config: Config, terminal: Terminal): Promise<void> {
  const url = kernel.url ?? '';
  terminal.stdout.write(`listening on ${url}\n`);
  await welcome({ url, data_dir: config.data_dir, username: config.members.admin_username }, terminal);
}

async function stop(kernel: Kernel): Promise<void> {
  const timer = new AbortController();
  const late = sleep(deadline_ms, undefined, { signal: timer.signal }).then(
    () => kernel.log.warn('Shutdown took too long; open work was abandoned'),
    () => undefined,
  );
  await Promise.race([kernel.close(), late]);
  timer.abort();
}

interface Reason {
  reason: string;
  /** An uncaught error. */
  fault?: unknown;
}

/**
 * Waits for a reason to stop: SIGTERM, SIGINT, the end of the npx that started it, or an uncaught error,
 * after which no state can be trusted. A second signal ends the process at once, also during the start.
 * SIGUSR1 has a handler so that it doesn't open a debugger.
 */
function stopSignals(env: Terminal['env']): { requested: Promise<Reason>; dispose(): void } {
  let stop: (reason: Reason) => void = () => undefined;
  const requested = new Promise<Reason>((resolve) => (stop = resolve));
  let signals = 0;
  const onSignal = (reason: 'SIGINT' | 'SIGTERM') => {
    signals += 1;
    if (signals > 1) process.exit(reason === 'SIGINT' ? 130 : 143);
    stop({ reason });
  };
  const onFault = (fault: unknown) => stop({ reason: 'uncaught error', fault });
  const ignore = () => undefined;
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGUSR1', ignore).on('uncaughtException', onFault);
  const unwatch = watchParent(env, () => stop({ reason: 'parent process ended' }));
  return {
    requested,
    dispose() {
      unwatch();
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('SIGUSR1', ignore).off('uncaughtException', onFault);
    },
  };
}

const parent_check_ms = 500;

/**
 * Calls `ended` when the npx or npm script that started the server ends: npm doesn't forward SIGTERM. A shell
 * between the two may outlive npm, so its parent is watched too.
 *
 * @returns a function that ends the watch.
 */
function watchParent(env: Readonly<Record<string, string | undefined>>, ended: () => void): () => void {
  if (env.npm_command === undefined && env.npm_lifecycle_event === undefined) return () => undefined;
  const before = ancestors();
  const timer = setInterval(() => {
    if (ancestors() === before) return;
    clearInterval(timer);
    ended();
  }, parent_check_ms).unref();
  return () => clearInterval(timer);
}

/** Returns the parent's id; if the parent is a shell, its parent's too. */
function ancestors(): string {
  const parent = process.ppid;
  const { name, parent: above } = processOf(parent);
  return /^(ba|da|z|k)?sh$/.test(name) ? `${parent} ${above}` : String(parent);
}

/** Reads a process's name and parent from /proc (proc_pid_stat(5)); empty on systems without it. */
function processOf(pid: number): { name: string; parent: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const end = stat.lastIndexOf(')');
    return { name: stat.slice(stat.indexOf('(') + 1, end), parent: stat.slice(end + 2).split(' ')[1] ?? '' };
  } catch {
    return { name: '', parent: '' };
  }
}

interface LogDestination {
  write(line: string): void;
}

/** Returns a destination that writes the server's log as lines for people; empty if the log stays JSON. */
async function prettyLog({ log_format }: Config, { stderr }: Terminal): Promise<{ log?: LogDestination }> {
  if (log_format === 'json' || (log_format === 'auto' && stderr.isTTY !== true)) return {};
  const { prettyFactory } = (await import('pino-pretty')).default;
  const format = prettyFactory({ colorize: false, translateTime: 'SYS:HH:MM:ss', singleLine: true });
  return { log: { write: (line) => writeLine(readable(format, line)) } };
}

/** Formats a line and removes escape sequences: fields come from outside. */
function readable(format: (line: string) => string, line: string): string {
  try {
    return harmless(format(line));
  } catch {
    return line;
  }
}

/** Writes to standard error. A closed terminal must not end the server, and there is nowhere else to report it. */
function writeLine(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // Dropped, as described above.
  }
}
