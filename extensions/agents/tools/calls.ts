import {
  type Caller,
  endsWithin,
  isFailure,
  Limiter,
  type Log,
  type Tool,
  type ToolEffect,
  type ToolResult,
  untilAborted,
} from '../../../kernel/contract/index.js';
import type { RunRoom, ToolReports } from '../../chat/contract.js';
import type { Mode } from '../../members/contract.js';
import type { ToolRequest } from '../approvals/approvals.js';
import { parseObject } from '../json.js';
import type { ToolUse } from '../model/prompt.js';
import { locationOf, type NodeAssignment } from '../placement.js';
import type { Stopwatch } from '../run/limits.js';
import { boundedImages } from './images.js';
import { LiveOutput, publicMessage } from './output.js';
import { permissionIn, room_changed, room_gone } from './room-permissions.js';
import { type AllowedTools, allows, type Toolbox } from './toolbox.js';

/** Returns whether a tool with this effect needs approval. */
function needsApproval(mode: Mode, effect: ToolEffect): boolean {
  if (effect === 'dangerous' || mode === 'supervised') return true;
  return mode === 'assistant' && effect === 'write';
}

export interface ToolCallsOptions {
  reports: ToolReports;
  toolbox: Toolbox;
  /** Parses a model's arguments by a tool's schema. Fails with `unknown_field`. */
  readArguments: (schema: object, input: object) => object;
  /** Requests approval. Returns the reason for a refusal, undefined if approved. Fails as soon as the signal aborts. */
  permit: (wish: ToolRequest, signal: AbortSignal) => Promise<string | undefined>;
  /** Returns the member the AI employee works for, in its current state. Fails if it was deleted. */
  caller: () => Promise<Caller>;
  /** Returns the current settings of the AI employee; undefined if it was deleted. */
  employee: () => Promise<(NodeAssignment & { mode: Mode; tools: AllowedTools }) | undefined>;
  /** Node on which the work began. */
  node_id: number | null;
  /** Whether the node may be used for everyone in the room; true outside of rooms. */
  mayUseNode: (employee: NodeAssignment) => Promise<boolean>;
  /** The room in which the AI employee answers; undefined if nobody else reads along. */
  room?: RunRoom | undefined;
  /** Paused while waiting for a person. */
  stopwatch: Stopwatch;
  signal: AbortSignal;
  log: Log;
}

/** A call that may run. */
interface PermittedCall {
  tool: Tool;
  input: object;
  room: Caller['room'];
}

/** Parsed call, or the reason why it is invalid. */
type ParsedCall = { title: string; shown: unknown } & ({ tool: Tool; input: object } | { error: string });

const max_at_once = 16;
const max_reads = 8;
const default_timeout_ms = 60_000;
const max_timeout_ms = 600_000;
/** Limit of a tool's output; the rest is dropped. */
const max_output_length = 1_000_000;

const truncatedCall =
  'This call was cut off: your answer reached its limit of tokens (max_tokens) before its input was complete. Nothing was done. Call it again with less input, or in several parts.';

