import { isUtf8 } from 'node:buffer';
import { fail } from '../../contract/failure.js';
import type { Incoming } from './incoming.js';

/*
 * Bodies are read and parsed here and passed to hapi as its payload. hapi's own reader doesn't count bytes per member (`bodies.test`),
 * closes the connection if chunks exceed the limit and misreads bytes that are not UTF-8 (`routes.test`, "bodies that are not"),
 * and answers a slow body only after its end (`slow-clients.long.test`).
 */

/** Reads a JSON object from a request; an absent body is an empty one. */
export async function readJson(req: Incoming, max_bytes: number): Promise<Record<string, unknown>> {
  if (!hasBody(req)) return {};
  const media = req.headers['content-type'];
  if (media !== undefined && !/^\s*application\/json\s*(;|$)/i.test(media)) {
    throw fail('unsupported_media_type', `The body must be application/json, not ${media.slice(0, 100)}`);
  }
  assertPlain(req);
  return parseObject(await readBytes(req, max_bytes));
}

/** Returns the content encoding of a body in lower case. */
export function encodingOf({ headers }: Pick<Incoming, 'headers'>): string {
  return headers['content-encoding']?.toLowerCase() ?? 'identity';
}

/** Fails if a body is compressed. */
export function assertPlain(req: Incoming): void {
  if (encodingOf(req) !== 'identity') throw fail('unsupported_media_type', 'The body must not be compressed');
}

/** Reads an unused body to its end: a request that is aborted or malformed in its body must have no effect. */
export async function skipBody(req: Incoming, max_bytes: number): Promise<null> {
  if (hasBody(req)) await readBytes(req, max_bytes);
  return null;
}

function hasBody(req: Incoming): boolean {
  const length = req.headers['content-length'];
  return req.headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0);
}

/** Reads the bytes of a request's body; empty if there is none. */
export async function readBody(req: Incoming, max_bytes: number): Promise<Buffer> {
  return hasBody(req) ? readBytes(req, max_bytes) : Buffer.alloc(0);
}

/** Parses a JSON object from UTF-8, with or without a byte order mark. */
function parseObject(bytes: Buffer): Record<string, unknown> {
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw fail('malformed_request', 'The body is not UTF-8');
  const value = parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw fail('malformed_request', 'The body must be a JSON object');
  }
  return value as Record<string, unknown>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw fail('malformed_request', 'The body is not valid JSON', { cause });
  }
}

/** Reads a body within its size limit, and a time limit of 10 s plus the time at 64 KiB a second; at most 300 s. */
async function readBytes(req: Incoming, max_bytes: number): Promise<Buffer> {
  const declared = Number(req.headers['content-length'] ?? 0);
  if (declared <= max_bytes) {
    const bytes = await collect(req, { max_bytes, timeout_ms: Math.min(10_000 + max_bytes / 64, 300_000) });
    if (bytes) return bytes;
    // Drain the rest, so that the client can read the response.
    req.resume();
  }
  throw fail('payload_too_large', `The body is larger than ${max_bytes} bytes`);
}

/** Collects a body; resolves with undefined if it exceeds the limit. */
function collect(req: Incoming, limits: { max_bytes: number; timeout_ms: number }): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const onBroken = () => reject(fail('malformed_request', 'The request ended before its body'));
    if (req.destroyed) return onBroken();
    const timer = setTimeout(() => end(() => reject(fail('request_timeout', 'The body did not arrive in time'))), limits.timeout_ms);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      req.off('data', onData).off('end', onEnd).off('close', onClose);
      req.pause();
      settle();
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limits.max_bytes) return end(() => resolve(undefined));
      try {
        req.body?.keep(chunk.length);
        chunks.push(chunk);
      } catch (fault) {
        end(() => reject(fault as Error));
        // Drain the rest, as for a body that is too large.
        req.resume();
      }
    };
    const onEnd = () => end(() => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    const onClose = () => end(onBroken);
    req.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}
