import type { ToolCall } from '../contract.js';
import { startInJson, storable } from '../text.js';

/** Limit of a call's input, output and error each, in bytes of JSON, so that an event with two of them fits into a journal entry. */
const max_text = 16_384;
const max_name_length = 200;
/** Limit of all calls of a reply together, in bytes of JSON. */
const max = 262_144;
/** Steps of shortening above the limit: texts of the oldest calls are cut to these sizes in turn, then the oldest calls are dropped. */
const shorter = [2_048, 256, 0];

interface Kept {
  call: ToolCall;
  bytes: number;
  /** Current size limit of its texts, in bytes. */
  cut_to: number;
}

/** Stored tool calls of a reply. */
export class ToolCalls {
  #kept: Kept[] = [];
  #bytes = 0;
  #json: string | undefined = '[]';

  /** Returns the stored JSON; the same string until a change. */
  get json(): string {
    this.#json ??= JSON.stringify(this.#kept.map(({ call }) => call));
    return this.#json;
  }

  start(call: { id: string; name: string; input: unknown; now: string }): ToolCall {
    const { id, now } = call;
    const name = storable(call.name.slice(0, max_name_length));
    const started = { id, name, input: bounded(call.input, max_text), output: null, error: null, started_at: now, finished_at: null };
    const kept = { call: started, bytes: 0, cut_to: max_text };
    this.#kept.push(kept);
    this.#change(kept, started, max_text);
    this.#shrink();
    return started;
  }

  /** Sets the input of a call that was started without it; undefined if the call doesn't exist or is finished. */
  setInput(id: string, input: unknown): ToolCall | undefined {
    const kept = this.#kept.findLast(({ call }) => call.id === id);
    if (!kept || kept.call.finished_at !== null) return undefined;
    this.#change(kept, { ...kept.call, input: bounded(input, max_text) }, max_text);
    this.#shrink();
    return kept.call;
  }

  /** Finishes a call; undefined if it doesn't exist or is finished. */
  finish(id: string, { output, error, now }: { output: string | null; error: string | null; now: string }): ToolCall | undefined {
    const kept = this.#kept.findLast(({ call }) => call.id === id);
    if (!kept || kept.call.finished_at !== null) return undefined;
    const finished = { ...kept.call, output: cut(output, max_text), error: cut(error, max_text), finished_at: now };
    this.#change(kept, finished, max_text);
    this.#shrink();
    return finished;
  }

  #change(kept: Kept, call: ToolCall, cut_to: number): void {
    // Plus the comma.
    const bytes = Buffer.byteLength(JSON.stringify(call)) + 1;
    this.#bytes += bytes - kept.bytes;
    Object.assign(kept, { call, bytes, cut_to });
    this.#json = undefined;
  }

  /** Shortens older calls; the latest stays complete. */
  #shrink(): void {
    for (const bytes of shorter) {
      for (const kept of this.#kept.slice(0, -1)) {
        if (this.#bytes <= max) return;
        this.#shorten(kept, bytes);
      }
    }
    while (this.#bytes > max && this.#kept.length > 1) this.#bytes -= this.#kept.shift()?.bytes ?? 0;
  }

  #shorten(kept: Kept, bytes: number): void {
    if (kept.cut_to <= bytes) return;
    const { input, output, error } = kept.call;
    const shown = typeof input === 'string' ? cut(input, bytes) : bounded(input, bytes);
    this.#change(kept, { ...kept.call, input: shown, output: cut(output, bytes), error: cut(error, bytes) }, bytes);
  }
}

function cut(text: string | null, bytes: number): string | null {
  return text === null ? null : startInJson(storable(text.slice(0, bytes)), bytes);
}

/** Returns the value, or the start of its JSON if that is too long. */
function bounded(value: unknown, bytes: number): unknown {
  const json = storable(JSON.stringify(value ?? null));
  return Buffer.byteLength(json) > bytes ? startInJson(json, bytes) : (JSON.parse(json) as unknown);
}
