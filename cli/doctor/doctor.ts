import type { Command } from 'commander';
import { isFailure } from '../../kernel/contract/failure.js';
import type { CheckRecord } from '../../kernel/contract/system.js';
import { within } from '../../kernel/contract/within.js';
import { leafOf } from '../catalog.js';
import type { Context } from '../command.js';
import { exitCodes } from '../exit.js';
import { fixOf } from '../fixes.js';
import { asTyped } from '../invocation.js';
import { print } from '../output.js';
import type { CommonFlags, Session } from '../session.js';
import { cell } from '../table.js';
import { coloured, harmless, type Terminal } from '../terminal.js';
import { callIn, withSession } from '../within-session.js';
import { wrapped } from '../wrap.js';
import { diskChecks, nodeVersion, portChecks } from './machine.js';

/** The result of one check; `fix` is the command that repairs it. */
export type Finding = CheckRecord;

/** The result of a check of this machine. */
export type LocalCheck = Pick<CheckRecord, 'code' | 'ok' | 'message'> & Partial<CheckRecord>;

/** Limit of the wait for an installation: a database server may accept a query and never answer. */
const answer_ms = 12_000;

/** Runs all checks: of this machine, the kernel and the extensions. A failed one makes the exit code 1. */
export async function doctor(command: Command, context: Context): Promise<void> {
  const flags = command.optsWithGlobals<CommonFlags & { json?: boolean | string }>();
  const timedOut: LocalCheck[] = [];
  const checks = await within(answer_ms, installation(command, context, flags), () => {
    timedOut.push(unanswered);
    return timedOut;
  });
  const findings = [nodeVersion(), ...checks].map(findingOf);
  if (flags.json !== undefined || !context.terminal.stdout.isTTY) {
    const rows = flags.json === undefined ? findings.map((one) => ({ state: one.ok ? 'ok' : 'red', ...one })) : findings;
    print(rows, { json: flags.json, columns: ['state', 'extension', 'code', 'message', 'since', 'fix'] }, context.terminal);
  } else show(findings, context.terminal);
  if (findings.some(({ ok }) => !ok)) process.exitCode = exitCodes.failure;
  if (findings.some(({ code }) => code === 'no_installation')) process.exitCode = exitCodes.unreachable;
  // A hanging request would keep the process alive.
  if (timedOut.length > 0) process.exit();
}

const unanswered: LocalCheck = {
  extension: 'kernel',
  code: 'unanswered',
  ok: false,
  message: `The installation did not answer within ${answer_ms / 1000} s`,
};

function findingOf({ extension = 'cli', code, ok, message, since, fix }: LocalCheck): Finding {
  const repair = ok ? undefined : (fix ?? fixOf(code, extension));
  return { extension, code, ok, message, since: since ?? null, fix: repair ?? null };
}

async function installation(command: Command, context: Context, flags: CommonFlags): Promise<LocalCheck[]> {
  let server: Session | undefined;
  try {
    return await withSession(command, context, async (session) => {
      server = session.way === 'direct' ? undefined : session;
      const { body } = await callIn(session, leafOf('checks.list'), { signal: context.signal });
      const port = session.way === 'direct' ? await portChecks(flags, context.terminal) : [];
      return [serverCheck(session), ...port, ...(body as CheckRecord[])];
    });
  } catch (error) {
    // A caller without permission must not learn about the installation's health.
    if (!isFailure(error) || error.status === 401 || error.status === 403) throw error;
    const { code, message, since, fix } = error;
    const red = { extension: 'kernel', code, ok: false, message, since: since ?? null, fix: fix ?? null };
    // Disk and port of this machine don't explain a remote server that is unreachable, or settings that can't be read.
    if (code === 'unreachable' || code === 'config_invalid') return [red];
    if (server !== undefined) return [serverCheck(server), red, ...(await disksOf(server, flags, context.terminal))];
    return [red, ...(await diskChecks(flags, context.terminal)), ...(await portChecks(flags, context.terminal))];
  }
}

/** Checks the disk of a running server, if it is on this machine. Its port needs no check: the server listens. */
async function disksOf({ way }: Session, flags: CommonFlags, terminal: Terminal): Promise<LocalCheck[]> {
  return way === 'local' ? diskChecks(flags, terminal) : [];
}

function serverCheck({ way, name }: Session): LocalCheck {
  const messages = {
    http: `The server at ${name} answers`,
    local: `A server runs on ${name}`,
    direct: `No server is running on ${name}; the checks ran without one`,
  };
  return { code: 'server', ok: true, message: messages[way] };
}

const margin = '     ';

/** Writes the findings for people, wrapped to the terminal; a failed one with its time and its fix below. */
function show(findings: readonly Finding[], terminal: Terminal): void {
  const { stdout } = terminal;
  const columns = Math.min(stdout.columns || 80, 100) - margin.length;
  const paint = (colour: number, text: string) => (coloured(terminal) ? `\u001B[${colour}m${text}\u001B[39m` : text);
  for (const { ok, extension, code, message, since, fix } of findings) {
    const state = ok ? paint(32, 'ok ') : paint(31, 'red');
    const lines = wrapped(harmless(`${extension}.${code}: ${message}`), columns);
    stdout.write(`${state}  ${lines.join(`\n${margin}`)}\n`);
    if (since !== null)
      stdout.write(
        `${margin}since ${cell(since)
          .replace('T', ' ')
          .replace(/\.\d+Z$/, ' UTC')}\n`,
      );
    // Not wrapped, so that it can be pasted.
    if (fix !== null) stdout.write(`${margin}${asTyped(cell(fix), terminal)}\n`);
  }
}
