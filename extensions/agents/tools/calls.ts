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
import type { ToolReports } from '../../chat/contract.js';
import type { Mode } from '../../members/contract.js';
import type { Wish } from '../approvals/approvals.js';
import { parseObject } from '../json.js';
import type { ToolUse } from '../model/prompt.js';
import { type Workplace, whereabouts } from '../placement.js';
import type { Stopwatch } from '../run/limits.js';
import { boundedImages } from './images.js';
import { ShownOutput, sentenceOf } from './output.js';
import { type Allowed, allows, type Toolbox } from './toolbox.js';

/** Whether a person is asked before a tool with this effect runs. */
function asks(mode: Mode, effect: ToolEffect): boolean {
  if (effect === 'dangerous' || mode === 'supervised') return true;
  return mode === 'assistant' && effect === 'write';
}

export interface ToolCallsOptions {
  reports: ToolReports;
  toolbox: Toolbox;
  /** Reads a model's arguments by a tool's schema. Fails with `unknown_field`. */
  readArguments: (schema: object, input: object) => object;
  /** Asks a person: why it may not, undefined where it may. Fails as soon as the signal aborts. */
  permit: (wish: Wish, signal: AbortSignal) => Promise<string | undefined>;
  /** The member for whom the AI employee works, as it is now. Fails where it is gone. */
  caller: () => Promise<Caller>;
  /** What the AI employee may do, and where, as it is now; undefined where it is gone. */
  employee: () => Promise<(Workplace & { mode: Mode; tools: Allowed }) | undefined>;
  /** The node on which the work was begun. */
  node_id: number | null;
  /** Stands while a person is waited for. */
  stopwatch: Stopwatch;
  signal: AbortSignal;
  log: Log;
}

/** A call that could be understood, or why it can't be. */
type Understood = { title: string; shown: unknown } & ({ tool: Tool; input: object } | { error: string });

const max_at_once = 16;
const max_reads = 8;
const usual_ms = 60_000;
const max_ms = 600_000;
/** What a tool may give; the rest is dropped where it comes from. */
const max_output_length = 1_000_000;

const cutOff =
  'This call was cut off: your answer reached its limit of tokens (max_tokens) before its input was whole. Nothing was done. Call it again with less input, or in several parts.';

