import { inspect } from 'node:util';
import { systemReason } from '../kernel/client/system-reason.js';
import { type Failure, isFailure } from '../kernel/contract/failure.js';
import { fixOf } from './fixes.js';
import { remark, remarkCommand } from './remark.js';
import { harmless, type Terminal } from './terminal.js';

/** Exit codes of the process. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  not_found: 3,
  authentication: 4,
  conflict: 5,
  unreachable: 6,
  /** A process on a node reached its time limit, as with coreutils' `timeout`. */
  timed_out: 124,
  /** A process on a node could not be run, or its exit is unknown, as with `docker run`. */
  not_run: 125,
  interrupted: 130,
} as const;

/** The command line itself was wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  constructor(
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

/** The work waits for an approval that nobody can give here. */
export class ApprovalNeeded extends Error {
  override readonly name = 'ApprovalNeeded';

  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/** The platform could not run a process on a node, or lost it. */
export class NotRun extends Error {
  override readonly name = 'NotRun';

  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

/** A person answered a question with no. */
export class Declined extends Error {
  override readonly name = 'Declined';
}

/** Somebody pressed Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  override readonly message = 'interrupted';
}

/** The reader of the output closed the pipe before its end. Not a failure: it has read what it wanted. */
export class ReaderLeft extends Error {
  override readonly name = 'ReaderLeft';
  override readonly message = 'the reader of the output has closed it';
}

/** Output could not be written, for another reason than a closed pipe. */
export class OutputFailed extends Error {
  override readonly name = 'OutputFailed';

  constructor(target: string, cause: unknown) {
    super(`${target} can't be written: ${systemReason(cause)}`, { cause });
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof Interrupted) return exitCodes.interrupted;
  if (error instanceof ReaderLeft) return exitCodes.ok;
  if (error instanceof NotRun) return exitCodes.not_run;
  return isFailure(error) ? failureExitCode(error) : exitCodes.failure;
}

const byStatus: Readonly<Record<number, number>> = {
  400: exitCodes.usage,
  401: exitCodes.authentication,
  403: exitCodes.authentication,
  404: exitCodes.not_found,
  409: exitCodes.conflict,
};

const unreachable = new Set(['unreachable', 'no_installation', 'server_starting', 'database_unavailable', 'bus_unavailable']);

function failureExitCode({ code, status }: Failure): number {
  return unreachable.has(code) ? exitCodes.unreachable : (byStatus[status] ?? exitCodes.failure);
}

/** Writes an error: its message and a hint; with `debug` the stack trace too. */
export function report(thrown: unknown, terminal: Terminal, { debug }: { debug: boolean }): void {
  const error = thrown instanceof NotRun ? thrown.failure : thrown;
  if (error instanceof Interrupted || error instanceof ReaderLeft) return;
  remark(error instanceof Declined ? error.message : `platform: ${sentence(error)}`, terminal);
  const hint = hintOf(error, debug);
  if (hint !== undefined) remarkCommand(`hint: ${hint}`, terminal);
  if (debug) terminal.stderr.write(`${harmless(inspected(error))}\n`);
}

function sentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (!isFailure(error) || error.status < 500) return message;
  const request_id = requestOf(error);
  return request_id === undefined ? message : `${message} (${error.code}, request ${request_id})`;
}

/** Returns the id of the request that a server answered with this failure. */
function requestOf({ cause }: Failure): string | undefined {
  const { request_id } = (cause ?? {}) as { request_id?: unknown };
  return typeof request_id === 'string' ? request_id : undefined;
}

function hintOf(error: unknown, debug: boolean): string | undefined {
  if (error instanceof UsageError || error instanceof ApprovalNeeded) return error.hint;
  if (isFailure(error) && error.code !== 'internal_error') return error.fix ?? fixOf(error.code);
  // The stack of this process doesn't show what failed in the server.
  if (isFailure(error) && requestOf(error) !== undefined)
    return "the server's log has the stack trace of this request; an administrator sees the log as it is written with: platform tail --topics log";
  if (error instanceof OutputFailed || error instanceof Declined) return undefined;
  return debug ? undefined : 'run it again with --debug to see the stack trace';
}

function inspected(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error);
  const cause = error.cause === undefined ? '' : `\ncaused by: ${inspected(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
