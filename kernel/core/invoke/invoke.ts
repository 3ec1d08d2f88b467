import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { InvokeOptions, Outcome } from '../../contract/extension.js';
import { coreCodes, fail, isFailure } from '../../contract/failure.js';
import type {
  Call,
  CallCookies,
  Caller,
  Door,
  FileAnswer,
  Operation,
  SecondStep,
  Step,
  StreamEvent,
  StreamEvents,
  Verbatim,
} from '../../contract/operation.js';
import type { RoomRights } from '../../contract/room-rights.js';
import { within } from '../../contract/within.js';
import type { ActiveOperation } from '../catalog/catalog.js';
import { assertedEvents } from './assert-events.js';
import { type Audit, type AuditRow, isRefusal } from './audit.js';
import { assertNotDangerousInsideTool, assertUploadDoor, authorise, isModel } from './authorise.js';
import { authoriseInRoom } from './authorise-in-room.js';
import { comparableInput } from './comparable-input.js';
import { asDiskFull } from './disk-full.js';
import type { Idempotency } from './idempotency.js';
import { noCookies } from './no-cookies.js';
import { ProgressThrottle } from './progress-throttle.js';
import { readInput } from './read-input.js';
import type { Requests } from './request.js';

export interface InvokerOptions {
  requests: Requests;
  idempotency: Idempotency;
  audit: Audit;
  /** Asserts that answers and failures match the operation's declaration. For tests only, because it is slow. */
  strict: boolean;
  /** Returns the rule for calls on behalf of a room; undefined if no active extension has rooms. */
  roomRights: () => RoomRights | undefined;
}

/** Options of the kernel's own doors. */
export interface DoorOptions extends InvokeOptions {
  /** Input that the door has validated already, so that each input is validated once. */
  valid?: object | undefined;
}

interface Request {
  active: ActiveOperation;
  caller: Caller;
  request_id: string;
  audit: AuditRow | undefined;
}

const default_timeout_ms = 30_000;

/** Runs operations, the only code that does: authorise, validate, run, audit. */
export class Invoker {
  readonly #options: InvokerOptions;

  constructor(options: InvokerOptions) {
    this.#options = options;
  }

  async run(active: ActiveOperation, input: unknown, caller: Caller, options: DoorOptions = {}): Promise<Outcome> {
    const request_id = options.request_id ?? randomUUID();
    const audit = this.#options.audit.begin({ active, caller, request_id, via: options.via ?? '' });
    audit?.asked(input);
    try {
      return await this.#admit({ active, caller, request_id, audit }, input, options);
    } catch (fault) {
      if (audit && isFailure(fault) && isRefusal(fault)) audit.refused(fault.code);
      throw fault;
    }
  }

  async #admit(asked: Request, input: unknown, options: DoorOptions): Promise<Outcome> {
    const { active, caller } = asked;
    authorise(active.operation, caller);
    assertUploadDoor(active, caller);
    const origin = this.#options.requests.originOf(caller);
    assertNotDangerousInsideTool(active, caller, origin);
    const { handling = caller.door === 'schedule' ? 'silent' : 'strict', ignored, valid } = options;
    const read = readInput(active, input, { handling, byModel: isModel(caller), ignored, valid });
    const accept = async (value: object) => {
      if (caller.room) await authoriseInRoom(active, value, caller, this.#options.roomRights);
      return this.#accept({ ...asked, origin }, withFile(active, value, input), options);
    };
    if (typeof read !== 'function') return accept(read);
    active.activation.enter();
    try {
      return await accept(await (read as () => Promise<object>)());
    } finally {
      active.activation.leave();
    }
  }

  #accept(
    { active, caller, request_id, audit, origin }: Request & { origin: Door },
    value: object,
    options: InvokeOptions,
  ): Promise<Outcome> {
    audit?.accepted(value);
    return this.#options.requests.run({ request_id, caller, origin, operation: active.id, audit }, () =>
      this.#perform(active, value, new RunningCall(caller, request_id, withDeclaredProgress(active.operation, options))),
    );
  }

  async #perform(active: ActiveOperation, value: object, call: RunningCall): Promise<Outcome> {
    active.activation.enter();
    let streaming = false;
    try {
      const outcome = await this.#once(active, value, call);
      if (active.operation.kind === 'stream') {
        const events = outcome.body as StreamEvents;
        outcome.body = countedStream(this.#options.strict ? assertedEvents(events, active) : events, active, call);
        streaming = true;
      }
      return outcome;
    } catch (fault) {
      if (this.#options.strict) assertDeclared(active, fault);
      throw asDiskFull(fault) ?? fault;
    } finally {
      call.ended();
      if (!streaming) active.activation.leave();
    }
  }

  async #once(active: ActiveOperation, input: object, call: RunningCall): Promise<Outcome> {
    const { idempotent } = active.operation;
    const key = call.idempotency_key;
    const work = () => active.handler(input, call);
    if (!idempotent || key === undefined || call.caller.member_id === 0) return this.#handle(active, call, work);
    const timeout_ms = timeoutOf(active);
    const asked = { member_id: call.caller.member_id, key, operation: active.id, timeout_ms };
    const keyed = { ...asked, input: await comparableInput(active, input), transactional: idempotent === 'data' };
    const { idempotency } = this.#options;
    if (!active.prepare) return idempotency.run(keyed, () => this.#handle(active, call, work));
    const earlier = await idempotency.earlier(keyed);
    if (earlier) return earlier;
    const second = (await withTimeout(active.prepare(input, call), active, call)) as SecondStep<unknown>;
    let hasBegun = false;
    const outcome = await idempotency.run(keyed, () => {
      hasBegun = true;
      return this.#handle(active, call, second);
    });
    if (!hasBegun) await second.unneeded?.();
    return outcome;
  }

  async #handle(active: ActiveOperation, call: RunningCall, run: () => unknown): Promise<Outcome> {
    const { operation } = active;
    const work = Promise.resolve(run());
    const body = operation.kind === 'stream' ? await work : await withTimeout(work, active, call);
    const status = call.chosenStatus ?? operation.status ?? (hasBody(operation) ? 200 : 204);
    if (this.#options.strict) assertAnswer(active, body, status);
    // Writes the row if the handler opened no transaction; a replayed answer never gets here.
    await this.#options.requests.current()?.audit?.flush();
    return { status, body };
  }
}

