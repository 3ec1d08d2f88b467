import type { Command } from 'commander';
import { failClient } from '../kernel/client/client-failure.js';
import { SocketClient, type SocketState } from '../kernel/client/socket.js';
import type { SocketFrame } from '../kernel/client/socket-frame.js';
import { Failure, fail } from '../kernel/contract/failure.js';
import type { Context } from './command.js';
import { UsageError } from './exit.js';
import { frameLine } from './frame-line.js';
import { remark } from './remark.js';
import type { Session } from './session.js';
import { cell } from './table.js';
import { harmless, harmlessJson, type Terminal } from './terminal.js';
import { durationOf } from './units.js';
import { withSession } from './within-session.js';

interface TailFlags {
  after?: string;
  topics?: string;
  count?: string;
  for?: string;
  json?: boolean | string;
}

/** Default topics; those that don't exist or that the caller may not read are left out. */
const defaultTopics = ['extensions', 'nodes', 'schedules', 'agents.budget'];
/** Types of frames about the connection itself, which are not events. */
const controlTypes = new Set(['hello', 'ack', 'pong', 'error', 'resync']);
/** Frequent events about all members, shown only if named. The server broadcasts them, so they need no subscription. */
const broadcastTypes = ['presence', 'typing'];

/** Shows events as they happen, until it is interrupted or a limit is reached. */
export async function tail(command: Command, context: Context): Promise<void> {
  const flags = command.opts<TailFlags>();
  assertFields(flags.json);
  assertCursor(flags.after);
  const wanted = { count: countOf(flags.count), for_ms: flags.for === undefined ? undefined : durationOf(flags.for, '--for') };
  await withSession(command, context, async (session) => {
    const tailing = new Tail(session, flags, context.terminal);
    try {
      await tailing.run(wanted, context.signal);
    } finally {
      await tailing.close();
    }
  });
}

function countOf(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`'${text}' for --count is not a number of events`, 'as in: --count 10');
}

const fields = ['ts', 'type', 'data', 'cursor'];

/** Fails on a field that no event has: it is a typing error. */
function assertFields(json: TailFlags['json']): void {
  const unknown = typeof json === 'string' ? json.split(',').find((field) => !fields.includes(field.trim())) : undefined;
  if (unknown !== undefined) throw new UsageError(`There is no field '${unknown.trim()}'`, `there are: ${fields.join(', ')}`);
}

const cursorShape = /^member:\d+\.[^.\s]+\.\d{1,15}$/;

/** Fails on a malformed cursor. The server reports a well-formed one that has expired. */
function assertCursor(after: string | undefined): void {
  if (after === undefined || cursorShape.test(after)) return;
  throw new UsageError(`'${after}' for --after is not a cursor`, 'use the one that tail prints at its end, as in: --after member:1.0123.9');
}

class Tail {
  readonly #client: SocketClient;
  /** Topics from the command line that need a subscription. */
  readonly #topics: readonly string[];
  readonly #broadcastTypes: readonly string[];
  readonly #json: TailFlags['json'];
  readonly #terminal: Terminal;
  readonly #ended: Promise<void>;
  #end: () => void = () => undefined;
  #fail: (reason: unknown) => void = () => undefined;
  #remaining = 0;
  /** Whether the initial frames of the connection are over: the initial presence list is not an event. */
  #isFollowing = false;
  #wasOpen = false;
  /** Whether it has ever followed. */
  #hasFollowed = false;
  #refusal: Failure | undefined;

