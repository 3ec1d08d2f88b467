import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DoorCall, type Failure, fail, isFailure } from '../../../kernel/contract/index.js';
import type { VirtualMember } from '../../members/contract.js';
import type { AskedDocuments } from './asked-documents.js';
import { type AskedCompletion, readCompletion } from './completion.js';
import { type CompletionResult, CompletionRun, type CompletionRunOptions } from './completion-run.js';
import { errorOf, refusalOf } from './error.js';
import type { EmployeeModels } from './models.js';
import { Chunks, completionOf, headOf } from './shapes.js';
import { CompletionSink } from './sink.js';

export interface CompletionsOptions extends CompletionRunOptions {
  models: EmployeeModels;
  documents: Pick<AskedDocuments, 'read'>;
  /** Keeps this version loaded until the answer is written. */
  track: (work: Promise<unknown>) => void;
}

/** Delay before a streamed answer starts, so that an early failure gets its own status. */
const stream_delay_ms = 10_000;
const streamHeaders = { 'content-type': 'text/event-stream; charset=utf-8' };

interface CompletionCall {
  id: string;
  request: AskedCompletion;
  employee: VirtualMember;
  call: DoorCall;
  signal: AbortSignal;
  /** Whether the documents are read and the AI employee has begun to work. */
  begun: boolean;
}

/** Answers `POST /api/v1/chat/completions`. */
export class Completions {
  readonly #options: CompletionsOptions;
  readonly #run: CompletionRun;

  constructor(options: CompletionsOptions) {
    this.#options = options;
    this.#run = new CompletionRun(options);
  }

  async answer(request: Request, call: DoorCall): Promise<Response> {
    const completion = readCompletion(await request.text());
    const employee = await this.#options.models.find(completion.model);
    const task = { id: `chatcmpl-${randomUUID()}`, request: completion, employee, call, signal: request.signal, begun: false };
    return completion.stream ? this.#streamed(task) : this.#complete(task);
  }

  async #complete(task: CompletionCall): Promise<Response> {
    const sink = new CompletionSink(() => undefined);
    try {
      const result = await this.#work(task, sink);
      return Response.json(completionOf(this.#head(task), result, sink));
    } catch (fault) {
      return this.#refuse(fault, task);
    }
  }

  async #streamed(task: CompletionCall): Promise<Response> {
    const chunks = new Chunks(this.#head(task));
    const sink = new CompletionSink((delta) => chunks.send(delta));
    const work = this.#work(task, sink);
    const late = sleep(stream_delay_ms, undefined, { ref: false });
    try {
      await Promise.race([sink.begun, work, late]);
    } catch (fault) {
      chunks.events.end();
      return this.#refuse(fault, task);
    }
    void this.#finish(work, chunks, task);
    return new Response(chunks.events.body, { headers: streamHeaders });
  }

  async #finish(work: Promise<CompletionResult>, chunks: Chunks, task: CompletionCall): Promise<void> {
    try {
      await chunks.finish(await work, task.request);
    } catch (fault) {
      await chunks.events.send(errorOf(this.#failureOf(fault, task)));
    } finally {
      chunks.events.end();
    }
  }

  #head({ employee, id }: CompletionCall) {
    return headOf(employee, id, this.#options.clock.now());
  }

  #work(task: CompletionCall, sink: CompletionSink): Promise<CompletionResult> {
    const { id, request, employee, signal } = task;
    const { caller } = task.call;
    const reading = this.#options.documents.read(request, { caller, signal });
    const work = reading.then((asked) => {
      task.begun = true;
      return this.#run.answer({ asked, id, employee, asker: caller, sink, signal });
    });
    this.#options.track(work.catch(() => undefined));
    return work;
  }

  #refuse(fault: unknown, task: CompletionCall): Response {
    // A client that has disconnected needs no answer.
    if (task.signal.aborted) throw task.signal.reason;
    return refusalOf(this.#failureOf(fault, task), task);
  }

  /** Returns the failure to report. Unexpected errors are logged with their cause. */
  #failureOf(fault: unknown, { call, signal }: CompletionCall): Failure {
    if (isFailure(fault)) return fault;
    // The client has disconnected, or its token has expired.
    if (signal.aborted && isFailure(signal.reason)) return signal.reason;
    const { request_id } = call;
    this.#options.log.error('An answer failed', { request_id, fault });
    return fail('internal_error', `Internal error; see the server log for request ${request_id}`);
  }
}