/** Runs the tool calls of a model or a person's command. */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  /** Aborts the other calls if an internal error ends the run. */
  readonly #failing = new AbortController();
  readonly #signal: AbortSignal;
  readonly #reads = new Limiter(max_reads);
  /** Runs writing calls one at a time, in order. */
  readonly #writes = new Limiter(1);

  constructor(options: ToolCallsOptions) {
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#failing.signal]);
  }

  /**
   * Runs calls; returns the results in their order. An error in a call becomes its result. All approvals are requested
   * at once, and each call runs as soon as it is approved.
   */
  async all(uses: readonly ToolUse[]): Promise<ToolResult[]> {
    // A deleted AI employee does nothing without approval.
    const { mode } = (await this.#options.employee()) ?? { mode: 'supervised' as const };
    const calls: { id: string; call: ParsedCall }[] = [];
    for (const [at, use] of uses.entries()) {
      const call = at < max_at_once ? this.#parse(use) : tooMany(use);
      // In a room others see the input only when the tool runs.
      const shown = this.#options.room ? null : call.shown;
      calls.push({ call, id: await this.#options.reports.started(call.title, shown) });
    }
    const running = calls.map(({ id, call }) => this.#runOne(id, call, mode));
    for (const one of running) one.catch((fault: unknown) => this.#failing.abort(fault));
    await Promise.allSettled(running);
    this.#signal.throwIfAborted();
    return Promise.all(running);
  }

  #parse(use: ToolUse): ParsedCall {
    const { toolbox, readArguments } = this.#options;
    const input = parseObject(use.arguments);
    const tool = toolbox.offered(use);
    const title = tool?.title ?? (use.name.slice(0, 64) || '?');
    const shown = input ?? use.arguments;
    if (!tool) return { title, shown, error: `Unknown tool '${title}'. ${availableTools(toolbox, use)}` };
    if (use.cut) return { title, shown, error: truncatedCall };
    if (!input) return { title, shown, error: `The input of '${title}' must be a JSON object, but is: ${use.arguments.slice(0, 200)}` };
    try {
      return { title, shown, tool, input: readArguments(tool.input, input) };
    } catch (fault) {
      if (!isFailure(fault)) throw fault;
      return { title, shown, error: `${publicMessage(fault)} (${fault.code})` };
    }
  }

  async #runOne(id: string, call: ParsedCall, mode: Mode): Promise<ToolResult> {
    const result = 'error' in call ? { output: '', error: call.error } : await this.#runPermitted(id, call, mode);
    const { output, error = null } = result;
    await this.#options.reports.finished(id, { output: error !== null && output === '' ? null : output, error });
    return result;
  }

  async #runPermitted(id: string, { tool, input }: { tool: Tool; input: object }, mode: Mode): Promise<ToolResult> {
    const { permit, room, stopwatch } = this.#options;
    const inRoom = room && (await permissionIn(room, tool, input));
    if (room && !inRoom) return { output: '', error: room_gone };
    const asks = inRoom?.asks === true || needsApproval(mode, tool.effect);
    if (asks) {
      const refusal = await stopwatch.paused(permit({ tool, input, tool_call_id: id }, this.#signal));
      if (refusal !== undefined) return { output: '', error: refusal };
    }
    const limiter = tool.effect === 'read' ? this.#reads : this.#writes;
    return limiter.run(async () => {
      if (!room || !inRoom) return this.#call(id, { tool, input, room: undefined });
      if (inRoom.is_private && !(await room.confine(inRoom))) return { output: '', error: room_changed };
      await this.#options.reports.input(id, input);
      return this.#call(id, { tool, input, room: { session_id: room.session_id, number: room.number, approved: inRoom.asks } });
    });
  }

  async #call(id: string, { tool, input, room }: PermittedCall): Promise<ToolResult> {
    const { reports, caller, employee: find, node_id: started_on, mayUseNode } = this.#options;
    const signal = this.#signal;
    signal.throwIfAborted();
    const employee = await find();
    if (!employee || !allows(employee.tools, tool)) return { output: '', error: `'${tool.title}' is no longer permitted` };
    const shown = new LiveOutput((delta) => reports.output(id, delta));
    const ending = new AbortController();
    const use = { signal: AbortSignal.any([signal, ending.signal]), output: (delta: string) => shown.add(delta) };
    try {
      const asker = { ...(await caller()), room };
      const node_id = (await mayUseNode(employee)) ? locationOf(employee, asker, started_on).node_id : null;
      const limit_ms = Math.min(tool.timeout_ms ?? default_timeout_ms, max_timeout_ms);
      const called = Promise.resolve().then(() => tool.call(input, { ...use, asker, node_id }));
      if (await untilAborted(endsWithin(limit_ms, called), signal)) return bounded(await called);
      return { output: '', error: `'${tool.title}' did not finish within ${limit_ms / 1000} s and was cancelled` };
    } catch (fault) {
      signal.throwIfAborted();
      return { output: '', error: this.#sentenceOf(fault, tool) };
    } finally {
      ending.abort();
      await untilAborted(shown.end(), signal).catch(() => undefined);
    }
  }

  #sentenceOf(fault: unknown, { title }: Tool): string {
    if (isFailure(fault)) return `${publicMessage(fault)} (${fault.code})`;
    this.#options.log.warn(`The tool '${title}' failed`, { err: fault });
    return `'${title}' failed; see the server log (internal_error)`;
  }
}

function availableTools({ tools: all }: Toolbox, { offered }: ToolUse): string {
  const tools = all.filter(({ name }) => offered?.has(name) ?? true);
  if (tools.length === 0) return 'No tools are available.';
  return `Available tools: ${tools.map(({ title }) => title).join(', ')}`.slice(0, 2_000);
}

function tooMany(use: ToolUse): ParsedCall {
  return {
    title: use.name.slice(0, 64) || '?',
    shown: use.arguments,
    error: `At most ${max_at_once} tools run at once; call this one again afterwards`,
  };
}

/** Limits a result to the contract, whatever a provider returned. */
function bounded(result: ToolResult): ToolResult {
  const text = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  const output = text(result?.output ?? '').slice(0, max_output_length);
  const images = boundedImages(result?.images);
  const visible = images.length > 0 ? { images } : {};
  return result?.error === undefined ? { output, ...visible } : { output, ...visible, error: text(result.error).slice(0, 4_000) };
}
