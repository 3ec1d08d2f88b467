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

/** An input with a file for a handler: `file` has its name (for display only, never a path), its path and its bytes. */
export interface Upload {
  input: Record<string, unknown>;
  /** Deletes the file. */
  remove(): Promise<void>;
}

export interface UploadOptions {
  /** Media type of bodies that are the file itself, besides multipart/form-data. */
  raw: string | undefined;
  max_bytes: number;
  /** Folder of the file. */
  folder: string;
  /** Counts received bytes. */
  body: Pick<Body, 'keep'>;
}

/** Processes a body. */
interface Receiver {
  sink: Writable;
  /** Resolves when the file is written, after the sink has ended. */
  written(): Promise<void>;
  input(): Record<string, unknown>;
  remove(): Promise<void>;
}

/**
 * Receives the body of an upload: its fields, and one file, which is streamed to disk with backpressure.
 *
 * @throws `unsupported_media_type`, `payload_too_large`, `malformed_request`, `disk_full`, `disk_low`, `rate_limited` and `server_busy` if
 * too much is in progress; the file is deleted then
 */
export async function receiveUpload(req: IncomingMessage, options: UploadOptions): Promise<Upload> {
  const receiver = await receiverOf(req, options);
  try {
    if (Number(req.headers['content-length'] ?? 0) > options.max_bytes) throw tooLarge();
    pace(req);
    await receive(req, receiver.sink, byteLimit(options));
    await receiver.written();
    return { input: receiver.input(), remove: () => receiver.remove() };
  } catch (fault) {
    // Drain the rest, so that the client can read the response.
    req.resume();
    await receiver.remove();
    throw asDiskFull(fault) ?? asMalformed(fault);
  }
}

const typeShape = /^\s*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)\s*(?:;|$)/;

async function receiverOf(req: IncomingMessage, { raw, folder }: UploadOptions): Promise<Receiver> {
  const header = req.headers['content-type'];
  const type = header === undefined ? undefined : typeShape.exec(header)?.[1]?.toLowerCase();
  if (header !== undefined && type === undefined) throw malformed('its Content-Type is malformed');
  if (type === 'multipart/form-data') return Multipart.begin(header ?? '', folder);
  if (type !== undefined && type === raw) return bare(folder);
  throw fail('unsupported_media_type', `The body must be multipart/form-data${raw === undefined ? '' : ` or ${raw}`}`);
}

/** Returns a receiver for a body that is the file itself. */
function bare(folder: string): Receiver {
  const file = new UploadFile(folder);
  return {
    sink: file.out,
    written: async () => undefined,
    input: () => ({ file: { filename: '', path: file.path, bytes: file.bytes } }),
    remove: () => file.remove(),
  };
}

/** Reads a body to its end with backpressure. Errors don't destroy the request, because it still needs a response. */
async function receive(req: IncomingMessage, sink: Writable, measured: Transform): Promise<void> {
  const unpacker = unpackerOf(req);
  const first = unpacker ?? measured;
  const broken = () => {
    if (!req.readableEnded) first.destroy(fail('malformed_request', 'The request ended before its body'));
  };
  req.once('error', broken).once('close', broken);
  // A parser may finish before the end of the body: discard the rest, or the pipeline would never end.
  sink.once('finish', () => setImmediate(() => measured.resume()));
  if (req.destroyed) broken();
  else req.pipe(first);
  try {
    await (unpacker ? pipeline(unpacker, measured, sink) : pipeline(measured, sink));
  } finally {
    req.unpipe(first);
  }
}

function byteLimit({ max_bytes, body }: UploadOptions): Transform {
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
  throw fail('unsupported_media_type', 'The body may be compressed with gzip or deflate only');
}

/** Converts errors of the parser or decompressor (which have a code) to `malformed_request`; system errors have a `syscall` and stay. */
function asMalformed(fault: unknown): unknown {
  if (isFailure(fault) || !(fault instanceof Error) || 'syscall' in fault) return fault;
  return malformed('code' in fault ? 'its compression is damaged or of another type' : fault.message);
}

function tooLarge() {
  return fail('payload_too_large', 'The body is larger than is allowed here');
}
