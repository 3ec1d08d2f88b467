import { isFailure } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { Cost, Echo, ModelAnswerer, Notice, Piece, Prompt, ToolSpec, ToolUse } from '../model/prompt.js';
import type { ToolCalls } from '../tools/calls.js';
import { modelSchema } from '../tools/model-schema.js';
import type { Toolbox } from '../tools/toolbox.js';
import type { Conversation } from './conversation.js';
import type { Limits } from './limits.js';

/** Output of the work; a returned promise is awaited before the next piece. A run of chat implements it. */
export interface Sink {
  readonly written: string;
  /** Writes text. `refusal`: the text says why the model does not answer. */
  write(text: string, kind?: { refusal: boolean }): void | Promise<void>;
  reasoning(text: string): void | Promise<void>;
  /** Adds a remark next to the text. */
  notice(notice: Notice): void | Promise<void>;
}

export interface LoopOptions {
  sink: Sink;
  /** Returns the messages people have sent since. */
  join: () => Promise<readonly Prompt[]>;
  model: ModelAnswerer;
  conversation: Conversation;
  toolbox: Toolbox;
  calls: ToolCalls;
  /** Tools that the caller runs itself: an answer that calls one of them is the last. They hide others of the same name. */
  clientTools?: readonly ToolSpec[];
  limits: Limits;
  signal: AbortSignal;
  /** Counts the usage of each answer of the model. */
  spend: (cost: Cost) => Promise<void>;
}

interface Answer {
  text: string;
  uses: ToolUse[];
  /** Reasoning, to be sent back to its server. */
  echo: Echo | undefined;
}

/** Limit of a tool's description in each request. */
const max_description_length = 2_000;
/** Limit of tools in one request, imposed by model servers. */
const max_tools = 128;
/** Limit of consecutive answers that only call tools that were not offered. */
const max_unoffered_answers = 3;

/**
 * Runs the work on one message: asks the model, runs its tool calls, sends the results, until the answer is complete or
 * a limit is reached.
 */
export class Loop {
  readonly #options: LoopOptions;
  readonly #tools: ToolSpec[];
  readonly #outside: ReadonlySet<string>;

  constructor(options: LoopOptions) {
    this.#options = options;
    const { toolbox, clientTools: outside = [] } = options;
    this.#outside = new Set(outside.map(({ name }) => name));
    const inside = toolbox.tools.filter(({ name }) => !this.#outside.has(name));
    this.#tools = [...outside, ...inside].slice(0, max_tools).map(({ name, description, input }) => ({
      name,
      description: description.slice(0, max_description_length),
      input: modelSchema(input),
    }));
  }

  /** Runs the loop; returns the calls of outside tools with which it ended. */
  async run(): Promise<readonly ToolUse[]> {
    const { calls, conversation, signal, toolbox } = this.#options;
    await this.#join();
    for (let unoffered_answers = 0; ; ) {
      signal.throwIfAborted();
      const { text, uses, echo } = await this.#step();
      const outside = uses.filter(({ name }) => this.#outside.has(name));
      if (outside.length > 0) return outside;
      unoffered_answers = uses.length > 0 && uses.every((use) => !toolbox.offered(use)) ? unoffered_answers + 1 : 0;
      if (unoffered_answers > max_unoffered_answers)
        throw fail('model_error', 'The model only calls tools that were not offered; choose a model that supports tools');
      if (uses.length > 0) conversation.used({ text: text, echo }, uses, await calls.all(uses));
      else if (text !== '') conversation.add({ role: 'assistant', content: text });
      const joined = await this.#join();
      if (uses.length === 0 && !joined) return [];
    }
  }

  /** Adds messages that people have sent since. */
  async #join(): Promise<boolean> {
    const { join, conversation } = this.#options;
    const prompts = await join();
    conversation.add(...prompts);
    return prompts.length > 0;
  }

  /** Asks the model once. If the conversation is too long for it, retries once with the short form. */
  async #step(): Promise<Answer> {
    const { conversation, limits } = this.#options;
    limits.step();
    const answer: Answer = { text: '', uses: [], echo: undefined };
    try {
      await this.#read(answer);
    } catch (fault) {
      const shorten = isFailure(fault) && fault.code === 'context_overflow' && !conversation.isShort && answer.text === '';
      if (!shorten) throw fault;
      conversation.useShortForm();
      await this.#read(answer);
    }
    return answer;
  }

  async #read(answer: Answer): Promise<void> {
    const { model, conversation, signal, sink } = this.#options;
    const may_be_empty = sink.written !== '';
    const ask = { prompts: conversation.prompts(), tools: this.#tools, signal, may_be_empty, needs_tools: this.#outside.size > 0 };
    await model.answer(ask, (piece) => this.#receive(piece, answer));
  }

  #receive(piece: Piece, answer: Answer): void | Promise<void> {
    const { sink, spend } = this.#options;
    switch (piece.type) {
      case 'text':
        return this.#write(piece, answer);
      case 'reasoning':
        return sink.reasoning(piece.text);
      case 'usage':
        return spend(piece);
      case 'notice':
        return sink.notice({ code: piece.code, message: piece.message });
      case 'echo':
        answer.echo = { by: piece.by, fields: piece.fields };
        return undefined;
      case 'tool_call': {
        const { type: _type, ...use } = piece;
        answer.uses.push(use);
        return undefined;
      }
    }
  }

  /** Writes text; text after a tool call starts a new paragraph. */
  #write({ text, refusal = false }: { text: string; refusal?: boolean }, answer: Answer): void | Promise<void> {
    const { sink } = this.#options;
    const isSeparated = answer.text !== '' || sink.written === '' || /\s$/.test(sink.written);
    answer.text += text;
    return sink.write(isSeparated ? text : `\n\n${text}`, { refusal });
  }
}
