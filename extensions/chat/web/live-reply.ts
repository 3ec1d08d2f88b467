import type { Message, ToolCall } from '../contract.js';
import { GrowingText } from './growing-text.js';
import type { Approval } from './records.js';

export interface TextPart {
  kind: 'text';
  key: number;
  text: GrowingText;
  /** All of the text that has come, also what isn't shown yet. */
  whole: string;
}

export interface ThoughtPart {
  kind: 'thought';
  key: number;
  text: string;
  started_at: number;
  ended_at: number | undefined;
}

export interface ToolPart {
  kind: 'tool';
  key: number;
  id: string;
  name: string;
  input: unknown;
  output: string;
  /** Characters of the output before the shown ones. */
  omitted: number;
  error: string | null;
  started_at: number;
  ended_at: number | undefined;
}

/** A part of a reply, in the order in which they came. */
export type Part = TextPart | ThoughtPart | ToolPart;

/** A reply in progress as another tab has it. */
export interface ReplyState {
  seq: number;
  parts: readonly (ThoughtPart | ToolPart | Omit<TextPart, 'text'>)[];
}

/** An event of a reply's stream; `data` has the fields of its type. */
export interface ReplyEvent {
  type: string;
  data: {
    seq?: number;
    task_id?: string | null;
    message_id?: string;
    delta?: string;
    message?: Message | null;
    tool_call_id?: string;
    name?: string;
    input?: unknown;
    output?: string | null;
    error?: string | { code: string; message: string } | null;
    approval?: Approval;
    notice?: { code: string; message: string };
    node_id?: number;
    reason?: string;
  };
}

/** Something that is drawn at most once per frame. */
export interface Paintable {
  /** Shows what has come; returns whether there is more to show in the next frame. */
  paint(): boolean;
}

export interface LiveReplyOptions {
  /** Asks for a drawing in the next frame. */
  request: (paintable: Paintable) => void;
  /** Whether the person wants less motion: then text appears as it comes. */
  isStill: () => boolean;
  now?: () => number;
}

/** Characters of a tool's output that are shown; the last ones. */
const max_output = 64_000;
/** Share of the text that has come and isn't shown yet, which a frame shows: a reply that comes in bursts is read smoothly. */
const share = 1 / 6;
const min_step = 4;

/** A reply that is being written: its parts from the events of its stream. Tells its readers at most once per frame. */
export class LiveReply implements Paintable {
  readonly #options: LiveReplyOptions;
  readonly #listeners = new Set<() => void>();
  #version = 0;
  #seq = 0;
  #key = 0;
  #parts: readonly Part[] = [];
  #hidden = '';
  #isOver = false;
  #waits: { node_id: number; reason: string } | undefined;

