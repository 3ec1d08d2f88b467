import type { StreamEvent } from '../kernel/contract/operation.js';
import { cell, cut } from './table.js';

interface Call {
  name: string;
  /** The start of an unfinished line of its output. */
  rest: string;
  shown: number;
  hidden: number;
}

interface ToolData {
  tool_call_id?: string;
  name?: unknown;
  input?: unknown;
  delta?: unknown;
  output?: unknown;
  error?: unknown;
}

/** Limit of the lines shown of one call's output. */
const max_lines = 8;

/** Formats the tool calls of an AI employee as lines: name and input, the first lines of the output, the result. */
export class ToolLines {
  readonly #calls = new Map<string, Call>();
  readonly #columns: number;

  /** @param columns limit of a line. */
  constructor(columns: number) {
    this.#columns = columns;
  }

  take({ type, data }: StreamEvent): string[] {
    const tool = data as ToolData;
    if (type === 'tool.started') return [this.#started(tool)];
    const call = this.#calls.get(String(tool.tool_call_id));
    if (call === undefined) return [];
    if (type === 'tool.output') return this.#output(call, String(tool.delta ?? ''));
    return type === 'tool.finished' ? this.#finished(call, tool) : [];
  }

  #started({ tool_call_id, name, input }: ToolData): string {
    const call = { name: cell(name), rest: '', shown: 0, hidden: 0 };
    this.#calls.set(String(tool_call_id), call);
    return this.#line(`→ ${call.name} ${input === null || input === undefined ? '' : cell(input)}`.trimEnd());
  }

  #output(call: Call, delta: string): string[] {
    const lines = (call.rest + delta).split('\n');
    call.rest = lines.pop()?.slice(-this.#columns * 4) ?? '';
    return lines.flatMap((line) => this.#outputLine(call, line));
  }

  #outputLine(call: Call, line: string): string[] {
    if (call.shown >= max_lines) {
      call.hidden += 1;
      return [];
    }
    call.shown += 1;
    return [this.#line(`  │ ${cell(line)}`)];
  }

  #finished(call: Call, { tool_call_id, output, error }: ToolData): string[] {
    this.#calls.delete(String(tool_call_id));
    // Output that was not streamed is shown at the end.
    const unshown = call.shown === 0 && typeof output === 'string' ? output.trimEnd() : call.rest;
    const last = unshown === '' ? [] : unshown.split('\n').flatMap((line) => this.#outputLine(call, line));
    const more = call.hidden > 0 ? [this.#line(`  │ … ${call.hidden} more ${call.hidden === 1 ? 'line' : 'lines'}`)] : [];
    const failed = error !== null && error !== undefined;
    return [...last, ...more, this.#line(failed ? `✗ ${call.name}: ${cell(error)}` : `✓ ${call.name}`)];
  }

  #line(text: string): string {
    return cut(text, this.#columns);
  }
}
