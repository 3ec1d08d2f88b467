import { setTimeout as pause } from 'node:timers/promises';
import type { Run as ScheduleRun } from '../../extensions/schedules/contract.js';
import type { Transport } from '../../kernel/client/transport.js';
import type { StreamEvent } from '../../kernel/contract/index.js';
import { faultText, Records, SocketReader, StreamReader } from './readers.js';
import type { Cast, Player, Stage } from './stage.js';
import { type Decision, type History, readers, type Step } from './steps.js';

/** Records of a run, and the names of the ids in it. */
export interface Played {
  records: Records;
  /** Ids that steps have made, by the text of the id. */
  names: ReadonlyMap<string, string>;
  /** Members of the run, by id. */
  members: ReadonlyMap<number, string>;
  tag: string;
  /** Step at which Ann released something: from there on readers may learn it. */
  released_at: number;
}

/** Stands for the id of what does not exist. */
const nowhere = '01900000-0000-4000-8000-000000000000';
/** Limit of a step. */
const limit_ms = 20_000;
/** Time in which a stream begins to show a message that nobody answers. */
const reading_ms = 2;

/** Runs a history on new members, with this value of its secret. */
export async function play(stage: Stage, history: History, secret: string): Promise<Played> {
  const cast = await stage.cast(history.modes);
  const run = new Run(stage, cast, { history, secret });
  try {
    return await run.play();
  } finally {
    await run.close();
  }
}

/** Whether a step may start work. Lists of notifications mark them as sent. */
function changes({ operation }: Step, { operations }: Stage): boolean {
  return operations[operation]?.method !== 'GET' || operation === 'notifications.list';
}

class Run {
  readonly #stage: Stage;
  readonly #cast: Cast;
  readonly #given: { history: History; secret: string };
  readonly #records = new Records();
  readonly #kept = new Map<string, unknown>();
  readonly #sockets: SocketReader[] = [];
  readonly #streams: StreamReader[] = [];
  #waiting: string[] = [];
  /** Replies that wait for a decision. */
  readonly #undecided = new Set<string>();
  #released_at = Number.POSITIVE_INFINITY;

  constructor(stage: Stage, cast: Cast, given: { history: History; secret: string }) {
    this.#stage = stage;
    this.#cast = cast;
    this.#given = given;
    for (const [name, { id }] of cast.players) this.#kept.set(name, id);
    for (const [index, { id, username }] of cast.employees.entries()) {
      this.#kept.set(`employee${index + 1}`, id);
      this.#kept.set(`employee${index + 1}.name`, username);
    }
  }

