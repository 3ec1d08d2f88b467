import type { Usage } from '../../chat/contract.js';
import { type Fields, isRecord } from '../json.js';
import { type Delta, readDelta } from './delta.js';
import { EchoedReasoning } from './echoed.js';
import { AnswerFault } from './failures.js';
import type { ModelRequest, Piece } from './prompt.js';
import type { Chunk, StreamEnd } from './stream.js';
import { ThinkingSplitter } from './thinking.js';
import { image_tokens, TokenCount, type ToolTokens, tokensOf } from './tokens.js';
import { newCallId, ToolCalls } from './tool-calls.js';
import { ToolNames } from './tool-names.js';
import { WrittenCalls } from './written-calls.js';

/** Limit of a server's token counts; more is an error of the server. */
const max_counted_tokens = 100_000_000;

/** Finish reasons of an answer that reached its token limit. */
const cutOff = /^(length|max_?(output_?)?tokens|model_length|model_context_window_exceeded|token_limit|incomplete)$/i;
/** Finish reasons of an answer stopped by a filter. */
const filtered =
  /^(content_?filter(ed)?|safety|prohibited_content|blocklist|spii|recitation|sensitive|guardrail.*|image_\w+|refusal)(:.*)?$/i;
/** Finish reasons of an answer that failed. */
const failed =
  /^(error|network_error|abort(ed)?|cancel(l)?ed|insufficient_system_resource|malformed_function_call|model_error|failed|function_call_filter)(:.*)?$/i;

interface AnswerReaderOptions {
  model: string;
  /** Endpoint and model. */
  by: string;
  tool_tokens: ToolTokens;
  /** Original names of tools that were sent under another name. */
  names: ReadonlyMap<string, string>;
  /** Whether text is reasoning up to the mark that ends it. Default: only after an opening mark. */
  begins_with_reasoning?: boolean;
}

/** Reads one answer. */
export class AnswerReader {
  readonly #ask: ModelRequest;
  readonly #options: AnswerReaderOptions;
  readonly #calls: ToolCalls;
  readonly #echo = new EchoedReasoning();
  readonly #thinking: ThinkingSplitter;
  readonly #written_calls: WrittenCalls;
  readonly #written = new TokenCount();
  #usage: Usage | undefined;
  #reason = '';
  /** Whether there was text, reasoning, and a delta rather than only a message. */
  #has_text = false;
  #has_reasoning = false;
  #streamed = false;
  /** Index of the choice whose text is used. */
  #text_choice: unknown;

  constructor(ask: ModelRequest, options: AnswerReaderOptions) {
    this.#ask = ask;
    this.#options = options;
    this.#thinking = new ThinkingSplitter({ is_open: options.begins_with_reasoning ?? false });
    const names = new ToolNames(ask.tools ?? [], options.names);
    this.#calls = new ToolCalls({ by: options.by, names });
    this.#written_calls = new WrittenCalls(ask.tools ?? [], names);
  }

  /** Whether the text ended reasoning without opening it. */
  get endsUnopenedReasoning(): boolean {
    return this.#thinking.endsUnopened;
  }

  /** Yields the pieces of a chunk. Fails if the chunk reports an error. */
  *add(chunk: Chunk): Generator<Piece, void> {
    // Some servers report cumulative usage with each chunk: the last one counts.
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

  /** Removes the text of any choice but the first with text: it would be a second answer. */
  #withoutOtherAnswers(delta: Delta, index: unknown): Delta {
    if (delta.text !== '') this.#text_choice ??= index;
    return this.#text_choice === undefined || this.#text_choice === index ? delta : { ...delta, text: '', refusal: '' };
  }

  /** Yields the last pieces of an answer. Fails if the answer is incomplete or empty. */
  *end(how: StreamEnd): Generator<Piece, void> {
    const { text, reasoning } = this.#thinking.end({ is_cut: cutOff.test(this.#reason) });
    if (reasoning !== '') yield this.#piece('reasoning', reasoning);
    yield* this.#text(text);
    const { text: rest, calls } = this.#written_calls.end();
    if (rest !== '') yield this.#piece('text', rest);
    for (const call of calls) this.#calls.add([{ id: newCallId(), function: call }]);
    const isEmpty = !this.#has_text && !this.#calls.any;
    if (isEmpty && !this.#has_reasoning && this.#reason === '' && how !== 'done') throw new AnswerFault('sent an empty answer', temporary);
    if (this.#reason === '' && how === 'closed') throw new AnswerFault('broke off in its answer', temporary);
    const isCut = cutOff.test(this.#reason);
    if (isEmpty) this.#assertMayBeEmpty(isCut);
    if (isCut) yield cutNotice;
    yield* this.#uses(isCut);
    yield this.#cost();
  }

  /** Yields the usage of a failed answer if part of it had arrived. */
  *cost(): Generator<Piece, void> {
    if (this.#has_text || this.#has_reasoning || this.#calls.any) yield this.#cost();
  }

  /**
   * Returns the part of a choice to read. A message replaces a missing delta, but not the complete text that some
   * servers repeat at the end.
   */
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
    const visible = text === '' ? '' : this.#written_calls.add(text);
    if (visible !== '') yield this.#piece('text', visible);
  }

  #piece<Type extends 'text' | 'reasoning'>(type: Type, text: string): { type: Type; text: string } {
    if (type === 'reasoning') this.#has_reasoning = true;
    else if (this.#has_text || text.trim() !== '') this.#has_text = true;
    this.#written.add(text);
    return { type, text };
  }

  #finish(reason: unknown): void {
    if (typeof reason !== 'string' || reason === '') return;
    if (filtered.test(reason)) throw new AnswerFault(`stopped its answer by a filter (${reason.slice(0, 60)})`);
    if (failed.test(reason)) throw new AnswerFault(`ended its answer with an error (${reason.slice(0, 60)})`, temporary);
    this.#reason ||= reason;
  }

  #assertMayBeEmpty(isCut: boolean): void {
    if (isCut && this.#has_reasoning)
      throw new AnswerFault('used all tokens of its answer for reasoning and had none left for text', { advice: 'max_tokens' });
    if (isCut) throw new AnswerFault('had no tokens left for text', { advice: 'max_tokens' });
    if (this.#ask.may_be_empty) return;
    if (this.#has_reasoning) throw new AnswerFault('sent reasoning but no answer');
    throw new AnswerFault('sent an empty answer', temporary);
  }

  *#uses(isCut: boolean): Generator<Piece, void> {
    const uses = this.#calls.complete(isCut);
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

const temporary = { passing: true };

const cutNotice: Piece = {
  type: 'notice',
  code: 'answer_cut',
  message: 'The answer was cut off: it reached the token limit of one answer (max_tokens)',
};

/** Reads the usage; undefined if it is missing, impossible or zero. Some servers write numbers as strings. */
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
