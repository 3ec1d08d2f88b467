import { fail } from '../codes.js';
import type { Fault, Usage } from '../contract.js';
import type { Addition, Progress } from '../store/messages-sql.js';
import { charactersIn, isHighSurrogate, slicesOf, storable } from '../text.js';
import type { ReplyEvent } from './recorder.js';
import { ToolCalls } from './tool-calls.js';

/** Length limit of a reply, in characters. */
const max_length = 1_000_000;
/** Length limit of one event's text, so that the event fits into a journal entry even if escaped. */
const max_event_length = 8_000;

interface ReplyIds {
  task_id: string;
  message_id: string;
}

/**
 * A reply in progress: its text and its ordered events. Text and `seq` change together, so that stored text and stored `seq` match.
 */
export class Reply {
  readonly ids: ReplyIds;
  #content = '';
  #seq = 0;
  /** Length of the text that was passed on to be stored. */
  #handed = 0;
  /** End of the text that is not known to be stored, and the length of the text before it. */
  #rest = '';
  #before = 0;
  #events: ReplyEvent[] = [];
  /** Last event, while further deltas may be merged into it. */
  #open: { type: string; data: { delta: string } } | undefined;
  /** High surrogate whose other half comes with the next delta. */
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

  /** Number of characters that are not stored yet. */
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

  toolInput(id: string, input: unknown): void {
    const call = this.#tools.setInput(id, input);
    if (call) this.event('tool.input', { tool_call_id: id, input: call.input });
  }

  toolOutput(id: string, delta: string): void {
    for (const part of slicesOf(storable(delta), max_event_length)) this.event('tool.output', { tool_call_id: id, delta: part });
  }

  toolFinished(id: string, result: { output: string | null; error: string | null; now: string }): void {
    const finished = this.#tools.finish(id, result);
    if (finished) this.event('tool.finished', { tool_call_id: id, output: finished.output, error: finished.error });
  }

  /** Adds tokens as counted by the model's provider. */
  spend({ input_tokens, output_tokens }: Usage): void {
    const so_far = this.#usage ?? { input_tokens: 0, output_tokens: 0 };
    this.#usage = { input_tokens: so_far.input_tokens + input_tokens, output_tokens: so_far.output_tokens + output_tokens };
  }

  /** Adds a remark; each code once per reply. */
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

  /** Completes the text: replaces a trailing high surrogate. Nothing may be written afterwards. */
  complete(): void {
    if (this.#half) this.#write('\uFFFD');
    this.#half = '';
  }

  /** Returns and removes the pending events. */
  take(): ReplyEvent[] {
    const taken = this.#events;
    this.#events = [];
    this.#open = undefined;
    return taken;
  }

  /** Returns the whole reply for storing. Later text gets new events. */
  progress(): Progress {
    this.#open = undefined;
    this.#handed = this.#content.length;
    return { content: this.#content, tool_calls: this.#tools.json, seq: this.#seq, usage: this.#usage, notices: this.#notices };
  }

  /** Returns the text and calls to add to the stored reply, because storing hundreds of whole texts repeatedly would be slow. */
  addition(): Addition & { tool_calls: string } {
    const { tool_calls, seq, usage } = this.progress();
    return { before: this.#before, text: this.#rest, tool_calls, seq, usage };
  }

  /** Records that an addition was stored. */
  added({ text }: Pick<Addition, 'text'>): void {
    this.#rest = this.#rest.slice(text.length);
    this.#before += charactersIn(text);
  }

  #write(text: string): void {
    if (this.#content.length + text.length > max_length) {
      throw fail('reply_too_long', `The reply exceeds the limit of ${max_length} characters and was cut off`);
    }
    this.#content += text;
    this.#rest += text;
    this.#deltas('message.delta', text);
  }

  /** Adds text as deltas, merged into the last pending event. */
  #deltas(type: string, text: string): void {
    for (const part of slicesOf(text, max_event_length)) {
      if (this.#open?.type === type && this.#open.data.delta.length + part.length <= max_event_length) {
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
