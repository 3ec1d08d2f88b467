import type { Clock } from '../../kernel/contract/index.js';
import type { Message, Run, Session, Task, ToolReports, Usage } from './contract.js';
import type { Flusher } from './flusher.js';
import type { Recorder } from './recorder.js';
import type { Reply } from './reply.js';

export interface RunParts {
  task: Task;
  session: Session;
  message: Message;
  asker: Run['asker'];
  signal: AbortSignal;
  reply: Reply;
  recorder: Recorder;
  flusher: Flusher;
  clock: Clock;
  history: (limit: number) => Promise<Message[]>;
  newId: () => string;
}

/** What an answerer gets of a reply. Once closed, it takes nothing more. */
export class ReplyRun implements Run {
  readonly #parts: RunParts;
  readonly tools: ToolReports;
  #closed = false;
  #usage: Usage | null = null;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.tools = { started: this.#toolStarted, output: this.#toolOutput, finished: this.#toolFinished };
  }

  get task(): Task {
    return this.#parts.task;
  }

  get session(): Session {
    return this.#parts.session;
  }

  get message(): Message {
    return this.#parts.message;
  }

  get asker(): Run['asker'] {
    return this.#parts.asker;
  }

  get signal(): AbortSignal {
    return this.#parts.signal;
  }

  /** What was reported, or null. */
  get spent(): Usage | null {
    return this.#usage;
  }

  close(): void {
    this.#closed = true;
    this.#parts.reply.complete();
  }

  history(limit: number): Promise<Message[]> {
    return this.#parts.history(limit);
  }

  async write(delta: string): Promise<void> {
    await this.#change((reply) => reply.write(delta));
  }

  async reasoning(delta: string): Promise<void> {
    await this.#change((reply) => reply.reasoning(delta));
  }

  usage({ input_tokens, output_tokens }: Usage): void {
    const so_far = this.#usage ?? { input_tokens: 0, output_tokens: 0 };
    this.#usage = { input_tokens: so_far.input_tokens + input_tokens, output_tokens: so_far.output_tokens + output_tokens };
  }

  readonly #toolStarted = async (name: string, input: unknown): Promise<string> => {
    const { clock, newId, flusher } = this.#parts;
    const id = newId();
    await this.#change((reply) => reply.toolStarted({ id, name, input, now: clock.iso() }));
    if (!this.#closed) await flusher.flush();
    return id;
  };

  readonly #toolOutput = async (id: string, delta: string): Promise<void> => {
    await this.#change((reply) => reply.toolOutput(id, delta));
  };

  readonly #toolFinished = async (id: string, result: { output: string | null; error: string | null }): Promise<void> => {
    await this.#change((reply) => reply.toolFinished(id, { ...result, now: this.#parts.clock.iso() }));
  };

  async #change(change: (reply: Reply) => void): Promise<void> {
    if (this.#closed) return;
    const { reply, recorder, flusher } = this.#parts;
    change(reply);
    flusher.changed(reply);
    await recorder.record(reply.waiting);
  }
}
