import { keepPreviousData, type QueryClient, type QueryKey, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import type { BrowserApi } from '../../../kernel/client/browser/index.js';
import type { CallOptions } from '../../../kernel/client/transport.js';
import { Failure, isFailure } from '../../../kernel/contract/failure.js';
import type { StreamEvent } from '../../../kernel/contract/operation.js';
import { connection, operationOf } from './connection.js';
import { failureText } from './failure-text.js';
import { notify } from './notices.js';
import { effectOf } from './own-effects.js';
import { useReadAgainOn } from './read-again.js';
import { writes } from './unsaved.js';

type Ids<Api> = keyof Api & string;
type StreamIds<Api> = { [Id in Ids<Api>]: Api[Id] extends { answer: AsyncIterable<StreamEvent> } ? Id : never }[Ids<Api>];
type CallIds<Api> = Exclude<Ids<Api>, StreamIds<Api>>;
type InputOf<Api, Id extends keyof Api> = Api[Id] extends { input: infer Input } ? Input : never;
type AnswerOf<Api, Id extends keyof Api> = Api[Id] extends { answer: infer Answer } ? Answer : never;

export interface ReadOptions {
  /** Types of frames after which it is read again: `node.updated`, or `node.*` for all that begin so. */
  on?: readonly string[];
  /** Reads again after so many ms, while the page is visible. */
  every_ms?: number;
  /** Default true. */
  enabled?: boolean;
  /** Shows the answer to the former input until the one to a new input has arrived. */
  keep?: boolean;
}

export interface Read<Answer> {
  /** The last answer; undefined until the first one. It stays while a further one fails. */
  readonly data: Answer | undefined;
  /** Why the last attempt failed. */
  readonly error: Failure | undefined;
  /** Whether there is no answer yet and one is awaited. */
  readonly isLoading: boolean;
  /** Whether a request is under way, also in the background. */
  readonly isReading: boolean;
  /** Reads again now. */
  again: () => void;
}

export interface WriteOptions<Api> {
  /** Operations whose answers are read again after success. */
  reads?: readonly (Ids<Api> | (string & {}))[];
  /** Text of a notice after success. */
  done?: string;
  /** Called after success, such as to leave the page of what was deleted. */
  after?: () => void;
}

export interface Write<Input, Answer> {
  /** Calls the operation. Resolves with undefined after a failure, and also if its answer has no content. */
  run: (
    ...args: object extends Input ? [input?: Input, options?: CallOptions] : [input: Input, options?: CallOptions]
  ) => Promise<Answer | undefined>;
  readonly isRunning: boolean;
  /** Why the last call failed. A component that reads this shows the failure itself; otherwise it becomes a notice. */
  readonly error: Failure | undefined;
  /** Whether the last call succeeded. */
  readonly isDone: boolean;
  /** Forgets the last call. */
  reset: () => void;
}

/** One cached answer. */
export interface Cached<Answer> {
  get: () => Answer | undefined;
  /** Replaces the answer in all components at once; does nothing while there is none. */
  set: (update: (before: Answer) => Answer) => void;
}

/** The operations of `Api`, typed. */
export interface OperationsOf<Api extends object> {
  /** Reads an answer, shares it with all components that ask the same, and reads again when the live connection says so. */
  useRead: <Id extends CallIds<Api>>(id: Id, input: InputOf<Api, Id>, options?: ReadOptions) => Read<AnswerOf<Api, Id>>;
  useWrite: <Id extends CallIds<Api>>(id: Id, options?: WriteOptions<Api>) => Write<InputOf<Api, Id>, AnswerOf<Api, Id>>;
  call: <Id extends CallIds<Api>>(id: Id, input: InputOf<Api, Id>, options?: CallOptions) => Promise<AnswerOf<Api, Id>>;
  /** Yields events; continues after a lost connection without a gap or a repeat. */
  stream: <Id extends StreamIds<Api>>(id: Id, input: InputOf<Api, Id>, options?: CallOptions) => AsyncIterable<StreamEvent>;
  cached: <Id extends CallIds<Api>>(id: Id, input: InputOf<Api, Id>) => Cached<AnswerOf<Api, Id>>;
  /** Reads answers again: all of an operation, or the one to an input. */
  again: <Id extends CallIds<Api>>(id: Id, input?: InputOf<Api, Id>) => void;
  /** Returns an address that downloads a file. Valid once and for a minute, so ask for it on a click. */
  link: <Id extends CallIds<Api>>(id: Id, input: InputOf<Api, Id>) => Promise<string>;
  /** Returns whether the member may call it and its extension is there. */
  can: (id: Ids<Api>) => boolean;
}

/** Returns the typed operations of an extension, or of several: `operations<ChatApi & MembersApi>()`. Call it once, beside the imports. */
export function operations<Api extends object>(): OperationsOf<BrowserApi<Api>> {
  return untyped as unknown as OperationsOf<BrowserApi<Api>>;
}

/** Calls an operation by its id. */
export async function callOperation(id: string, input: object, options: CallOptions = {}): Promise<unknown> {
  const { extend, after } = effectOf(id);
  const { body } = await connection().transport.call({ id, operation: required(id), input: { ...input, ...extend }, options });
  after?.(body, input);
  return body;
}

const untyped = {
  useRead,
  useWrite,
  call: callOperation,
  stream: (id: string, input: object, options: CallOptions = {}) =>
    connection().transport.stream({ id, operation: required(id), input, options }),
  cached: (id: string, input: object): Cached<unknown> => ({
    get: () => connection().query.getQueryData(keyOf(id, input)) ?? undefined,
    set: (update) => {
      const { query } = connection();
      // The first answer is still on its way, and must not be cancelled.
      if ((query.getQueryData(keyOf(id, input)) ?? undefined) === undefined) return;
      // An answer that is on its way would undo the change.
      void query.cancelQueries({ queryKey: keyOf(id, input), exact: true });
      query.setQueryData(keyOf(id, input), (before: unknown) => (before === undefined || before === null ? before : update(before)));
    },
  }),
  again: (id: string, input?: object) => {
    void connection().query.invalidateQueries(input === undefined ? { queryKey: [id] } : { queryKey: keyOf(id, input), exact: true });
  },
  link: (id: string, input: object) => connection().transport.link(required(id), input),
  can: (id: string) => operationOf(id) !== undefined,
};

function required(id: string) {
  const found = operationOf(id);
  if (found) return found;
  throw new Failure('operation_not_found', `The operation '${id}' is not available to you now`, { status: 404 });
}

export function keyOf(id: string, input: object): QueryKey {
  return [id, input];
}

function useRead(id: string, input: object = {}, { on, every_ms, enabled = true, keep = false }: ReadOptions = {}): Read<unknown> {
  const { query } = connection();
  const queryKey = keyOf(id, input);
  const { data, error, isPending, fetchStatus, refetch } = useQuery(
    {
      queryKey,
      // An answer without content is null: the cache takes undefined for a mistake.
      queryFn: async ({ signal }) => (await callOperation(id, input, { signal })) ?? null,
      enabled,
      ...(every_ms === undefined ? {} : { refetchInterval: every_ms }),
      ...(keep ? { placeholderData: keepPreviousData } : {}),
    },
    query,
  );
  useReadAgainOn(queryKey, enabled ? on : undefined);
  return {
    data: data ?? undefined,
    error: failureOf(error),
    isLoading: isPending && enabled && error === null,
    isReading: fetchStatus !== 'idle',
    again: () => void refetch(),
  };
}

interface WriteState {
  readonly running: number;
  readonly error: Failure | undefined;
  readonly isDone: boolean;
}

const idle: WriteState = { running: 0, error: undefined, isDone: false };

function useWrite(id: string, options: WriteOptions<object> = {}): Write<object, unknown> {
  const [state, setState] = useState(idle);
  const latest = useRef(options);
  latest.current = options;
  const showsError = useRef(false);
  const run = useCallback(
    async (input: object = {}, callOptions: CallOptions = {}) => {
      setState((before) => ({ running: before.running + 1, error: undefined, isDone: false }));
      const end = writes.begin();
      try {
        const answer = await callOperation(id, input, callOptions);
        setState((before) => ({ running: before.running - 1, error: undefined, isDone: true }));
        readAgain(connection().query, latest.current.reads);
        if (latest.current.done !== undefined) notify(latest.current.done, { kind: 'success' });
        latest.current.after?.();
        return answer;
      } catch (error) {
        const failure = callOptions.signal?.aborted ? undefined : failureOf(error);
        setState((before) => ({ running: before.running - 1, error: failure, isDone: false }));
        if (failure && !showsError.current) notify(failureText(failure).title, { kind: 'error', detail: failureText(failure).detail });
        return undefined;
      } finally {
        end();
      }
    },
    [id],
  );
  const reset = useCallback(() => setState(idle), []);
  return useMemo(
    () => ({
      run,
      reset,
      isRunning: state.running > 0,
      isDone: state.isDone,
      get error() {
        showsError.current = true;
        return state.error;
      },
    }),
    [run, reset, state],
  );
}

function readAgain(query: QueryClient, reads: readonly string[] = []): void {
  for (const id of reads) void query.invalidateQueries({ queryKey: [id] });
}

/** Returns the failure behind an error; a mistake in the page's own code counts as one, too. */
export function failureOf(error: unknown): Failure | undefined {
  if (error === null || error === undefined) return undefined;
  if (isFailure(error)) return error;
  return new Failure('internal_error', error instanceof Error ? error.message : String(error), { status: 500, cause: error });
}

/** Reads several answers again. */
export function againAll(reads: readonly Pick<Read<unknown>, 'again'>[]): void {
  for (const { again } of reads) again();
}