/**
 * Returns the value with the file that the door has received. The schema can't be trusted with it: a plugin's could name any file by
 * a default or a renamed key.
 */
function withFile({ operation }: ActiveOperation, value: object, input: unknown): object {
  return operation.kind === 'upload' ? { ...value, file: (input as { file?: unknown } | undefined)?.file } : value;
}

/** Returns the options without the progress callback if the operation doesn't declare progress. */
function withDeclaredProgress({ progress = false }: Operation, options: InvokeOptions): InvokeOptions {
  return progress || options.progress === undefined ? options : { ...options, progress: undefined };
}

/** The call as a handler sees it. The abort signal is created at its first use. */
class RunningCall implements Call {
  readonly caller: Caller;
  readonly request_id: string;
  readonly agent: string;
  readonly idempotency_key: string | undefined;
  readonly verbatim: Verbatim | undefined;
  readonly progress: ((step: Step) => void) | undefined;
  readonly #outer: AbortSignal | undefined;
  readonly #steps: ProgressThrottle | undefined;
  #controller: AbortController | undefined;
  readonly cookies: CallCookies;
  chosenStatus: number | undefined;

  constructor(caller: Caller, request_id: string, options: InvokeOptions) {
    this.caller = caller;
    this.request_id = request_id;
    this.agent = options.agent ?? '';
    this.idempotency_key = options.idempotency_key;
    this.verbatim = options.verbatim;
    this.cookies = options.cookies ?? noCookies;
    this.#outer = options.signal;
    const steps = options.progress && new ProgressThrottle(options.progress);
    this.#steps = steps;
    this.progress = steps && ((step) => steps.report(step));
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#outer ? AbortSignal.any([this.#outer, this.#controller.signal]) : this.#controller.signal;
  }

  status(code: number): void {
    this.chosenStatus = code;
  }

  ended(): void {
    this.#steps?.end();
  }

  abort(reason: unknown): void {
    this.#controller ??= new AbortController();
    this.#controller.abort(reason);
  }
}

function timeoutOf({ operation }: ActiveOperation): number {
  return operation.timeout_ms ?? default_timeout_ms;
}

function withTimeout(work: Promise<unknown>, active: ActiveOperation, call: RunningCall): Promise<unknown> {
  const limit_ms = timeoutOf(active);
  return within(limit_ms, work, () => {
    const failure = fail('operation_timeout', `${active.id} took longer than ${limit_ms / 1000} s and was aborted`);
    call.abort(failure);
    throw failure;
  });
}

/**
 * Wraps a stream so that the activation counts it as running until it ends or its reader disconnects, which aborts the call's signal: a
 * generator that waits for its next event would not notice. Not a generator, because one that is returned before its first `next` never
 * runs its `finally`.
 */
function countedStream(events: StreamEvents, active: ActiveOperation, call: RunningCall): StreamEvents {
  const iterator = events[Symbol.asyncIterator]();
  let open = true;
  const close = () => {
    if (open) active.activation.leave();
    open = false;
  };
  const counting: AsyncIterator<StreamEvent> = {
    next() {
      return iterator.next().then(
        (step) => {
          if (step.done) close();
          return step;
        },
        (fault: unknown) => {
          close();
          throw fault;
        },
      );
    },
    async return() {
      if (open) call.abort(fail('not_found', 'The stream has ended'));
      close();
      await iterator.return?.();
      return { done: true, value: undefined };
    },
  };
  const { from } = events;
  return { ...(from === undefined ? {} : { from }), [Symbol.asyncIterator]: () => counting };
}

/** Returns whether a success has a body. */
function hasBody({ answer, kind }: Operation): boolean {
  return answer !== undefined || kind === 'stream' || kind === 'file';
}

function assertDeclared(active: ActiveOperation, fault: unknown): void {
  if (!isFailure(fault)) return;
  const declared = fault.code in coreCodes || active.operation.failures?.includes(fault.code);
  assert(declared, `${active.id} failed with '${fault.code}', which it does not declare`);
}

function assertAnswer(active: ActiveOperation, body: unknown, status: number): void {
  const { operation, answer } = active;
  const usual = operation.status ?? (hasBody(operation) ? 200 : 204);
  assert(status === usual || operation.also?.includes(status), `${active.id} answered ${status}, which it does not declare`);
  if (operation.kind === 'file') assert(Buffer.isBuffer((body as FileAnswer).bytes), `${active.id} answered with no bytes`);
  if (!answer || status === 204) return;
  const { error } = answer.validate(body === undefined ? body : JSON.parse(JSON.stringify(body)), { convert: false, abortEarly: false });
  assert(!error, `${active.id} answered with another shape than it declares: ${error?.message}`);
}