  constructor({ live, way, name }: Session, { after, topics, json }: TailFlags, terminal: Terminal) {
    this.#ended = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    const named = topics?.split(',').map((topic) => topic.trim());
    this.#topics = named?.filter((topic) => !broadcastTypes.includes(topic)) ?? [];
    this.#broadcastTypes = named?.filter((topic) => broadcastTypes.includes(topic)) ?? [];
    this.#json = json;
    this.#terminal = terminal;
    if (way === 'direct') this.#say(`No server is running on ${cell(name)}, so there may be few events; start one with: platform serve`);
    this.#client = new SocketClient({
      ...live,
      after,
      topics: named === undefined ? defaultTopics : [],
      onFrame: (frame) => this.#take(frame),
      onState: (state) => this.#onState(state),
    });
  }

  async run({ count, for_ms }: { count: number; for_ms: number | undefined }, signal: AbortSignal): Promise<void> {
    this.#remaining = count;
    const timer = for_ms === undefined ? undefined : setTimeout(this.#end, for_ms);
    const interrupt = () => this.#fail(signal.reason);
    signal.addEventListener('abort', interrupt, { once: true });
    if (signal.aborted) interrupt();
    try {
      await this.#ended;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
    }
  }

  async close(): Promise<void> {
    const { cursor } = this.#client;
    await this.#client.close();
    if (this.#hasFollowed && cursor !== undefined) this.#say(`continue with: platform tail --after ${cell(cursor)}`);
  }

  #take(frame: SocketFrame): void {
    const { type, data } = frame;
    if (type === 'error' && frame.id === undefined) this.#refuse(data);
    else if (type === 'resync') this.#say('Events may be missing here: they are no longer stored');
    else if (!controlTypes.has(type) && (!broadcastTypes.includes(type) || (this.#isFollowing && this.#broadcastTypes.includes(type))))
      this.#show(frame);
  }

  #show({ type, data, cursor, ts }: SocketFrame): void {
    if (this.#remaining <= 0) return;
    const { stdout } = this.#terminal;
    const event: Record<string, unknown> = { ts, type, data, cursor: cursor ?? null };
    if (this.#json === undefined && stdout.isTTY) stdout.write(`${frameLine({ ts, type, data }, stdout.columns || 80)}\n`);
    else stdout.write(`${harmlessJson(JSON.stringify(this.#picked(event)))}\n`);
    this.#remaining -= 1;
    if (this.#remaining <= 0) this.#end();
  }

  #picked(event: Record<string, unknown>): object {
    if (typeof this.#json !== 'string') return event;
    return Object.fromEntries(this.#json.split(',').map((field) => [field.trim(), event[field.trim()] ?? null]));
  }

  #onState(state: SocketState): void {
    if (state.state === 'open') this.#opened();
    else this.#lost(state);
  }

  #lost(state: Exclude<SocketState, { state: 'open' }>): void {
    const { reason } = state;
    const lost = this.#refusal ?? lossOf(state);
    // A refused connection is retried once with a fresh authorization; one that was never open and not refused is not.
    if (state.state === 'closed' || (!this.#wasOpen && this.#refusal === undefined)) this.#fail(lost);
    else if (this.#wasOpen && this.#isFollowing) this.#say(`The connection was lost (${cell(reason)}); reconnecting`);
    this.#isFollowing = false;
  }

  #opened(): void {
    if (this.#wasOpen) this.#say('Reconnected');
    this.#refusal = undefined;
    const ready = this.#wasOpen || this.#topics.length === 0 ? this.#client.send('ping') : this.#client.subscribe(this.#topics);
    const first = !this.#wasOpen;
    this.#wasOpen = true;
    ready.then(
      () => this.#begin(first),
      (fault: unknown) => (first ? this.#fail(fault) : undefined),
    );
  }

  #begin(first: boolean): void {
    this.#isFollowing = true;
    this.#hasFollowed = true;
    if (first) this.#say(`following from ${cell(this.#client.cursor ?? 'now')}`);
  }

  #refuse({ code, message, statusCode }: Readonly<Record<string, unknown>>): void {
    this.#refusal = new Failure(String(code), String(message), { status: Number(statusCode) });
  }

  #say(line: string): void {
    remark(line, this.#terminal);
  }
}

/** Returns the failure of a connection. The server closes a connection for good if the caller may not read any more. */
function lossOf({ state, reason }: Exclude<SocketState, { state: 'open' }>): Failure {
  if (state === 'closed') return fail('unauthenticated', `The server closed the connection: ${harmless(reason)}`);
  return failClient('unreachable', `Can't connect to the server for events: ${harmless(reason)}`);
}
