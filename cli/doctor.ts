import type { Command } from 'commander';
import type { Config } from '../config/load.js';
import { isFailure } from '../kernel/contract/failure.js';
import type { CheckRecord } from '../kernel/operations/contract.js';
import { kernelOperations } from './catalog.js';
import { type Context, callIn, withSession } from './command.js';
import { exitCodes } from './exit.js';
import { fixOf } from './fixes.js';
import { print } from './output.js';
import { type CommonFlags, configOf, type Session } from './session.js';
import { coloured, harmless, type Terminal } from './terminal.js';

interface Finding extends CheckRecord {
  /** The command that mends it. */
  fix: string | null;
}

/** Runs every check there is: this machine's, the kernel's and the extensions'. Red ones make the exit code 1. */
export async function doctor(command: Command, context: Context): Promise<void> {
  const flags = command.optsWithGlobals<CommonFlags & { json?: boolean | string }>();
  const checks = [nodeVersion(), ...(await installation(command, context, flags))];
  const findings = checks.map(
    (check): Finding => ({ ...check, fix: check.ok ? null : (fixOf(check.code)?.replace('<extension>', check.extension) ?? null) }),
  );
  if (flags.json !== undefined || !context.terminal.stdout.isTTY) {
    const rows = flags.json === undefined ? findings.map((one) => ({ state: one.ok ? 'ok' : 'red', ...one })) : findings;
    print(rows, { json: flags.json, columns: ['state', 'extension', 'code', 'message', 'fix'] }, context.terminal);
  } else show(findings, context.terminal);
  if (findings.some(({ ok }) => !ok)) process.exitCode = exitCodes.failure;
}

function nodeVersion(): CheckRecord {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  return { extension: 'cli', code: 'node_version', ok, message: `Node ${process.versions.node} runs this; 20.19 or later is needed` };
}

async function installation(command: Command, context: Context, flags: CommonFlags): Promise<CheckRecord[]> {
  try {
    return await withSession(command, context, async (session) => {
      const { body } = await callIn(session, { id: 'checks.list', operation: kernelOperations['checks.list'] }, { signal: context.signal });
      return [reached(session), ...(await portCheck(session, flags, context.terminal)), ...(body as CheckRecord[])];
    });
  } catch (error) {
    // Who may not ask learns nothing of the installation's health from that.
    if (!isFailure(error) || error.status === 401 || error.status === 403) throw error;
    return [{ extension: 'kernel', code: error.code, ok: false, message: error.message }];
  }
}

function reached({ way, name }: Session): CheckRecord {
  const messages = {
    http: `The server at ${name} answers`,
    local: `A server runs on ${name}`,
    direct: `No server runs on ${name}; the checks ran without one`,
  };
  return { extension: 'cli', code: 'server', ok: true, message: messages[way] };
}

/** Whether a server could be started here. */
async function portCheck({ way }: Session, flags: CommonFlags, terminal: Terminal): Promise<CheckRecord[]> {
  if (way !== 'direct') return [];
  const config = await configOf(flags, terminal);
  const code = await bindingError(config);
  const at = `${config.host}:${config.port}`;
  if (code === undefined) return [{ extension: 'cli', code: 'port', ok: true, message: `A server could listen on ${at}` }];
  const names: Record<string, string> = { EADDRINUSE: 'port_in_use', EACCES: 'port_forbidden' };
  return [
    { extension: 'cli', code: names[code] ?? 'address_unavailable', ok: false, message: `A server could not listen on ${at} (${code})` },
  ];
}

async function bindingError({ host, port }: Config): Promise<string | undefined> {
  const { createServer } = await import('node:net');
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function show(findings: readonly Finding[], terminal: Terminal): void {
  const paint = (colour: number, text: string) => (coloured(terminal) ? `\u001B[${colour}m${text}\u001B[39m` : text);
  for (const { ok, extension, code, message, fix } of findings) {
    const state = ok ? paint(32, 'ok ') : paint(31, 'red');
    terminal.stdout.write(`${state}  ${extension}.${code}: ${harmless(message)}\n`);
    if (fix !== null) terminal.stdout.write(`     ${fix}\n`);
  }
}
