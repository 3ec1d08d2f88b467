import type { Usage } from '../../chat/contract.js';
import { type Fields, isRecord } from '../json.js';
import { type Delta, readDelta } from './delta.js';
import { EchoedReasoning } from './echoed.js';
import { AnswerFault } from './failures.js';
import type { Ask, Piece } from './prompt.js';
import type { Chunk, StreamEnd } from './stream.js';
import { ThinkingSplitter } from './thinking.js';
import { image_tokens, TokenCount, type ToolTokens, tokensOf } from './tokens.js';
import { newCallId, ToolCalls } from './tool-calls.js';
import { ToolNames } from './tool-names.js';
import { WrittenCalls } from './written-calls.js';

/** Limits what a server counts: more is its mistake. */
const max_counted_tokens = 100_000_000;

/** How servers say that an answer has reached its limit of tokens. */
const cutOff = /^(length|max_?(output_?)?tokens|model_length|model_context_window_exceeded|token_limit|incomplete)$/i;
/** The same for an answer that a filter stopped. */
const filtered =
  /^(content_?filter(ed)?|safety|prohibited_content|blocklist|spii|recitation|sensitive|guardrail.*|image_\w+|refusal)(:.*)?$/i;
/** The same for an answer that failed. */
const failed =
  /^(error|network_error|abort(ed)?|cancel(l)?ed|insufficient_system_resource|malformed_function_call|model_error|failed|function_call_filter)(:.*)?$/i;

interface ReadingOptions {
  model: string;
  /** The endpoint and model. */
  by: string;
  tool_tokens: ToolTokens;
  /** Real names of tools that were sent under another. */
  names: ReadonlyMap<string, string>;
  /** Whether text is reasoning up to the mark that ends it. Default: only after a mark that opens it. */
  begins_with_reasoning?: boolean;
}

/** One answer while it is read. */
export class Reading {
  readonly #ask: Ask;
  readonly #options: ReadingOptions;
  readonly #calls: ToolCalls;
  readonly #echo = new EchoedReasoning();
  readonly #thinking: ThinkingSplitter;
  readonly #written_calls: WrittenCalls;
  readonly #written = new TokenCount();
  #usage: Usage | undefined;
  #reason = '';
  /** Whether there was text, reasoning, and a delta rather than a message alone. */
  #said = false;
  #thought = false;
  #streamed = false;
  /** Index of the choice whose text counts. */
  #text_choice: unknown;

  constructor(ask: Ask, options: ReadingOptions) {
    this.#ask = ask;
    this.#options = options;
    this.#thinking = new ThinkingSplitter({ is_open: options.begins_with_reasoning ?? false });
    const names = new ToolNames(ask.tools ?? [], options.names);
    this.#calls = new ToolCalls({ by: options.by, names });
    this.#written_calls = new WrittenCalls(ask.tools ?? [], names);
  }

  /** Whether the text had a mark that ends reasoning, but none that opens it. */
  get endsUnopenedReasoning(): boolean {
    return this.#thinking.endsUnopened;
  }

  /** What a chunk adds. Fails where it says that the answer has gone wrong. */
  *add(chunk: Chunk): Generator<Piece, void> {
    // Some servers tell it with each chunk, risen: the last one counts.
    this.#usage = usageOf(chunk.usage) ?? this.#usage;
    const choices: readonly unknown[] = Array.isArray(chunk.choices) ? chunk.choices : [];
    for (const choice of choices) if (isRecord(choice)) yield* this.#choice(choice);
  }

