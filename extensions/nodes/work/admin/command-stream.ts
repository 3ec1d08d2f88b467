import { fail as failCore, type Call as Request, type StreamEvent } from '../../../../kernel/contract/index.js';
import { fail } from '../../codes.js';
import { workspace } from '../../containers/spec.js';
import type { ExecInput } from '../../contract.js';
import type { Command, CommandObserver, CommandResult } from '../command.js';
import type { Frame } from '../frames.js';
import type { NodeContainer } from '../node-container.js';
import { TextPieces } from '../text-pieces.js';
import { EventQueue } from './event-queue.js';

/** Runs a command and returns how it ended. */
export type Run = (place: NodeContainer, command: Command, watch: CommandObserver) => Promise<CommandResult>;

/**
 * Runs a command as a stream of events. Fails like {@link Run} if it doesn't start. The command is killed if the reader
 * leaves or the request is cancelled.
 */
export async function commandStream(
  place: NodeContainer,
  input: ExecInput,
  { run, request }: { run: Run; request: Pick<Request, 'signal' | 'caller'> },
): Promise<AsyncIterable<StreamEvent>> {
  const { command, cwd = workspace, env = {}, user, timeout_s } = input;
  assertNames(env);
  const argv = typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
  const left = new AbortController();
  const signal = AbortSignal.any([request.signal, left.signal]);
  const queue = new EventQueue(signal);
  const pieces = new TextPieces((stream, delta, exact) => queue.output(stream, delta, exact));
  const started = performance.now();
  const what = { argv, folder: cwd, env, user, timeout_ms: timeout_s * 1_000, max_bytes: Number.POSITIVE_INFINITY };
  let ended!: Promise<CommandResult>;
  const begun = new Promise<void>((resolve) => {
    const output = (frame: Frame) => {
      pieces.add(frame);
      return queue.room();
    };
    ended = run(place, what, { signal, output, begun: resolve });
  });
  const finished = ended.then(
    (end) => {
      pieces.end();
      finish(queue, end, {
        duration_ms: Math.round(performance.now() - started),
        by_schedule: request.caller.door === 'schedule',
        timeout_s,
      });
    },
    (fault: unknown) => queue.fail(fault),
  );
  await Promise.race([begun, ended]);
  return withCleanup(queue, async () => {
    left.abort();
    await finished;
  });
}

function assertNames(env: Readonly<Record<string, string>>): void {
  const invalidName = Object.keys(env).find((name) => !/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name));
  if (invalidName === undefined) return;
  const message = `"env" must have names of letters, digits and _, but has '${invalidName.slice(0, 64)}'`;
  throw failCore('invalid_input', message, { details: [{ path: 'env', message }] });
}

/** Ends the stream. A schedule's run succeeds or fails; other readers interpret the exit code themselves. */
function finish(
  queue: EventQueue,
  { exit_code, how, truncated }: CommandResult,
  more: { duration_ms: number; by_schedule: boolean; timeout_s: number },
): void {
  const timed_out = how === 'timeout';
  queue.add({ type: 'exit', data: { exit_code, timed_out, truncated, duration_ms: more.duration_ms } });
  if (more.by_schedule && exit_code !== 0) {
    const why = timed_out ? `did not finish within ${more.timeout_s} s and was killed` : `ended with exit code ${exit_code ?? 'unknown'}`;
    queue.fail(fail('command_failed', `The command ${why}`));
  } else {
    queue.add({ type: 'done', data: {} });
    queue.end();
  }
}

/** Wraps the reader, because a generator that is returned before its first `next` would not run its cleanup. */
function withCleanup(queue: EventQueue, leave: () => Promise<void>): AsyncIterable<StreamEvent> {
  const events = queue.read();
  const iterator: AsyncIterator<StreamEvent> = {
    next: () => events.next(),
    async return() {
      await leave();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