/** Runs what a model, or a person's command, asks for. */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  /** A fault of the platform's own ends the run: then nobody need wait for the other calls. */
  readonly #failing = new AbortController();
  readonly #signal: AbortSignal;
  readonly #reads = new Limiter(max_reads);
  /** What changes something runs one after the other, as it was asked for. */
  readonly #writes = new Limiter(1);

  constructor(options: ToolCallsOptions) {
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#failing.signal]);
  }

  /**
   * The results, in the order of the calls. Whatever is wrong with a call is its result. All that need a
   * person's word are shown at once, and each runs as soon as it has it.
   */
  async all(uses: readonly ToolUse[]): Promise<ToolResult[]> {
    // One that is gone does nothing by itself.
    const { mode } = (await this.#options.employee()) ?? { mode: 'supervised' as const };
    const calls: { id: string; call: Understood }[] = [];
    for (const [at, use] of uses.entries()) {
      const call = at < max_at_once ? this.#understand(use) : tooMany(use);
      calls.push({ call, id: await this.#options.reports.started(call.title, call.shown) });
    }
    const running = calls.map(({ id, call }) => this.#one(id, call, mode));
    for (const one of running) one.catch((fault: unknown) => this.#failing.abort(fault));
    await Promise.allSettled(running);
    this.#signal.throwIfAborted();
    return Promise.all(running);
  }

  #understand(use: ToolUse): Understood {
    const { toolbox, readArguments } = this.#options;
    const input = parseObject(use.arguments);
    const tool = toolbox.offered(use);
    const title = tool?.title ?? (use.name.slice(0, 64) || '?');
    const shown = input ?? use.arguments;
    if (!tool) return { title, shown, error: `There is no tool '${title}'. ${known(toolbox, use)}` };
    if (use.cut) return { title, shown, error: cutOff };
    if (!input) return { title, shown, error: `The input of '${title}' must be a JSON object, but is: ${use.arguments.slice(0, 200)}` };
    try {
      return { title, shown, tool, input: readArguments(tool.input, input) };
    } catch (fault) {
      if (!isFailure(fault)) throw fault;
      return { title, shown, error: `${sentenceOf(fault)} (${fault.code})` };
    }
  }

  async #one(id: string, call: Understood, mode: Mode): Promise<ToolResult> {
    const result = 'error' in call ? { output: '', error: call.error } : await this.#permitted(id, call, mode);
    const { output, error = null } = result;
    await this.#options.reports.finished(id, { output: error !== null && output === '' ? null : output, error });
    return result;
  }

  async #permitted(id: string, { tool, input }: { tool: Tool; input: object }, mode: Mode): Promise<ToolResult> {
    if (asks(mode, tool.effect)) {
      const { permit, stopwatch } = this.#options;
      const refusal = await stopwatch.paused(permit({ tool, input, tool_call_id: id }, this.#signal));
      if (refusal !== undefined) return { output: '', error: refusal };
    }
    const limiter = tool.effect === 'read' ? this.#reads : this.#writes;
    return limiter.run(() => this.#call(id, tool, input));
  }

  async #call(id: string, tool: Tool, input: object): Promise<ToolResult> {
    const { reports, caller, employee: find, node_id: begun_on } = this.#options;
    const signal = this.#signal;
    signal.throwIfAborted();
    const employee = await find();
    if (!employee || !allows(employee.tools, tool)) return { output: '', error: `'${tool.title}' may not be used any more` };
    const shown = new ShownOutput((delta) => reports.output(id, delta));
    const ending = new AbortController();
    const use = { signal: AbortSignal.any([signal, ending.signal]), output: (delta: string) => shown.add(delta) };
    try {
      const asker = await caller();
      const { node_id } = whereabouts(employee, asker, begun_on);
      const limit_ms = Math.min(tool.timeout_ms ?? usual_ms, max_ms);
      const called = Promise.resolve().then(() => tool.call(input, { ...use, asker, node_id }));
      if (await untilAborted(endsWithin(limit_ms, called), signal)) return bounded(await called);
      return { output: '', error: `'${tool.title}' did not end within ${limit_ms / 1000} s and was given up` };
    } catch (fault) {
      signal.throwIfAborted();
      return { output: '', error: this.#sentenceOf(fault, tool) };
    } finally {
      ending.abort();
      await untilAborted(shown.end(), signal).catch(() => undefined);
    }
  }

  #sentenceOf(fault: unknown, { title }: Tool): string {
    if (isFailure(fault)) return `${sentenceOf(fault)} (${fault.code})`;
    this.#options.log.warn(`The tool '${title}' failed`, { err: fault });
    return `'${title}' failed for a reason that is in the log of the server (internal_error)`;
  }
}

function known({ tools: all }: Toolbox, { offered }: ToolUse): string {
  const tools = all.filter(({ name }) => offered?.has(name) ?? true);
  if (tools.length === 0) return 'There is none at all.';
  return `There are: ${tools.map(({ title }) => title).join(', ')}`.slice(0, 2_000);
}

function tooMany(use: ToolUse): Understood {
  return {
    title: use.name.slice(0, 64) || '?',
    shown: use.arguments,
    error: `At most ${max_at_once} tools run at once; call this one again afterwards`,
  };
}

/** A result as it was promised, whatever a provider gave. */
function bounded(result: ToolResult): ToolResult {
  const text = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  const output = text(result?.output ?? '').slice(0, max_output_length);
  const images = boundedImages(result?.images);
  const seen = images.length > 0 ? { images } : {};
  return result?.error === undefined ? { output, ...seen } : { output, ...seen, error: text(result.error).slice(0, 4_000) };
}
