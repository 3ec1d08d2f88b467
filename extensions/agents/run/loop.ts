import { isFailure } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { Cost, Echo, Notice, Piece, Prompt, Thinker, ToolSpec, ToolUse } from '../model/prompt.js';
import type { ToolCalls } from '../tools/calls.js';
import { modelSchema } from '../tools/model-schema.js';
import type { Toolbox } from '../tools/toolbox.js';
import type { Conversation } from './conversation.js';
import type { Limits } from './limits.js';

/** Where the work shows; what it returns is waited for before there is more. A run of chat's is one. */
export interface Sink {
  readonly written: string;
  /** `refusal`: the model says why it does not answer. */
  write(text: string, kind?: { refusal: boolean }): void | Promise<void>;
  reasoning(text: string): void | Promise<void>;
  /** Shows a remark beside the text. */
  notice(notice: Notice): void | Promise<void>;
}

export interface LoopOptions {
  sink: Sink;
  /** What people have sent into the work meanwhile. */
  join: () => Promise<readonly Prompt[]>;
  model: Thinker;
  conversation: Conversation;
  toolbox: Toolbox;
  calls: ToolCalls;
  /** Tools that whoever asks runs itself: an answer that calls one of them is the last. They hide others of their name. */
  outside?: readonly ToolSpec[];
  limits: Limits;
  signal: AbortSignal;
  /** Told of what each answer of the model cost. */
  spend: (cost: Cost) => Promise<void>;
}

interface Answer {
  text: string;
  uses: ToolUse[];
  /** Its reasoning, as the server wants it back. */
  echo: Echo | undefined;
}

/** What a tool's description may take of each request. */
const max_description_length = 2_000;
/** What models' servers take at once. */
const max_tools = 128;
/** Answers in a row that only call tools that were not offered. */
const max_unoffered_answers = 3;

/**
 * The work on one message: asks the model, runs what it asks for, tells it what came of it, until it has
 * said all, or a limit is reached.
 */
export class Loop {
  readonly #options: LoopOptions;
  readonly #tools: ToolSpec[];
  readonly #outside: ReadonlySet<string>;

  constructor(options: LoopOptions) {
    this.#options = options;
    const { toolbox, outside = [] } = options;
    this.#outside = new Set(outside.map(({ name }) => name));
    const inside = toolbox.tools.filter(({ name }) => !this.#outside.has(name));
    this.#tools = [...outside, ...inside].slice(0, max_tools).map(({ name, description, input }) => ({
      name,
      description: description.slice(0, max_description_length),
      input: modelSchema(input),
    }));
  }

  /** Gives the calls of tools outside with which it has ended. */
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
        throw fail('model_error', 'The model only calls tools that it was not offered; choose a model that works with tools');
      if (uses.length > 0) conversation.used({ said: text, echo }, uses, await calls.all(uses));
      else if (text !== '') conversation.add({ role: 'assistant', content: text });
      const joined = await this.#join();
      if (uses.length === 0 && !joined) return [];
    }
  }

  /** Takes in what people have sent into the task meanwhile. */
  async #join(): Promise<boolean> {
    const { join, conversation } = this.#options;
    const prompts = await join();
    conversation.add(...prompts);
    return prompts.length > 0;
  }

  /** One answer of the model. A conversation that it finds too long is told shorter, once. */
  async #step(): Promise<Answer> {
    const { conversation, limits } = this.#options;
    limits.step();
    const answer: Answer = { text: '', uses: [], echo: undefined };
    try {
      await this.#read(answer);
    } catch (fault) {
      const shorten = isFailure(fault) && fault.code === 'context_overflow' && !conversation.tightened && answer.text === '';
      if (!shorten) throw fault;
      conversation.tighten();
      await this.#read(answer);
    }
    return answer;
  }

  async #read(answer: Answer): Promise<void> {
    const { model, conversation, signal, sink } = this.#options;
    const may_be_empty = sink.written !== '';
    const ask = { prompts: conversation.prompts(), tools: this.#tools, signal, may_be_empty, needs_tools: this.#outside.size > 0 };
    await model.answer(ask, (piece) => this.#take(piece, answer));
  }

  #take(piece: Piece, answer: Answer): void | Promise<void> {
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

  /** What comes after a tool was used is a paragraph of its own. */
  #write({ text, refusal = false }: { text: string; refusal?: boolean }, answer: Answer): void | Promise<void> {
    const { sink } = this.#options;
    const parted = answer.text !== '' || sink.written === '' || /\s$/.test(sink.written);
    answer.text += text;
    return sink.write(parted ? text : `\n\n${text}`, { refusal });
  }
}
