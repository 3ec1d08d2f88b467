import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { InvokeOptions, Outcome } from '../contract/extension.js';
import { fail } from '../contract/failure.js';
import type { Caller, Door, FileAnswer, StreamEvent } from '../contract/operation.js';
import { asFailure } from '../platform/http/errors.js';
import type { Upload } from './form.js';
import type { Request, Transport } from './transport.js';

/** The input of an upload as its handler wants it: the file's bytes in a file of their own, until `remove`. */
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

/** What this needs of a kernel in the same process. */
export interface DirectKernel {
  invoke(operation: string, input: unknown, caller: Caller, options?: InvokeOptions): Promise<Outcome>;
  /** The installation's own administrator. */
  localCaller(door: Door): Promise<Caller>;
}

/** Public operations don't ask who calls, whatever the way. */
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
 * The way to a kernel in this process. Everything goes through JSON once, so that callers get the same
 * data as over a network, and nobody shares objects with the kernel.
 *
 * @param caller for whom it calls; default: the installation's own administrator.
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
    const { input, remove } = await prepared(request);
    try {
      return await invoke(request, input);
    } finally {
      await remove();
    }
  };
  return {
    async call(request) {
      const { status, body } = await settled(invokePrepared(request), request.options.signal);
      return { status, body: status === 204 ? undefined : request.operation.kind === 'file' ? fileOf(body as FileAnswer) : plain(body) };
    },
    stream: (request) => events(() => invoke(request, plain(request.input)), request.options.signal),
    close: async () => undefined,
  };
}

async function prepared({ operation, input }: Request): Promise<{ input: unknown; remove: () => Promise<void> }> {
  return operation.kind === 'upload' ? spool(input) : { input: plain(input), remove: async () => undefined };
}

/** A copy. */
function fileOf({ mime_type, bytes, etag }: FileAnswer): FileAnswer {
  return { mime_type, bytes: Buffer.from(bytes), ...(etag === undefined ? {} : { etag }) };
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** The work's end, or the abort if that comes first. */
function settled<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
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
      // Over HTTP the type stands among the data, so it is no part of them.
      const { type: _type, ...rest } = plain(data) as Record<string, unknown>;
      yield { ...(id === undefined ? {} : { id }), type, data: rest };
    }
  } catch (error) {
    throw asFailure(error);
  }
}
