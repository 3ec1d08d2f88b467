import type { VirtualMember } from '../../members/contract.js';
import type { ToolUse } from '../model/prompt.js';
import type { CompletionResult } from './completion-run.js';

const encoder = new TextEncoder();
/** Interval of comments that keep proxies from closing a silent connection. */
const heartbeat_ms = 15_000;

/** Body of an answer as server-sent events. */
class Events {
  readonly body: ReadableStream<Uint8Array>;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #resume: (() => void) | undefined;
  #ended = false;
  readonly #heartbeat: NodeJS.Timeout;

  constructor() {
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#resumeReader(),
      cancel: () => this.#close(),
    });
    this.#heartbeat = setInterval(() => this.#write(': \n\n'), heartbeat_ms);
  }

  /** Sends an event. Returns a promise if the reader's buffer is full; it resolves when there is room. Events after the end are dropped. */
  send(data: object | '[DONE]'): void | Promise<void> {
    this.#write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
    if (!this.#ended && (this.#controller.desiredSize ?? 0) <= 0) return new Promise((resolve) => (this.#resume = resolve));
  }

  end(): void {
    if (!this.#ended) this.#controller.close();
    this.#close();
  }

  #write(text: string): void {
    if (!this.#ended) this.#controller.enqueue(encoder.encode(text));
  }

  #close(): void {
    this.#ended = true;
    clearInterval(this.#heartbeat);
    this.#resumeReader();
  }

  #resumeReader(): void {
    this.#resume?.();
    this.#resume = undefined;
  }
}

/** Fields shared by an answer and all its chunks. */
export interface CompletionHead {
  id: string;
  /** Seconds since the epoch. */
  created: number;
  model: string;
}

export function headOf({ username }: VirtualMember, id: string, now: number): CompletionHead {
  return { id, created: Math.floor(now / 1000), model: username };
}

/** Builds an answer that is not streamed. */
export function completionOf(
  head: CompletionHead,
  result: CompletionResult,
  { written, reasoningText, refusalText }: Record<'written' | 'reasoningText' | 'refusalText', string>,
): object {
  const reasoning = reasoningText === '' ? {} : { reasoning_content: reasoningText };
  const tool_calls = result.uses.length === 0 ? {} : { tool_calls: result.uses.map(callOf) };
  const content = written === '' && (result.uses.length > 0 || refusalText !== '') ? null : written;
  const message = { role: 'assistant', content, refusal: refusalText || null, ...reasoning, ...tool_calls };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: reasonOf(result) }];
  return { ...head, object: 'chat.completion', choices, usage: usageOf(result) };
}

/** Streams an answer in chunks. */
export class Chunks {
  readonly events = new Events();
  readonly #head: object;
  #begun = false;

  constructor(head: CompletionHead) {
    this.#head = { ...head, object: 'chat.completion.chunk' };
  }

  /** Sends a chunk. Returns a promise if the reader's buffer is full; it resolves when there is room. */
  send(delta: object, finish_reason: string | null = null): void | Promise<void> {
    const role = this.#begun ? {} : { role: 'assistant' };
    this.#begun = true;
    return this.events.send({ ...this.#head, choices: [{ index: 0, delta: { ...role, ...delta }, logprobs: null, finish_reason }] });
  }

  /** Sends the end of a complete answer. */
  async finish(said: CompletionResult, { include_usage }: { include_usage: boolean }): Promise<void> {
    if (said.uses.length > 0) await this.send({ tool_calls: said.uses.map((use, index) => ({ index, ...callOf(use) })) });
    await this.send({}, reasonOf(said));
    if (include_usage) await this.events.send({ ...this.#head, choices: [], usage: usageOf(said) });
    await this.events.send('[DONE]');
  }
}

function callOf({ id, name, arguments: input }: ToolUse) {
  return { id, type: 'function', function: { name, arguments: input } };
}

function reasonOf({ uses, isCut }: CompletionResult): string {
  if (isCut) return 'length';
  return uses.length > 0 ? 'tool_calls' : 'stop';
}

function usageOf({ usage: { input_tokens, output_tokens } }: CompletionResult) {
  return { prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens: input_tokens + output_tokens };
}
