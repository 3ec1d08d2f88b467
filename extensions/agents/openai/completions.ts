import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DoorCall, type Failure, fail, isFailure } from '../../../kernel/contract/index.js';
import type { VirtualMember } from '../../members/contract.js';
import { type Completion, readCompletion } from './completion.js';
import { errorOf, refusalOf } from './error.js';
import type { EmployeeModels } from './models.js';
import { Chunks, completionOf, headOf } from './shapes.js';
import { DoorSink } from './sink.js';
import { type Said, Talk, type TalkOptions } from './talk.js';

export interface CompletionsOptions extends TalkOptions {
  models: EmployeeModels;
  /** Keeps this version until the answer is written. */
  track: (work: Promise<unknown>) => void;
}

/** So long a streamed answer is held back, so that an early failure has its own status. */
const held_ms = 10_000;
const streamHeaders = { 'content-type': 'text/event-stream; charset=utf-8' };

interface Asked {
  id: string;
  asked: Completion;
  employee: VirtualMember;
  call: DoorCall;
  signal: AbortSignal;
}

/** Answers `POST /api/v1/chat/completions`. */
export class Completions {
  readonly #options: CompletionsOptions;
  readonly #talk: Talk;

  constructor(options: CompletionsOptions) {
    this.#options = options;
    this.#talk = new Talk(options);
  }

  async answer(request: Request, call: DoorCall): Promise<Response> {
    const asked = readCompletion(await request.text());
    const employee = await this.#options.models.find(asked.model);
    const whole = { id: `chatcmpl-${randomUUID()}`, asked, employee, call, signal: request.signal };
    return asked.stream ? this.#streamed(whole) : this.#whole(whole);
  }

  async #whole(whole: Asked): Promise<Response> {
    const sink = new DoorSink(() => undefined);
    try {
      const said = await this.#work(whole, sink);
      return Response.json(completionOf(this.#head(whole), said, sink));
    } catch (fault) {
      return this.#refuse(fault, whole);
    }
  }

  async #streamed(whole: Asked): Promise<Response> {
    const chunks = new Chunks(this.#head(whole));
    const sink = new DoorSink((delta) => chunks.send(delta));
    const work = this.#work(whole, sink);
    const late = sleep(held_ms, undefined, { ref: false });
    try {
      await Promise.race([sink.begun, work, late]);
    } catch (fault) {
      chunks.events.end();
      return this.#refuse(fault, whole);
    }
    void this.#finish(work, chunks, whole);
    return new Response(chunks.events.body, { headers: streamHeaders });
  }

  async #finish(work: Promise<Said>, chunks: Chunks, whole: Asked): Promise<void> {
    try {
      await chunks.finish(await work, whole.asked);
    } catch (fault) {
      await chunks.events.send(errorOf(this.#failureOf(fault, whole)));
    } finally {
      chunks.events.end();
    }
  }

  #head({ employee, id }: Asked) {
    return headOf(employee, id, this.#options.clock.now());
  }

  #work({ id, asked, employee, call, signal }: Asked, sink: DoorSink): Promise<Said> {
    const work = this.#talk.answer({ asked, id, employee, asker: call.caller, sink, signal });
    this.#options.track(work.catch(() => undefined));
    return work;
  }

  #refuse(fault: unknown, whole: Asked): Response {
    // Whoever has left needs no answer.
    if (whole.signal.aborted) throw whole.signal.reason;
    return refusalOf(this.#failureOf(fault, whole), { begun: true });
  }

  /** Of what nobody foresaw the log has the cause. */
  #failureOf(fault: unknown, { call, signal }: Asked): Failure {
    if (isFailure(fault)) return fault;
    // The client has left, or its token has ended.
    if (signal.aborted && isFailure(signal.reason)) return signal.reason;
    const { request_id } = call;
    this.#options.log.error('An answer failed', { request_id, fault });
    return fail('internal_error', `Something went wrong inside the platform; its log has the cause under ${request_id}`);
  }
}
