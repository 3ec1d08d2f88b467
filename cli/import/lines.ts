import type { FileHandle } from 'node:fs/promises';

/** A line of a file, without its end. */
export interface Line {
  bytes: Buffer;
  /** Place in the file. */
  offset: number;
  /** From 1. */
  number: number;
}

/** Limit of a line: a thread is one line. */
const max_line_bytes = 64 * 1024 * 1024;
const mark = Buffer.from('\uFEFF');
const newline = 0x0a;

/** Yields the lines of a file that are not blank, without a byte order mark. They end with LF or CRLF. Throws an error for one that is too long. */
export async function* linesOf(file: FileHandle): AsyncGenerator<Line> {
  let pieces: Buffer[] = [];
  let length = 0;
  let offset = 0;
  let number = 0;
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false, highWaterMark: 1024 * 1024 })) {
    let rest = chunk as Buffer;
    for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
      pieces.push(rest.subarray(0, end));
      number += 1;
      const line = lineOf(Buffer.concat(pieces), offset, number);
      if (line) yield line;
      offset += length + end + 1;
      rest = rest.subarray(end + 1);
      pieces = [];
      length = 0;
    }
    pieces.push(rest);
    length += rest.length;
    if (length > max_line_bytes) throw new Error(`line ${number + 1} has more than ${max_line_bytes} bytes`);
  }
  const last = lineOf(Buffer.concat(pieces), offset, number + 1);
  if (last) yield last;
}

/** Reads a line again. */
export async function readLine(file: FileHandle, { offset, length }: { offset: number; length: number }): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, offset);
  return bytes.subarray(0, bytesRead);
}

function lineOf(bytes: Buffer, offset: number, number: number): Line | undefined {
  const start = offset === 0 && bytes.subarray(0, mark.length).equals(mark) ? mark.length : 0;
  const text = bytes.subarray(start);
  // Nothing but white space is no line.
  return text.some((byte) => byte > 0x20) ? { bytes: text, offset: offset + start, number } : undefined;
}
