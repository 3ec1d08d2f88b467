import type { Clock } from '../../../kernel/contract/index.js';
import type { Approval, ApprovalReports, Fault, Message, Run, Session, Task, ToolReports, Usage } from '../contract.js';
import type { JoinedTexts } from '../store/messages-sql.js';
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
  history: Run['history'];
  room: Run['room'];
  /** Reads the texts that joined after a message. */
  joined: (after: string) => Promise<JoinedTexts>;
  reread: Run['reread'];
  image: Run['image'];
  file: Run['file'];
  /** Stores that the task waits for a person or runs again; returns the task. */
  wait: (status: 'waiting_approval' | 'running') => Promise<Task | undefined>;
  /** Reports that the AI employee is typing. */
  typing: () => void;
  newId: () => string;
}

/** Interval of reporting that the AI employee is typing. */
const typing_ms = 1_000;

/** A reply as its answerer sees it. After closing it ignores further text. */
export class ReplyRun implements Run {
  readonly #parts: RunParts;
  readonly tools: ToolReports;
  readonly approvals: ApprovalReports;
  #closed = false;
  #taken = 0;
  #typed_at = Number.NEGATIVE_INFINITY;
  #changed_at: string | null = null;
  /** Time of the last message that the answerer has received. */
  #given: string;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#given = parts.message.created_at;
    this.approvals = new RunApprovals({ show: this.#show, wait: this.#wait });
    this.tools = { started: this.#toolStarted, input: this.#toolInput, output: this.#toolOutput, finished: this.#toolFinished };
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

  get room(): Run['room'] {
    return this.#parts.room;
  }

  get signal(): AbortSignal {
    return this.#parts.signal;
  }

  /** Number of joined texts that the answerer has received. */
  get taken(): number {
    return this.#taken;
  }

  get written(): string {
    return this.#parts.reply.content;
  }

  open(): void {
    this.#closed = false;
    this.#typed_at = Number.NEGATIVE_INFINITY;
  }

  close(): void {
    this.#closed = true;
    this.#parts.reply.complete();
  }

  get changed_at(): string | null {
    return this.#changed_at;
  }

  history(limit: number): Promise<Message[]> {
    return this.#parts.history(limit);
  }

  reread(ids: readonly string[]): Promise<Message[]> {
    return this.#parts.reread(ids);
  }

  async joined(): Promise<Message[]> {
    const { messages, changed_at } = await this.#parts.joined(this.#given);
    this.#changed_at = changed_at;
    this.#given = messages.at(-1)?.created_at ?? this.#given;
    this.#taken += messages.length;
    for (const { id } of messages) await this.#change((reply) => reply.event('message.joined', { joined_id: id }));
    return messages;
  }

  image(image: { url: string }): Promise<{ mime_type: string; bytes: Buffer }> {
    return this.#parts.image(image);
  }

  file(file: { id: string }): Promise<{ mime_type: string; bytes: Buffer }> {
    return this.#parts.file(file);
  }

  write(delta: string): Promise<void> | undefined {
    if (!this.#closed) this.#types();
    return this.#change((reply) => reply.write(delta));
  }

  reasoning(delta: string): Promise<void> | undefined {
    return this.#change((reply) => reply.reasoning(delta));
  }

  notice(notice: Fault): Promise<void> | undefined {
    return this.#change((reply) => reply.notice(notice));
  }

  usage(usage: Usage): void {
    if (this.#closed) return;
    this.#parts.reply.spend(usage);
    this.#parts.flusher.changed(this.#parts.reply);
  }

  readonly #toolStarted = async (name: string, input: unknown): Promise<string> => {
    const { clock, newId, flusher } = this.#parts;
    const id = newId();
    await this.#change((reply) => reply.toolStarted({ id, name, input, now: clock.iso() }));
    if (!this.#closed) await flusher.flush();
    return id;
  };

  readonly #toolInput = async (id: string, input: unknown): Promise<void> => {
    await this.#change((reply) => reply.toolInput(id, input));
  };

  readonly #toolOutput = async (id: string, delta: string): Promise<void> => {
    await this.#change((reply) => reply.toolOutput(id, delta));
  };

  readonly #toolFinished = async (id: string, result: { output: string | null; error: string | null }): Promise<void> => {
    await this.#change((reply) => reply.toolFinished(id, { ...result, now: this.#parts.clock.iso() }));
  };

  readonly #show = async (type: string, data: object): Promise<void> => {
    await this.#change((reply) => reply.event(type, data));
    if (!this.#closed) await this.#parts.flusher.flush();
  };

  readonly #wait = async (waiting: boolean): Promise<void> => {
    this.#typed_at = Number.NEGATIVE_INFINITY;
    const task = this.#closed ? undefined : await this.#parts.wait(waiting ? 'waiting_approval' : 'running');
    if (task) await this.#change((reply) => reply.event('task.updated', { task }));
  };

  #types(): void {
    const now = this.#parts.clock.now();
    if (now - this.#typed_at < typing_ms) return;
    this.#typed_at = now;
    this.#parts.typing();
  }

  /** Applies a change. Returns a promise only if the writer must wait, because this runs for each delta. */
  #change(change: (reply: Reply) => void): Promise<void> | undefined {
    if (this.#closed) return undefined;
    const { reply, recorder, flusher } = this.#parts;
    change(reply);
    flusher.changed(reply);
    return recorder.record(reply.waiting);
  }
}

interface ApprovalsParts {
  /** Sends an event of the reply to its readers after storing the text so far. */
  show: (type: string, data: object) => Promise<void>;
  /** Stores that the task waits for a person or runs again. */
  wait: (waiting: boolean) => Promise<void>;
}

/** Pending approvals of a reply. Its task waits while at least one is open. */
export class RunApprovals {
  readonly #parts: ApprovalsParts;
  readonly #open = new Set<Approval['id']>();
  /** Whether the task is stored as waiting. */
  #waiting = false;
  #stored: Promise<void> = Promise.resolve();

  constructor(parts: ApprovalsParts) {
    this.#parts = parts;
  }

  readonly required: Run['approvals']['required'] = async (approval) => {
    this.#open.add(approval.id);
    await this.#store();
    await this.#parts.show('approval.required', { approval });
  };

  readonly resolved: Run['approvals']['resolved'] = async (approval) => {
    this.#open.delete(approval.id);
    await this.#parts.show('approval.resolved', { approval });
    await this.#store();
  };

  /** Stores the current state. Writes are serialised; the last one wins. */
  #store(): Promise<void> {
    this.#stored = this.#stored
      .catch(() => undefined)
      .then(async () => {
        const waiting = this.#open.size > 0;
        if (waiting === this.#waiting) return;
        await this.#parts.wait(waiting);
        this.#waiting = waiting;
      });
    return this.#stored;
  }
}
