import type { VirtualMember } from '../../members/contract.js';
import type { ToolUse } from '../model/prompt.js';
import type { Said } from './talk.js';

const encoder = new TextEncoder();
/** So that nobody in between takes a long silence for the end. */
const heartbeat_ms = 15_000;

/** The body of an answer as server-sent events. */
class Events {
  readonly body: ReadableStream<Uint8Array>;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #resume: (() => void) | undefined;
  #ended = false;
  readonly #beat: NodeJS.Timeout;

  constructor() {
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#go(),
      cancel: () => this.#close(),
    });
    this.#beat = setInterval(() => this.#put(': \n\n'), heartbeat_ms);
  }

  /** A promise where the reader has no room for more; it resolves when there is some. What comes after the end is dropped. */
  send(data: object | '[DONE]'): void | Promise<void> {
    this.#put(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
    if (!this.#ended && (this.#controller.desiredSize ?? 0) <= 0) return new Promise((resolve) => (this.#resume = resolve));
  }

  end(): void {
    if (!this.#ended) this.#controller.close();
    this.#close();
  }

  #put(text: string): void {
    if (!this.#ended) this.#controller.enqueue(encoder.encode(text));
  }

  #close(): void {
    this.#ended = true;
    clearInterval(this.#beat);
    this.#go();
  }

  #go(): void {
    this.#resume?.();
    this.#resume = undefined;
  }
}

/** What is the same in an answer and in all of its chunks. */
export interface Head {
  id: string;
  /** Seconds since the epoch. */
  created: number;
  model: string;
}

export function headOf({ username }: VirtualMember, id: string, now: number): Head {
  return { id, created: Math.floor(now / 1000), model: username };
}

/** A whole answer. */
export function completionOf(
  head: Head,
  said: Said,
  { written, thought, refused }: Record<'written' | 'thought' | 'refused', string>,
): object {
  const reasoning = thought === '' ? {} : { reasoning_content: thought };
  const tool_calls = said.uses.length === 0 ? {} : { tool_calls: said.uses.map(callOf) };
  const content = written === '' && (said.uses.length > 0 || refused !== '') ? null : written;
  const message = { role: 'assistant', content, refusal: refused || null, ...reasoning, ...tool_calls };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: reasonOf(said) }];
  return { ...head, object: 'chat.completion', choices, usage: usageOf(said) };
}

/** An answer in chunks. */
export class Chunks {
  readonly events = new Events();
  readonly #head: object;
  #begun = false;

  constructor(head: Head) {
    this.#head = { ...head, object: 'chat.completion.chunk' };
  }

  /** A promise where the reader has no room for more; it resolves when there is some. */
  send(delta: object, finish_reason: string | null = null): void | Promise<void> {
    const role = this.#begun ? {} : { role: 'assistant' };
    this.#begun = true;
    return this.events.send({ ...this.#head, choices: [{ index: 0, delta: { ...role, ...delta }, logprobs: null, finish_reason }] });
  }

  /** What follows the text of an answer that is whole. */
  async finish(said: Said, { include_usage }: { include_usage: boolean }): Promise<void> {
    if (said.uses.length > 0) await this.send({ tool_calls: said.uses.map((use, index) => ({ index, ...callOf(use) })) });
    await this.send({}, reasonOf(said));
    if (include_usage) await this.events.send({ ...this.#head, choices: [], usage: usageOf(said) });
    await this.events.send('[DONE]');
  }
}

function callOf({ id, name, arguments: given }: ToolUse) {
  return { id, type: 'function', function: { name, arguments: given } };
}

function reasonOf({ uses, isCut }: Said): string {
  if (isCut) return 'length';
  return uses.length > 0 ? 'tool_calls' : 'stop';
}

function usageOf({ usage: { input_tokens, output_tokens } }: Said) {
  return { prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens: input_tokens + output_tokens };
}
