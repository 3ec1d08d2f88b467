import type { ToolCall } from '../contract.js';
import { startInJson, storable } from '../text.js';

/** Of a call's input, output and error, each, in bytes of JSON: an event that has two of them fits into an entry of the journal. */
const most_of_text = 16_384;
const longest_name = 200;

/** The tools that a reply used, as they are kept. */
export class ToolCalls {
  readonly #calls: ToolCall[] = [];

  /** As they are stored. */
  get json(): string {
    return JSON.stringify(this.#calls);
  }

  start(call: { id: string; name: string; input: unknown; now: string }): ToolCall {
    const { id, now } = call;
    const name = storable(call.name.slice(0, longest_name));
    const started = { id, name, input: bounded(call.input, most_of_text), output: null, error: null, started_at: now, finished_at: null };
    this.#calls.push(started);
    return started;
  }

  /** Undefined where there is no such call, or it is finished. */
  finish(id: string, { output, error, now }: { output: string | null; error: string | null; now: string }): ToolCall | undefined {
    const call = this.#calls.find((one) => one.id === id);
    if (!call || call.finished_at !== null) return undefined;
    return Object.assign(call, { output: cut(output, most_of_text), error: cut(error, most_of_text), finished_at: now });
  }
}

function cut(text: string | null, bytes: number): string | null {
  return text === null ? null : startInJson(storable(text.slice(0, bytes)), bytes);
}

/** The value, or the start of its JSON where that is too long. */
function bounded(value: unknown, bytes: number): unknown {
  const json = storable(JSON.stringify(value ?? null));
  return Buffer.byteLength(json) > bytes ? startInJson(json, bytes) : (JSON.parse(json) as unknown);
}
