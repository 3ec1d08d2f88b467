import type { IncomingMessage } from 'node:http';
import { Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createInflate, type Gunzip, type Inflate } from 'node:zlib';
import { fail, isFailure } from '../../contract/failure.js';
import { asDiskFull } from '../../core/invoke/disk-full.js';
import type { Body } from './bodies.js';
import { encodingOf } from './body.js';
import { Multipart, malformed } from './multipart.js';
import { pace } from './pace.js';
import { UploadFile } from './upload-file.js';

/** An input with a file, as a handler finds it: under `file` its name (for display only, never a path), its path and its bytes. */
export interface Upload {
  input: Record<string, unknown>;
  /** Removes the file. */
  remove(): Promise<void>;
}

export interface UploadOptions {
  /** A type of bodies that are the file itself, besides multipart/form-data. */
  raw: string | undefined;
  max_bytes: number;
  /** Where the file is written. */
  folder: string;
  /** Told of what has arrived. */
  body: Pick<Body, 'keep'>;
}

/** What becomes of a body. */
interface Receiver {
  sink: Writable;
  /** After the sink has ended. */
  written(): Promise<void>;
  input(): Record<string, unknown>;
  remove(): Promise<void>;
}

/**
 * Receives the body of an upload: its fields, and its one file, which is written as it arrives and no faster than that.
 *
 * @throws `unsupported_media_type`, `payload_too_large`, `malformed_request`, `disk_full`, `disk_low`, `rate_limited` and `server_busy` where
 * too much is under way; then nothing is left of it
 */
export async function receiveUpload(req: IncomingMessage, options: UploadOptions): Promise<Upload> {
  const receiver = await receiverOf(req, options);
  try {
    if (Number(req.headers['content-length'] ?? 0) > options.max_bytes) throw tooLarge();
    pace(req);
    await receive(req, receiver.sink, bounded(options));
    await receiver.written();
    return { input: receiver.input(), remove: () => receiver.remove() };
  } catch (fault) {
    // The rest is read and dropped, so that the client gets to read the answer.
    req.resume();
    await receiver.remove();
    throw asDiskFull(fault) ?? asMalformed(fault);
  }
}

const typeShape = /^\s*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)\s*(?:;|$)/;

async function receiverOf(req: IncomingMessage, { raw, folder }: UploadOptions): Promise<Receiver> {
  const header = req.headers['content-type'];
  const type = header === undefined ? undefined : typeShape.exec(header)?.[1]?.toLowerCase();
  if (header !== undefined && type === undefined) throw malformed('its Content-Type is none');
  if (type === 'multipart/form-data') return Multipart.begin(header ?? '', folder);
  if (type !== undefined && type === raw) return bare(folder);
  throw fail('unsupported_media_type', `The body must be multipart/form-data${raw === undefined ? '' : ` or ${raw}`}`);
}

/** The whole body is the file. */
function bare(folder: string): Receiver {
  const file = new UploadFile(folder);
  return {
    sink: file.out,
    written: async () => undefined,
    input: () => ({ file: { filename: '', path: file.path, bytes: file.bytes } }),
    remove: () => file.remove(),
  };
}

/** Reads a body to its end, no faster than it is taken. The request outlives what goes wrong: it is to be answered. */
async function receive(req: IncomingMessage, sink: Writable, measured: Transform): Promise<void> {
  const unpacker = unpackerOf(req);
  const first = unpacker ?? measured;
  const broken = () => {
    if (!req.readableEnded) first.destroy(fail('malformed_request', 'The request ended before its body'));
  };
  req.once('error', broken).once('close', broken);
  // A parser may have finished before its end: what follows is read to nobody, or it would be waited for without end.
  sink.once('finish', () => setImmediate(() => measured.resume()));
  if (req.destroyed) broken();
  else req.pipe(first);
  try {
    await (unpacker ? pipeline(unpacker, measured, sink) : pipeline(measured, sink));
  } finally {
    req.unpipe(first);
  }
}

function bounded({ max_bytes, body }: UploadOptions): Transform {
  let bytes = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      if (bytes > max_bytes) return done(tooLarge());
      try {
        body.keep(chunk.length);
      } catch (fault) {
        return done(fault as Error);
      }
      done(null, chunk);
    },
  });
}

function unpackerOf(req: IncomingMessage): Gunzip | Inflate | undefined {
  const encoding = encodingOf(req);
  if (encoding === 'gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  if (encoding === 'identity') return undefined;
  throw fail('unsupported_media_type', 'The body may be compressed by gzip or deflate, or not at all');
}

/** What a parser or an unpacker throws tells of the bytes, an unpacker's with a code; a fault of the system names its call. */
function asMalformed(fault: unknown): unknown {
  if (isFailure(fault) || !(fault instanceof Error) || 'syscall' in fault) return fault;
  return malformed('code' in fault ? 'it is not compressed as it says' : fault.message);
}

function tooLarge() {
  return fail('payload_too_large', 'The body is larger than is allowed here');
}
