import { fail } from '../codes.js';
import type { Fault, Usage } from '../contract.js';
import type { Addition, Progress } from '../store/messages-sql.js';
import { charactersIn, isHighSurrogate, piecesOf, storable } from '../text.js';
import type { ReplyEvent } from './recorder.js';
import { ToolCalls } from './tool-calls.js';

/** The longest reply, in characters. */
const longest = 1_000_000;
/** Limit of one event's text, so that the event fits into a journal entry however it is escaped. */
const piece = 8_000;

interface ReplyIds {
  task_id: string;
  message_id: string;
}

/**
 * A reply while it is written: its text, and its events in order. Text and `seq` move together, so
 * that whoever stores both knows which events are in the text.
 */
export class Reply {
  readonly ids: ReplyIds;
  #content = '';
  #seq = 0;
  /** How much of it was handed out to be stored. */
  #handed = 0;
  /** The end of the text, as far as it isn't known to be stored, and how many characters stand before it. */
  #rest = '';
  #before = 0;
  #events: ReplyEvent[] = [];
  /** The last event, while a further delta may still be joined to it. */
  #open: { type: string; data: { delta: string } } | undefined;
  /** The first half of a character whose second half comes with the next delta. */
  #half = '';
  readonly #tools = new ToolCalls();
  readonly #notices: Fault[] = [];
  #usage: Usage | null = null;

  constructor(ids: ReplyIds) {
    this.ids = ids;
  }

  get content(): string {
    return this.#content;
  }

  /** Characters of text that are not stored yet. */
  get unstored(): number {
    return this.#content.length - this.#handed;
  }

  get waiting(): number {
    return this.#events.length;
  }

  write(delta: string): void {
    let text = this.#half + delta;
    this.#half = isHighSurrogate(text, text.length - 1) ? text.slice(-1) : '';
    if (this.#half) text = text.slice(0, -1);
    this.#write(storable(text));
  }

  reasoning(delta: string): void {
    this.#deltas('reasoning.delta', storable(delta));
  }

  toolStarted(call: { id: string; name: string; input: unknown; now: string }): void {
    const { id, name, input } = this.#tools.start(call);
    this.event('tool.started', { tool_call_id: id, name, input });
  }

  toolOutput(id: string, delta: string): void {
    for (const part of piecesOf(storable(delta), piece)) this.event('tool.output', { tool_call_id: id, delta: part });
  }

  toolFinished(id: string, result: { output: string | null; error: string | null; now: string }): void {
    const finished = this.#tools.finish(id, result);
    if (finished) this.event('tool.finished', { tool_call_id: id, output: finished.output, error: finished.error });
  }

  /** Adds the tokens that the model's provider counted. */
  spend({ input_tokens, output_tokens }: Usage): void {
    const so_far = this.#usage ?? { input_tokens: 0, output_tokens: 0 };
    this.#usage = { input_tokens: so_far.input_tokens + input_tokens, output_tokens: so_far.output_tokens + output_tokens };
  }

  /** Each code once, however often a model is asked for one reply. */
  notice(notice: Fault): void {
    if (this.#notices.some(({ code }) => code === notice.code)) return;
    const { code, message } = notice;
    this.#notices.push({ code, message: storable(message) });
    this.event('message.notice', { notice: { code, message } });
  }

  event(type: string, data: object): void {
    this.#open = undefined;
    this.#seq += 1;
    this.#events.push({ type, data: { seq: this.#seq, ...this.ids, ...data } });
  }

  /** Half of a surrogate pair without its other half. Nothing is written after it. */
  complete(): void {
    if (this.#half) this.#write('\uFFFD');
    this.#half = '';
  }

  /** The events that were not taken yet. */
  take(): ReplyEvent[] {
    const taken = this.#events;
    this.#events = [];
    this.#open = undefined;
    return taken;
  }

  /** How far the reply has come, to be stored. Text that comes later gets events of its own. */
  progress(): Progress {
    this.#open = undefined;
    this.#handed = this.#content.length;
    return { content: this.#content, tool_calls: this.#tools.json, seq: this.#seq, usage: this.#usage, notices: this.#notices };
  }

  /** The same as what it adds to what is stored: of hundreds of replies the whole texts would be copied again and again. */
  addition(): Addition & { tool_calls: string } {
    const { tool_calls, seq, usage } = this.progress();
    return { before: this.#before, text: this.#rest, tool_calls, seq, usage };
  }

  /** That addition is stored. */
  added({ text }: Pick<Addition, 'text'>): void {
    this.#rest = this.#rest.slice(text.length);
    this.#before += charactersIn(text);
  }

  #write(text: string): void {
    if (this.#content.length + text.length > longest) {
      throw fail('reply_too_long', `A reply may have ${longest} characters; this one has more and was cut off`);
    }
    this.#content += text;
    this.#rest += text;
    this.#deltas('message.delta', text);
  }

  /** Joins what comes before it is taken: one event instead of many small ones. */
  #deltas(type: string, text: string): void {
    for (const part of piecesOf(text, piece)) {
      if (this.#open?.type === type && this.#open.data.delta.length + part.length <= piece) {
        this.#open.data.delta += part;
        continue;
      }
      this.#seq += 1;
      const data = { seq: this.#seq, ...this.ids, delta: part };
      this.#events.push({ type, data });
      this.#open = { type, data };
    }
  }
}