  /** Reads a choice. One answer is requested, but some servers put its text into one choice and its calls into another. */
  *#choice(choice: Fields): Generator<Piece, void> {
    this.#usage = usageOf(choice.usage) ?? this.#usage;
    const found = this.#partOf(choice);
    if (found) yield* this.#pieces(this.#withoutOtherAnswers(readDelta(found), choice.index ?? 0));
    this.#finish(choice.finish_reason ?? choice.finishReason);
  }

  /** Removes text of any choice but the first that had some: it would be a second answer. */
  #withoutOtherAnswers(delta: Delta, index: unknown): Delta {
    if (delta.text !== '') this.#text_choice ??= index;
    return this.#text_choice === undefined || this.#text_choice === index ? delta : { ...delta, text: '', refusal: '' };
  }

  /** Gives the pieces at the end of an answer. Fails if the answer isn't whole, or is none. */
  *end(how: StreamEnd): Generator<Piece, void> {
    const { text, reasoning } = this.#thinking.end({ is_cut: cutOff.test(this.#reason) });
    if (reasoning !== '') yield this.#piece('reasoning', reasoning);
    yield* this.#text(text);
    const { text: rest, calls } = this.#written_calls.end();
    if (rest !== '') yield this.#piece('text', rest);
    for (const call of calls) this.#calls.add([{ id: newCallId(), function: call }]);
    const isEmpty = !this.#said && !this.#calls.any;
    if (isEmpty && !this.#thought && this.#reason === '' && how !== 'done') throw new AnswerFault('sent an empty answer', passing);
    if (this.#reason === '' && how === 'closed') throw new AnswerFault('broke off in its answer', passing);
    const isCut = cutOff.test(this.#reason);
    if (isEmpty) this.#assertMayBeEmpty(isCut);
    if (isCut) yield cutNotice;
    yield* this.#uses(isCut);
    yield this.#cost();
  }

  /** What an answer that failed has cost, where anything of it had come. */
  *cost(): Generator<Piece, void> {
    if (this.#said || this.#thought || this.#calls.any) yield this.#cost();
  }

  /** A message where there should be a delta is one, but not the whole text again that some servers send at the end. */
  #partOf({ delta, message, text }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
    if (isRecord(delta) && Object.keys(delta).length > 0) {
      this.#streamed = true;
      return delta;
    }
    if (isRecord(message)) return this.#streamed ? undefined : message;
    return typeof text === 'string' ? { text } : undefined;
  }

  *#pieces({ text, reasoning, refusal, tool_calls, echo }: Delta): Generator<Piece, void> {
    this.#echo.add(echo);
    if (reasoning !== '') yield this.#piece('reasoning', reasoning);
    const split = text === '' ? undefined : this.#thinking.add(text);
    if (split && split.reasoning !== '') yield this.#piece('reasoning', split.reasoning);
    if (split) yield* this.#text(split.text);
    if (refusal !== '') yield { ...this.#piece('text', refusal), refusal: true };
    this.#calls.add(tool_calls);
  }

  *#text(text: string): Generator<Piece, void> {
    const given = text === '' ? '' : this.#written_calls.add(text);
    if (given !== '') yield this.#piece('text', given);
  }

  #piece<Type extends 'text' | 'reasoning'>(type: Type, text: string): { type: Type; text: string } {
    if (type === 'reasoning') this.#thought = true;
    else if (this.#said || text.trim() !== '') this.#said = true;
    this.#written.add(text);
    return { type, text };
  }

  #finish(reason: unknown): void {
    if (typeof reason !== 'string' || reason === '') return;
    if (filtered.test(reason)) throw new AnswerFault(`stopped its answer by a filter (${reason.slice(0, 60)})`);
    if (failed.test(reason)) throw new AnswerFault(`ended its answer with an error (${reason.slice(0, 60)})`, passing);
    this.#reason ||= reason;
  }

  #assertMayBeEmpty(isCut: boolean): void {
    if (isCut && this.#thought)
      throw new AnswerFault('used all tokens of its answer for reasoning, and had none left to say something', { advice: 'max_tokens' });
    if (isCut) throw new AnswerFault('had no tokens left to say something', { advice: 'max_tokens' });
    if (this.#ask.may_be_empty) return;
    if (this.#thought) throw new AnswerFault('thought, and then ended without an answer');
    throw new AnswerFault('sent an empty answer', passing);
  }

  *#uses(isCut: boolean): Generator<Piece, void> {
    const uses = this.#calls.whole(isCut);
    const { fields } = this.#echo;
    if (uses.length > 0 && fields) yield { type: 'echo', by: this.#options.by, fields };
    const offered = new Set(this.#ask.tools?.map(({ name }) => name));
    for (const call of uses) yield { type: 'tool_call', ...call, offered };
  }

  #cost(): Piece {
    const { usage = this.#estimate() } = { usage: this.#usage };
    return { type: 'usage', usage, model: this.#options.model, estimated: this.#usage === undefined };
  }

  #estimate(): Usage {
    const { prompts, tools = [] } = this.#ask;
    const asked = prompts.map(({ content, images = [], tool_calls = [] }) => {
      return tokensOf(content) + images.length * image_tokens + (tool_calls.length > 0 ? tokensOf(JSON.stringify(tool_calls)) : 0);
    });
    const input_tokens = asked.reduce((sum, tokens) => sum + tokens, this.#options.tool_tokens.of(tools));
    return { input_tokens, output_tokens: this.#written.tokens + Math.ceil(this.#calls.length / 4) };
  }
}

const passing = { passing: true };

const cutNotice: Piece = {
  type: 'notice',
  code: 'answer_cut',
  message: 'The answer was cut off: the model reached the limit of tokens of one answer (max_tokens)',
};

/** Undefined where it is missing, impossible, or nothing at all. Some servers write numbers as texts. */
function usageOf(found: unknown): Usage | undefined {
  if (!isRecord(found)) return undefined;
  const input = countOf(found.prompt_tokens ?? found.input_tokens);
  const output = countOf(found.completion_tokens ?? found.output_tokens);
  if (input === undefined || output === undefined || input + output === 0) return undefined;
  return { input_tokens: Math.min(input, max_counted_tokens), output_tokens: Math.min(output, max_counted_tokens) };
}

function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : undefined;
}
