import type { IncomingMessage } from 'node:http';
import { createGunzip, createInflate, type Gunzip, type Inflate } from 'node:zlib';
import { fail } from '../contract/failure.js';
import { asDiskFull } from '../disk-full.js';
import { malformed } from './multipart/malformed.js';
import { MultipartParser } from './multipart/parser.js';
import { ReceivedParts } from './multipart/received.js';
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
}

/** Takes a body apart. */
interface Receiver {
  push(chunk: Buffer): void;
  /** After the last byte. */
  finish(): void;
  file(): UploadFile | undefined;
  input(): Record<string, unknown>;
}

/**
 * Receives the body of an upload: its fields, and its one file, which is written as it arrives and no faster than that.
 *
 * @throws `unsupported_media_type`, `payload_too_large`, `malformed_request`, `disk_full`; then nothing is left of it
 */
export async function receiveUpload(req: IncomingMessage, options: UploadOptions): Promise<Upload> {
  const receiver = receiverOf(req, options);
  try {
    if (Number(req.headers['content-length'] ?? 0) > options.max_bytes) throw tooLarge();
    pace(req);
    await receive(req, receiver, options.max_bytes);
    receiver.finish();
    const input = receiver.input();
    await receiver.file()?.close();
    return { input, remove: async () => receiver.file()?.remove() };
  } catch (fault) {
    // The rest is read and dropped, so that the client gets to read the answer.
    req.resume();
    await receiver.file()?.remove();
    throw asDiskFull(fault) ?? fault;
  }
}

const typeShape = /^\s*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)\s*(?:;|$)/;
const boundaryShape = /;\s*boundary=(?:"([^"]+)"|([^;"\s]+))/gi;

function receiverOf(req: IncomingMessage, { raw, folder }: UploadOptions): Receiver {
  const header = req.headers['content-type'];
  const type = header === undefined ? undefined : typeShape.exec(header)?.[1]?.toLowerCase();
  if (header !== undefined && type === undefined) throw malformed('its Content-Type is none');
  if (type === 'multipart/form-data') return multipart(boundaryOf(header ?? ''), folder);
  if (type !== undefined && type === raw) return bare(folder);
  throw fail('unsupported_media_type', `The body must be multipart/form-data${raw === undefined ? '' : ` or ${raw}`}`);
}

function boundaryOf(header: string): string {
  const [found, second] = [...header.matchAll(boundaryShape)];
  const boundary = found?.[1] ?? found?.[2];
  if (boundary === undefined || second) throw malformed('its Content-Type has not one boundary');
  return boundary;
}

function multipart(boundary: string, folder: string): Receiver {
  const parts = new ReceivedParts(folder);
  const parser = new MultipartParser(boundary, parts);
  return {
    push: (chunk) => parser.push(chunk),
    finish: () => parser.finish(),
    file: () => parts.file?.written,
    input: () => parts.input(),
  };
}

/** The whole body is the file. */
function bare(folder: string): Receiver {
  const file = new UploadFile(folder);
  return {
    push: (chunk) => file.add(chunk),
    finish: () => undefined,
    file: () => file,
    input: () => ({ file: { filename: '', path: file.path, bytes: file.bytes } }),
  };
}

/** Reads a body to its end, no faster than it is taken. */
function receive(req: IncomingMessage, receiver: Receiver, max_bytes: number): Promise<void> {
  const source = unpacked(req);
  let size = 0;
  return new Promise((resolve, reject) => {
    const refuse = (fault: unknown) => {
      source.off('data', take);
      if (source !== req) req.unpipe(source as Unpacker);
      if (source !== req) source.destroy();
      reject(fault as Error);
    };
    const take = (chunk: Buffer) => {
      try {
        size += chunk.length;
        if (size > max_bytes) throw tooLarge();
        receiver.push(chunk);
        const room = receiver.file()?.room();
        if (room === undefined) return;
        source.pause();
        room.then(() => source.resume(), refuse);
      } catch (fault) {
        refuse(fault);
      }
    };
    const broken = () => {
      if (!req.readableEnded) refuse(fail('malformed_request', 'The request ended before its body'));
    };
    if (req.destroyed) return broken();
    req.once('error', broken).once('close', broken);
    if (source !== req) source.once('error', () => refuse(malformed('it is not compressed as it says')));
    source.on('data', take).once('end', resolve);
  });
}

type Unpacker = Gunzip | Inflate;

function unpacked(req: IncomingMessage): IncomingMessage | Unpacker {
  const encoding = req.headers['content-encoding'];
  if (encoding === 'gzip') return req.pipe(createGunzip());
  return encoding === 'deflate' ? req.pipe(createInflate()) : req;
}

function tooLarge() {
  return fail('payload_too_large', 'The body is larger than is allowed here');
}
