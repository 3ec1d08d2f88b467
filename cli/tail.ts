import type { Command } from 'commander';
import { failClient } from '../kernel/client/exchange.js';
import { SocketClient, type SocketFrame, type SocketState } from '../kernel/client/socket.js';
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

/** What is asked for where no topics are named: of these, those that there are and that the caller may read. */
const usual = ['extensions', 'nodes', 'schedules', 'agents.budget'];
/** About the connection itself, not about what happens on the platform. */
const unshown = new Set(['hello', 'ack', 'pong', 'error', 'resync']);
/** Of all and nearly always: only for who names them. They are told to everybody, so nothing is subscribed to. */
const ambient = ['presence', 'typing'];

/** Shows what happens on the platform as it happens, until it is interrupted or has shown enough. */
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
  throw new UsageError(`'${text}' for --count is no number of events`, 'as in: --count 10');
}

const fields = ['ts', 'type', 'data', 'cursor'];

/** A field that no event has is a slip of the hand. */
function assertFields(json: TailFlags['json']): void {
  const unknown = typeof json === 'string' ? json.split(',').find((field) => !fields.includes(field.trim())) : undefined;
  if (unknown !== undefined) throw new UsageError(`There is no field '${unknown.trim()}'`, `there are: ${fields.join(', ')}`);
}

const cursorShape = /^member:\d+\.[^.\s]+\.\d{1,15}$/;

/** One that can't be continued from any more is told once it is asked for; what is none at all needn't be. */
function assertCursor(after: string | undefined): void {
  if (after === undefined || cursorShape.test(after)) return;
  throw new UsageError(`'${after}' for --after is no cursor`, 'it has the form that tail tells at its end, as in: --after member:1.0123.9');
}

class Tail {
  readonly #client: SocketClient;
  /** Those that were named. */
  readonly #topics: readonly string[];
  readonly #ambient: readonly string[];
  readonly #json: TailFlags['json'];
  readonly #terminal: Terminal;
  readonly #ended: Promise<void>;
  #end: () => void = () => undefined;
  #fail: (reason: unknown) => void = () => undefined;
  #left = 0;
  /** Of a connection, whether what it begins with is over: who is present at all is no event. */
  #begun = false;
  #wasOpen = false;
  /** Whether it has followed at all. */
  #hasBegun = false;
  #refusal: Failure | undefined;

  constructor({ live, way, name }: Session, { after, topics, json }: TailFlags, terminal: Terminal) {
    this.#ended = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    const named = topics?.split(',').map((topic) => topic.trim());
    this.#topics = named?.filter((topic) => !ambient.includes(topic)) ?? [];
    this.#ambient = named?.filter((topic) => ambient.includes(topic)) ?? [];
    this.#json = json;
    this.#terminal = terminal;
    if (way === 'direct') this.#say(`No server runs on ${cell(name)}, so there may be little to show; start one with: platform serve`);
    this.#client = new SocketClient({
      ...live,
      after,
      topics: named === undefined ? usual : [],
      onFrame: (frame) => this.#take(frame),
      onState: (state) => this.#turn(state),
    });
  }

  async run({ count, for_ms }: { count: number; for_ms: number | undefined }, signal: AbortSignal): Promise<void> {
    this.#left = count;
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
    if (this.#hasBegun && cursor !== undefined) this.#say(`go on with: platform tail --after ${cell(cursor)}`);
  }

  #take(frame: SocketFrame): void {
    const { type, data } = frame;
    if (type === 'error' && frame.id === undefined) this.#refuse(data);
    else if (type === 'resync') this.#say('Something may be missing here: it is not kept any more');
    else if (!unshown.has(type) && (!ambient.includes(type) || (this.#begun && this.#ambient.includes(type)))) this.#show(frame);
  }

  #show({ type, data, cursor, ts }: SocketFrame): void {
    if (this.#left <= 0) return;
    const { stdout } = this.#terminal;
    const event: Record<string, unknown> = { ts, type, data, cursor: cursor ?? null };
    if (this.#json === undefined && stdout.isTTY) stdout.write(`${frameLine({ ts, type, data }, stdout.columns || 80)}\n`);
    else stdout.write(`${harmlessJson(JSON.stringify(this.#picked(event)))}\n`);
    this.#left -= 1;
    if (this.#left <= 0) this.#end();
  }

  #picked(event: Record<string, unknown>): object {
    if (typeof this.#json !== 'string') return event;
    return Object.fromEntries(this.#json.split(',').map((field) => [field.trim(), event[field.trim()] ?? null]));
  }

  #turn(state: SocketState): void {
    if (state.state === 'open') this.#opened();
    else this.#lost(state);
  }

  #lost(state: Exclude<SocketState, { state: 'open' }>): void {
    const { reason } = state;
    const lost = this.#refusal ?? lossOf(state);
    // What it was refused with is tried once more, with a fresh authorization; what can't be reached at all is not.
    if (state.state === 'closed' || (!this.#wasOpen && this.#refusal === undefined)) this.#fail(lost);
    else if (this.#wasOpen && this.#begun) this.#say(`The connection was lost (${cell(reason)}); it is tried again`);
    this.#begun = false;
  }

  #opened(): void {
    if (this.#wasOpen) this.#say('Connected again');
    this.#refusal = undefined;
    const begun = this.#wasOpen || this.#topics.length === 0 ? this.#client.send('ping') : this.#client.subscribe(this.#topics);
    const first = !this.#wasOpen;
    this.#wasOpen = true;
    begun.then(
      () => this.#begin(first),
      (fault: unknown) => (first ? this.#fail(fault) : undefined),
    );
  }

  #begin(first: boolean): void {
    this.#begun = true;
    this.#hasBegun = true;
    if (first) this.#say(`following from ${cell(this.#client.cursor ?? 'now')}`);
  }

  #refuse({ code, message, statusCode }: Readonly<Record<string, unknown>>): void {
    this.#refusal = new Failure(String(code), String(message), { status: Number(statusCode) });
  }

  #say(line: string): void {
    remark(line, this.#terminal);
  }
}

/** What is closed for good after it was open was closed by the server, because of who reads. */
function lossOf({ state, reason }: Exclude<SocketState, { state: 'open' }>): Failure {
  if (state === 'closed') return fail('unauthenticated', `The server has ended this: ${harmless(reason)}`);
  return failClient('unreachable', `The events can't be read: ${harmless(reason)}`);
}
