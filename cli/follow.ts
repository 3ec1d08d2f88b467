import { Failure, isFailure } from '../kernel/contract/failure.js';
import type { StreamEvent } from '../kernel/contract/operation.js';
import { Approvals } from './approvals.js';
import type { Context } from './command.js';
import { exitCodes, NotRun } from './exit.js';
import type { Leaf } from './flags.js';
import { asTyped } from './invocation.js';
import { type OutputStyle, showEvent, waitForDrain } from './output.js';
import { ProcessView, processExit } from './process-view.js';
import { remark } from './remark.js';
import { type OrderedEvent, ReplyOrder } from './reply-order.js';
import type { Session } from './session.js';
import { StreamBar } from './stream-bar.js';
import { openStreamView, StreamView } from './stream-view.js';
import type { Terminal } from './terminal.js';

export interface Following {
  session: Session;
  context: Context;
  style: OutputStyle;
  /** Limit of the wait for an approval if nobody can be asked here, in milliseconds. Default: 0. */
  wait_ms?: number | undefined;
  /** Whether several senders write side by side, so that each text needs a name. Default: once a second one begins. */
  several?: boolean | undefined;
}

/** Writes a stream's events as they arrive: as running text or process output if the operation declares it, otherwise a line each. */
export async function follow(leaf: Leaf, input: object, following: Following): Promise<void> {
  try {
    await write(leaf, input, following);
  } catch (fault) {
    throw leaf.hint?.process && isFailure(fault) && isNotRun(fault) ? new NotRun(fault) : fault;
  }
}

/** Returns whether a remote process could not be run: its exit code must not look like the process's own. Errors of the caller keep their codes. */
function isNotRun({ status, code }: Failure): boolean {
  return status > 404 && !connectionLost.has(code);
}

async function write(leaf: Leaf, input: object, following: Following): Promise<void> {
  const { session, context, style, wait_ms = 0, several = false } = following;
  const { terminal } = context;
  const hint = leaf.hint?.text;
  const view = style.json === undefined ? await viewOf(leaf, terminal) : undefined;
  const progress = leaf.hint?.progress;
  const bar = progress && new StreamBar(progress, terminal);
  const ending = new AbortController();
  const signal = AbortSignal.any([context.signal, ending.signal]);
  const ended = (reason: unknown) => ending.abort(reason);
  const say = (line: string) => (view === undefined ? remark(line, terminal) : view.line(asTyped(line, terminal)));
  const order = new ReplyOrder();
  const show = ({ event, begins }: OrderedEvent) => {
    if (begins !== undefined && view instanceof StreamView && (several || order.hasSeveral)) view.begin(begins);
    view?.take(event);
  };
  let failure: unknown;
  const approvals = hint?.approvals ? new Approvals({ session, terminal, wait_ms, say, ended }) : undefined;
  try {
    for await (const event of session.transport.stream({ id: leaf.id, operation: leaf.operation, input, options: { signal } })) {
      const isBar = bar?.take(event) === true && style.json === undefined;
      if (isBar) continue;
      if (view === undefined) await showEvent(event, style, terminal);
      else for (const next of order.take(event)) show(next);
      await waitForDrain(terminal.stdout, signal);
      const failed = (view instanceof StreamView && view.failed(event)) || bar?.failed(event);
      const code = leaf.hint?.process ? processExit(leaf.hint.process, event) : failed ? exitCodes.failure : undefined;
      process.exitCode = code ?? process.exitCode;
      failure ??= failureOf(event);
      // The others go on.
      if (failure !== undefined && !several && !order.hasSeveral) throw failure;
      approvals?.take(event);
    }
    for (const next of order.end()) show(next);
    if (failure !== undefined) throw failure;
  } finally {
    approvals?.close();
    bar?.end();
    // Also after a failure: its message starts on a line of its own.
    view?.end();
  }
  if (!signal.aborted) return;
  if (ending.signal.aborted) session.abandon();
  throw signal.reason;
}

async function viewOf({ hint }: Leaf, terminal: Terminal): Promise<StreamView | ProcessView | undefined> {
  if (hint?.process) return new ProcessView(hint.process, terminal);
  return hint?.text && openStreamView(hint.text, terminal);
}

/** Codes of a lost connection: the server may come back, and its work continues or is stored. */
export const connectionLost: ReadonlySet<string> = new Set(['unreachable', 'shutting_down', 'extension_unavailable']);

/** Follows the work that a call started. If the connection is lost, the failure says that the work was accepted, and how to continue. */
export async function followOn(leaf: Leaf, keys: Readonly<Record<string, unknown>>, following: Following): Promise<void> {
  try {
    await follow(leaf, keys, following);
  } catch (fault) {
    if (!isFailure(fault) || !connectionLost.has(fault.code)) throw fault;
    const [named, values] = [Object.entries(keys).map(([key, value]) => `${key} ${String(value)}`), Object.values(keys)];
    const fix = `once the server is back, see the result with: platform ${leaf.hint?.command ?? `call ${leaf.id}`} ${values.join(' ')}`;
    const message = `${fault.message}; your request had been accepted (${named.join(', ')})`;
    throw new Failure(fault.code, message, { status: fault.status, fix, cause: fault });
  }
}

/** Returns the failure that an event reports, with which the command fails too. */
export function failureOf({ type, data }: StreamEvent): Failure | undefined {
  const { error } = data as { error?: { code?: unknown; message?: unknown } | null };
  if (!type.endsWith('.failed') || typeof error?.code !== 'string') return undefined;
  return new Failure(error.code, String(error.message), { status: 502 });
}

/** Throws the failure that an event reports. */
export function throwFailed(event: StreamEvent): void {
  const failure = failureOf(event);
  if (failure !== undefined) throw failure;
}