  constructor(options: LiveReplyOptions) {
    this.#options = options;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Rises with each drawing. */
  readonly version = (): number => this.#version;

  get parts(): readonly Part[] {
    return this.#parts;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The node for which its task waits. */
  get waits(): { node_id: number; reason: string } | undefined {
    return this.#waits;
  }

  take({ type, data }: ReplyEvent): void {
    const { seq = 0 } = data;
    if (type !== 'snapshot' && seq > 0 && seq <= this.#seq) return;
    if (seq > 0) this.#seq = seq;
    if (type !== 'node.awaited' && type !== 'task.updated') this.#waits = undefined;
    if (type === 'message.delta') this.#text(data.delta ?? '');
    else if (type === 'reasoning.delta') this.#thought(data.delta ?? '');
    else if (type.startsWith('tool.')) this.#tool(type, data);
    else if (type === 'node.awaited') this.#waits = { node_id: data.node_id ?? 0, reason: data.reason ?? '' };
    else if (type === 'snapshot' && data.message) this.#catchUp(data.message);
    else if (/^message\.(completed|aborted|failed)$/.test(type)) this.finish(data.message ?? undefined);
    this.#options.request(this);
  }

  /** Returns the parts for another tab. */
  state(): ReplyState {
    const parts = this.#parts.map((part) => (part.kind === 'text' ? { kind: part.kind, key: part.key, whole: part.whole } : { ...part }));
    return { seq: this.#seq, parts };
  }

  /** Takes over the parts of another tab, unless this one has more. */
  adopt({ seq, parts }: ReplyState): void {
    // An event may have come before the parts that precede it.
    const isBehind = seq > this.#seq || (seq === this.#seq && parts.length + lengthOf(parts) > this.#parts.length + lengthOf(this.#parts));
    if (!isBehind || this.#isOver) return;
    this.#seq = seq;
    this.#hidden = '';
    this.#key = parts.length;
    this.#parts = parts.map((part, key) => (part.kind === 'text' ? { ...part, key, text: textFrom(part.whole) } : { ...part, key }));
    this.#options.request(this);
  }

  /** Ends the reply; all of its text is shown at once. */
  finish(message?: Message): void {
    if (message) this.#catchUp(message);
    this.#endThought();
    this.#reveal(Number.POSITIVE_INFINITY);
    this.#isOver = true;
    this.#options.request(this);
  }

  paint(): boolean {
    const backlog = this.#hidden.length;
    if (backlog > 0) this.#reveal(this.#options.isStill() ? backlog : Math.max(min_step, Math.ceil(backlog * share)));
    this.#version += 1;
    for (const listener of this.#listeners) listener();
    return this.#hidden.length > 0;
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }

  #text(delta: string): void {
    if (delta === '') return;
    if (this.#parts.at(-1)?.kind !== 'text') this.#beginText();
    (this.#parts.at(-1) as TextPart).whole += delta;
    this.#hidden += delta;
  }

  #beginText(): void {
    this.#reveal(Number.POSITIVE_INFINITY);
    this.#endThought();
    this.#push({ kind: 'text', key: this.#key++, text: new GrowingText(), whole: '' });
  }

  /** Shows up to `length` characters of the text that waits. It always belongs to the last text. */
  #reveal(length: number): void {
    if (this.#hidden === '') return;
    const part = this.#parts.findLast((one): one is TextPart => one.kind === 'text');
    let end = Math.min(length, this.#hidden.length);
    // A surrogate pair isn't split.
    if (/[\uD800-\uDBFF]/.test(this.#hidden[end - 1] ?? '')) end += 1;
    part?.text.add(this.#hidden.slice(0, end));
    this.#hidden = this.#hidden.slice(end);
  }

  #thought(delta: string): void {
    const last = this.#parts.at(-1);
    if (last?.kind === 'thought' && last.ended_at === undefined) last.text += delta;
    else this.#push({ kind: 'thought', key: this.#key++, text: delta, started_at: this.#now(), ended_at: undefined });
  }

  #endThought(): void {
    const last = this.#parts.at(-1);
    if (last?.kind === 'thought') last.ended_at ??= this.#now();
  }

  #tool(type: string, { tool_call_id = '', name = '', input, delta = '', output, error }: ReplyEvent['data']): void {
    if (type === 'tool.started') {
      this.#reveal(Number.POSITIVE_INFINITY);
      this.#endThought();
      this.#push(this.#newTool({ id: tool_call_id, name, input, started_at: this.#now() }));
      return;
    }
    this.#change(tool_call_id, (tool) => {
      if (type === 'tool.input') return { ...tool, input };
      if (type === 'tool.output') return withOutput(tool, tool.output + delta, tool.omitted);
      const failure = typeof error === 'string' ? error : null;
      const ended = { ...tool, error: failure, ended_at: this.#now() };
      return tool.output === '' && output ? withOutput(ended, output, 0) : ended;
    });
  }

  #newTool({ id, name, input, started_at }: Pick<ToolPart, 'id' | 'name' | 'input' | 'started_at'>): ToolPart {
    return { kind: 'tool', key: this.#key++, id, name, input, output: '', omitted: 0, error: null, started_at, ended_at: undefined };
  }

  #change(id: string, change: (tool: ToolPart) => ToolPart): void {
    this.#parts = this.#parts.map((part) => (part.kind === 'tool' && part.id === id ? change(part) : part));
  }

  #push(part: Part): void {
    this.#parts = [...this.#parts, part];
  }

  /** Adds what a stored message has more than the parts; replaces the texts if they are others. */
  #catchUp(message: Message): void {
    for (const call of message.tool_calls) this.#catchUpTool(call);
    const shown = this.#parts.map((part) => (part.kind === 'text' ? part.whole : '')).join('');
    if (message.content.startsWith(shown)) {
      this.#text(message.content.slice(shown.length));
      return;
    }
    this.#hidden = '';
    this.#parts = this.#parts.filter(({ kind }) => kind !== 'text');
    this.#text(message.content);
    this.#reveal(Number.POSITIVE_INFINITY);
  }

  #catchUpTool(call: ToolCall): void {
    const known = this.#parts.some((part) => part.kind === 'tool' && part.id === call.id);
    if (!known) this.#push(this.#newTool({ ...call, started_at: Date.parse(call.started_at) }));
    if (call.finished_at === null) return;
    const ended_at = Date.parse(call.finished_at);
    this.#change(call.id, (tool) => {
      const ended = { ...tool, input: call.input, error: call.error, ended_at: tool.ended_at ?? ended_at };
      return tool.output === '' && call.output ? withOutput(ended, call.output, 0) : ended;
    });
  }
}

function lengthOf(parts: ReplyState['parts']): number {
  return parts.reduce((sum, part) => sum + (part.kind === 'text' ? part.whole.length : 0), 0);
}

function textFrom(whole: string): GrowingText {
  const text = new GrowingText();
  text.add(whole);
  return text;
}

function withOutput(tool: ToolPart, output: string, omitted: number): ToolPart {
  const over = Math.max(0, output.length - max_output);
  // Cut rarely: each cut copies the text.
  if (over < max_output / 4) return { ...tool, output, omitted };
  return { ...tool, output: output.slice(over), omitted: omitted + over };
}

/** Returns the parts of a stored message, of which the order of tools and texts isn't known: the tools first. */
export function toolsOf({ tool_calls }: Pick<Message, 'tool_calls'>): ToolPart[] {
  return tool_calls.map((call, key) => ({
    kind: 'tool',
    key,
    id: call.id,
    name: call.name,
    input: call.input,
    output: call.output ?? '',
    omitted: 0,
    error: call.error,
    started_at: Date.parse(call.started_at),
    ended_at: call.finished_at === null ? undefined : Date.parse(call.finished_at),
  }));
}

/** Steps one after the other that are shown as one. */
const min_group = 4;

/** Groups finished steps that stand together, if they are many. What runs, waits or has failed stays alone, in sight. */
export function groupsOf(parts: readonly Part[]): (readonly Part[])[] {
  const groups: Part[][] = [];
  let steps: Part[] = [];
  const flush = () => {
    groups.push(...(steps.length >= min_group ? [steps] : steps.map((step) => [step])));
    steps = [];
  };
  for (const part of parts) {
    if (part.kind !== 'text' && part.ended_at !== undefined && !(part.kind === 'tool' && part.error !== null)) {
      steps.push(part);
      continue;
    }
    flush();
    groups.push([part]);
  }
  flush();
  return groups;
}
