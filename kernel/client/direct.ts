import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { InvokeOptions, Outcome } from '../contract/extension.js';
import { fail } from '../contract/failure.js';
import type { Caller, Door, FileAnswer, StreamEvent } from '../contract/operation.js';
import { asFailure } from '../platform/http/errors.js';
import type { Upload } from './form.js';
import type { Request, Transport } from './transport.js';

/** Writes an upload's bytes to a temporary file, as its handler expects them. `remove` deletes the file. */
async function spool(input: object): Promise<{ input: unknown; remove: () => Promise<void> }> {
  const { file, ...rest } = asUpload(input);
  const folder = await mkdtemp(join(tmpdir(), 'platform-upload-'));
  const path = join(folder, 'file');
  await writeFile(path, file.bytes);
  const spooled = { filename: basename(file.name), path, bytes: file.bytes.length };
  return {
    input: { ...(JSON.parse(JSON.stringify(rest)) as object), file: spooled },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function asUpload(input: unknown): { file: Upload } {
  const { file } = (typeof input === 'object' && input !== null ? input : {}) as { file?: Partial<Upload> | null };
  if (typeof file === 'object' && file !== null && file.bytes instanceof Uint8Array && typeof file.name === 'string')
    return input as { file: Upload };
  const message = '"file" is required, with its name and its bytes';
  throw fail('invalid_input', `The input is not valid: ${message}`, { details: [{ path: 'file', message }] });
}

/** The methods of an in-process kernel that this transport needs. */
export interface DirectKernel {
  invoke(operation: string, input: unknown, caller: Caller, options?: InvokeOptions): Promise<Outcome>;
  /** Returns the installation's administrator. */
  localCaller(door: Door): Promise<Caller>;
}

/** Caller of public operations, which never identify the caller on any transport. */
const nobody: Caller = {
  member_id: 0,
  username: '',
  role: 'member',
  scopes: [],
  door: 'direct',
  address: '',
  token_id: '',
  expires_at: 0,
};

/**
 * Creates a transport to a kernel in this process. All data passes through JSON, so that callers get the same
 * data as over a network, and share no objects with the kernel.
 *
 * @param caller the caller of all operations. Default: the installation's administrator.
 */
export function direct(kernel: DirectKernel, caller?: Caller): Transport {
  const callerOf = async ({ operation }: Request) => (operation.who === 'public' ? nobody : (caller ?? kernel.localCaller('direct')));
  const invoke = async (request: Request, input: unknown): Promise<Outcome> => {
    try {
      return await kernel.invoke(request.id, input, await callerOf(request), request.options);
    } catch (error) {
      throw asFailure(error);
    }
  };
  const invokePrepared = async (request: Request): Promise<Outcome> => {
    const { input, remove } = await prepareInput(request);
    try {
      return await invoke(request, input);
    } finally {
      await remove();
    }
  };
  return {
    async call(request) {
      const { status, body } = await abortable(invokePrepared(request), request.options.signal);
      return { status, body: status === 204 ? undefined : request.operation.kind === 'file' ? fileOf(body as FileAnswer) : plain(body) };
    },
    stream: (request) => events(() => invoke(request, plain(request.input)), request.options.signal),
    close: async () => undefined,
  };
}

async function prepareInput({ operation, input }: Request): Promise<{ input: unknown; remove: () => Promise<void> }> {
  return operation.kind === 'upload' ? spool(input) : { input: plain(input), remove: async () => undefined };
}

/** Copies a file response. */
function fileOf({ bytes, ...rest }: FileAnswer): FileAnswer {
  return { ...(plain(rest) as Omit<FileAnswer, 'bytes'>), bytes: Buffer.from(bytes) };
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Settles with the work, or rejects with the signal's reason if that comes first. */
function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

async function* events(open: () => Promise<Outcome>, signal: AbortSignal | undefined): AsyncGenerator<StreamEvent> {
  const { body } = await open();
  try {
    for await (const { id, type, data } of body as AsyncIterable<StreamEvent>) {
      if (signal?.aborted) return;
      // Over HTTP the type is sent within the data, so a `type` field of the data itself is dropped.
      const { type: _type, ...rest } = plain(data) as Record<string, unknown>;
      yield { ...(id === undefined ? {} : { id }), type, data: rest };
    }
  } catch (error) {
    throw asFailure(error);
  }
}
