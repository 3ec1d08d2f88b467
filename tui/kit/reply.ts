import type { StreamEvent } from '../../kernel/contract/operation.js';
import { oneLine } from './cells.js';
import type { LogLine } from './log-line.js';

/** A tool call that waits for a person's approval. */
export interface PendingApproval {
  id: string;
  name: string;
  input: unknown;
  session_id: string;
  /** Title of the room whose members see the result; none outside of rooms. */
  room_title?: string | null;
}

interface ToolData {
  tool_call_id?: unknown;
  name?: unknown;
  input?: unknown;
  delta?: unknown;
  output?: unknown;
  error?: unknown;
}

interface StoredCall extends Omit<ToolData, 'tool_call_id'> {
  id: string;
  finished_at: string | null;
}

interface StoredMessage {
  content: string;
  tool_calls: readonly StoredCall[];
}

interface ReplyData {
  delta?: unknown;
  approval?: PendingApproval;
  message?: StoredMessage | null;
  notice?: { message?: unknown };
}

interface Text {
  kind: 'text' | 'thought';
  text: string;
}

interface Tool {
  kind: 'tool';
  id: string;
  name: string;
  input: unknown;
  output: string;
  error: string | undefined;
  isOver: boolean;
}

type Part = Text | Tool;

/** Limit of the lines shown of a tool's output; the last ones are shown. */
const output_lines = 5;
const max_output = 8_000;

/** Assembles a reply from its stream's events: texts and tool calls in order of arrival. */
export class Reply {
  #parts: Part[] = [];
  readonly #pending = new Map<string, PendingApproval>();
  #notices: string[] = [];
  #end: string | undefined;

  /** Tool calls that wait for approval. */
  get pending(): readonly PendingApproval[] {
    return [...this.#pending.values()];
  }

  /** `completed`, `aborted` or `failed`, with the reason; undefined while it is being written. */
  get end(): string | undefined {
    return this.#end;
  }

  take({ type, data }: StreamEvent): void {
    const { delta, approval, message, notice } = data as ReplyData;
    if (type === 'message.delta') this.#text('text', String(delta));
    else if (type === 'reasoning.delta') this.#text('thought', String(delta));
    else if (type === 'message.notice') this.#notices.push(oneLine(notice?.message));
    else if (type.startsWith('tool.')) this.#tool(type, data as ToolData);
    else if (type === 'approval.required' && approval) this.#pending.set(approval.id, approval);
    else if (type === 'approval.resolved' && approval) this.#pending.delete(approval.id);
    else if (type === 'snapshot' && message) this.#replace(message);
    else if (/^message\.(completed|aborted|failed)$/.test(type)) this.#finish(type, data);
  }

  /** Returns the reply as lines; open approvals come last, in full. {@link Text} removes control characters. */
  lines(): LogLine[] {
    const approvals = this.pending.map(({ name, input }) => `? ${name} ${oneLine(input)}`);
    return [...this.#parts.flatMap(linesOf), ...this.#notices.map((notice) => `note: ${notice}`), ...approvals];
  }

  #text(kind: Text['kind'], delta: string): void {
    const last = this.#parts.at(-1);
    if (last?.kind === kind) last.text += delta;
    else this.#parts.push({ kind, text: delta });
  }

  #tool(type: string, data: ToolData): void {
    const id = String(data.tool_call_id);
    if (type === 'tool.started') {
      this.#parts.push({ kind: 'tool', id, name: String(data.name), input: data.input, output: '', error: undefined, isOver: false });
      return;
    }
    const tool = this.#parts.findLast((part) => part.kind === 'tool' && part.id === id) as Tool | undefined;
    if (tool && type === 'tool.output') tool.output = (tool.output + String(data.delta)).slice(-max_output);
    if (tool && type === 'tool.finished') finish(tool, data);
  }

  /** Replaces the parts by a snapshot, which contains everything received before. */
  #replace({ content, tool_calls }: StoredMessage): void {
    this.#parts = tool_calls.map(({ id, name, input, finished_at, ...result }) => {
      const tool: Tool = { kind: 'tool', id, name: String(name), input, output: '', error: undefined, isOver: false };
      if (finished_at !== null) finish(tool, result);
      return tool;
    });
    if (content !== '') this.#text('text', content);
  }

  #finish(type: string, data: object): void {
    const { message, error } = data as { message?: StoredMessage | null; error?: { message?: unknown } | null };
    const hasText = this.#parts.some(({ kind }) => kind === 'text');
    if (message && !hasText && message.content !== '') this.#text('text', message.content);
    this.#pending.clear();
    this.#end = [type.slice('message.'.length), ...(error ? [oneLine(error.message)] : [])].join(': ');
  }
}

function finish(tool: Tool, { output, error }: Pick<ToolData, 'output' | 'error'>): void {
  tool.isOver = true;
  if (typeof output === 'string' && tool.output === '') tool.output = output.slice(-max_output);
  tool.error = error === null || error === undefined ? undefined : oneLine(error);
}

function linesOf(part: Part): LogLine[] {
  if (part.kind === 'tool') return toolLines(part);
  const text = part.text.replace(/\n+$/, '');
  return part.kind === 'thought' ? text.split('\n').map((line) => `  ~ ${line}`) : [{ markdown: text }];
}

function toolLines({ name, input, output, error, isOver }: Tool): string[] {
  const all = output.trimEnd() === '' ? [] : output.trimEnd().split('\n');
  const shown = all.slice(-output_lines).map((line) => `  | ${line}`);
  const more = all.length > output_lines ? [`  | (${all.length - output_lines} lines before)`] : [];
  const end = error === undefined ? `ok ${name}` : `failed ${name}: ${error}`;
  return [`> ${name} ${oneLine(input)}`, ...more, ...shown, ...(isOver ? [end] : [])];
}