  async play(): Promise<Played> {
    const { platform } = this.#stage;
    const from = platform.lines.length;
    const opening = readers.flatMap((reader) => {
      const { token } = this.#player(reader);
      const record = (door: string, text: string) => this.#records.add(reader, door, text);
      return token === undefined ? [] : [SocketReader.open(platform.url, token, record)];
    });
    this.#sockets.push(...(await Promise.all(opening)));
    for (const [index, step] of this.#given.history.steps.entries()) {
      this.#records.step = index;
      try {
        await this.#take(step);
        if (changes(step, this.#stage)) await this.#settle();
      } catch (cause) {
        throw new Error(`Step ${index} of seed ${this.#given.history.seed} failed: ${JSON.stringify(step)}`, { cause });
      }
    }
    await this.#end();
    for (const line of platform.lines.slice(from)) if (line.level !== 'debug') this.#records.add('log', 'lines', JSON.stringify(line));
    const names = [...this.#kept].filter(([, id]) => typeof id === 'string').map(([name, id]) => [String(id), name] as const);
    const members = [...this.#cast.players, ...this.#cast.employees.map((one, at) => [`employee${at + 1}`, one] as const)];
    return {
      records: this.#records,
      names: new Map(names),
      members: new Map(members.map(([name, { id }]) => [id, name])),
      tag: this.#cast.tag,
      released_at: this.#released_at,
    };
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.close();
    await this.#cast.close();
  }

  /** Waits until nothing more comes. */
  async #settle(): Promise<void> {
    for (let before = -1; before !== this.#records.count; ) {
      before = this.#records.count;
      await this.#streamed();
      if (this.#streams.length > 0) await pause(reading_ms);
      await this.#stage.settle({ waits: this.#waiting.length > 0 });
      await Promise.all(this.#sockets.map((socket) => socket.flush()));
    }
  }

  /** Waits until the streams have the last events of all replies. Before these, they store that their readers have read the replies. */
  async #streamed(): Promise<void> {
    const isBehind = ({ unfinished }: StreamReader) => [...unfinished].some((id) => !this.#undecided.has(id));
    for (const limit = Date.now() + limit_ms; this.#streams.some(isBehind); await pause(1))
      if (Date.now() > limit) throw new Error(`A stream lacks the end of a reply at step ${this.#records.step}`);
  }

  /** Stops what still waits, and the streams. */
  async #end(): Promise<void> {
    for (const message_id of this.#waiting) await this.#call(this.#player('ann'), 'chat.abort', { message_id }).catch(() => undefined);
    this.#waiting = [];
    await this.#settle();
    await Promise.all(this.#streams.map((stream) => stream.stop()));
  }

  #player(name: string): Player {
    return this.#cast.players.get(name) as Player;
  }

  async #take(step: Step): Promise<void> {
    const { by, operation } = step;
    const player = this.#player(by);
    const input = this.#fill(step.input) as object;
    if (operation === 'sessions.stream' || operation === 'messages.stream') return this.#follow(step, input);
    let answer: unknown;
    try {
      answer = await this.#call(player, operation, input);
      this.#records.add(by, 'calls', `${operation} ${JSON.stringify(answer) ?? 'done'}`);
    } catch (fault) {
      this.#records.add(by, 'calls', `${operation} failed: ${faultText(fault)}`);
      return;
    }
    if (step.keep) this.#keep(step.keep, answer as Record<string, unknown>);
    const { task_ids = [], message_id, run_id } = (answer ?? {}) as { task_ids?: string[]; message_id: string; run_id: number };
    if (operation === 'schedules.run') await this.#finish(step, Number((input as { id: number }).id), run_id);
    if (operation === 'chat.send' && task_ids.length > 0) await this.#await(step, message_id);
  }

  #keep(name: string, { id, message_id }: Record<string, unknown>): void {
    this.#kept.set(name, message_id ?? id);
  }

  /** Follows a stream that a reader opens. It goes on beside the next steps. */
  async #follow({ by, operation, input: { session_id, message_id } }: Step, input: object): Promise<void> {
    const door = `stream of ${String(session_id ?? message_id)}, opened at step ${this.#records.step}`;
    let begun: Promise<void> | undefined;
    const open = (signal: AbortSignal) => {
      const { events, opened } = this.#player(by).follow(this.#request(operation, input, signal));
      begun = opened;
      return events;
    };
    this.#streams.push(new StreamReader(open, { record: (text) => this.#records.add(by, door, text) }));
    await begun;
  }

  /** Waits until the run of a schedule has sent its message, and for the answers to it. */
  async #finish(step: Step, id: number, run_id: number): Promise<void> {
    const player = this.#player(step.by);
    const limit = Date.now() + limit_ms;
    for (;;) {
      const run = (await this.#call(player, 'schedules.run_record', { id, run_id })) as ScheduleRun;
      if (run.status !== 'queued' && run.status !== 'running') {
        this.#records.add(step.by, 'calls', `run ${JSON.stringify(run)}`);
        if (run.task_id !== null) await this.#await(step, (JSON.parse(run.result) as { message_id: string }).message_id);
        return;
      }
      if (Date.now() > limit) throw new Error('The run takes too long');
      await pause(2);
    }
  }

  /** Waits for the answers to a message, and decides what its asker is asked. */
  async #await({ by, decision = 'deny' }: Step, message_id: string): Promise<void> {
    const player = this.#player(by);
    const door = `answers to the message of step ${this.#records.step}`;
    const asked = new Set<Promise<unknown>>();
    let resolveLeft: () => void = () => undefined;
    const left = new Promise<void>((resolve) => (resolveLeft = resolve));
    const onEvent = ({ type }: StreamEvent) => {
      if (type !== 'approval.required') return;
      if (decision === 'leave') resolveLeft();
      else asked.add(this.#decide(player, by, decision));
    };
    const open = (signal: AbortSignal) => this.#transportOf(player).stream(this.#request('messages.stream', { message_id }, signal));
    const stream = new StreamReader(open, { record: (text) => this.#records.add(by, door, text), onEvent });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`The answers to step ${this.#records.step} take too long`)), limit_ms);
    });
    await Promise.race([stream.end, left, late]).finally(() => clearTimeout(timer));
    if (decision === 'leave') {
      this.#waiting.push(message_id);
      for (const id of stream.unfinished) this.#undecided.add(id);
      await stream.stop();
    }
    await Promise.all(asked);
  }

  /** Decides all that waits for a member. */
  async #decide(player: Player, by: string, decision: Decision): Promise<void> {
    if (by === 'ann' && decision === 'approve') this.#released_at = Math.min(this.#released_at, this.#records.step);
    const left = new Set(this.#waiting);
    const pending = (await this.#call(player, 'approvals.list', { status: 'pending', limit: 200, offset: 0 })) as {
      id: string;
      effect: string;
      message_id: string;
    }[];
    for (const { id } of pending.filter(({ message_id }) => !left.has(message_id))) {
      await this.#call(player, 'approvals.decide', { id, decision, reason: '' }).catch(() => undefined);
    }
  }

  #request(id: string, input: object, signal: AbortSignal) {
    const operation = this.#stage.operations[id];
    if (!operation) throw new Error(`There is no operation '${id}'`);
    return { id, operation, input: operation.kind === 'upload' ? withBytes(input) : input, options: { signal } };
  }

  async #call(player: Player, id: string, input: object): Promise<unknown> {
    const request = this.#request(id, input, AbortSignal.timeout(limit_ms));
    return (await this.#transportOf(player).call(request)).body;
  }

  /** Ann calls over HTTP, so that the log has her requests; the others in this process, where answers are the same and cost less. */
  #transportOf(player: Player): Transport {
    return player.id === this.#player('ann').id ? player.transport : player.direct;
  }

  /** Replaces the references in an input. */
  #fill(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#fill(one));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#fill(inner)]));
    return typeof value === 'string' ? this.#fillText(value.replaceAll('{{secret}}', this.#given.secret)) : value;
  }

  #fillText(text: string): unknown {
    const [, whole] = /^\{\{([\w.]+)\}\}$/.exec(text) ?? [];
    if (whole) return this.#valueOf(whole);
    return text.replaceAll(/\{\{([\w.]+)\}\}/g, (_, name: string) => String(this.#valueOf(name)));
  }

  #valueOf(name: string): unknown {
    return name === 'run' ? this.#cast.tag : (this.#kept.get(name) ?? nowhere);
  }
}

/** Returns an upload's input with the bytes of its file, which a history has as text. */
function withBytes(input: object): object {
  const { name, content } = (input as { file: { name: string; content: string } }).file;
  return { ...input, file: { name, bytes: Buffer.from(content) } };
}
