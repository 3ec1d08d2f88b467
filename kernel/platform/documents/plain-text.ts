import type { Pages } from './pages.js';
import { Refusal } from './refusal.js';

/** Byte order marks, and the encoding that each means. */
const marks: readonly (readonly [mark: readonly number[], encoding: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/** Share of control characters above which bytes are no text. */
const max_controls = 0.01;
const sample_bytes = 65_536;

/** Characters of windows-1252 from 0x80 on that differ from Latin-1. Node 20 decodes both alike. */
const from_0x80 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/**
 * Decodes text by its mark or the encoding that it declares, else as UTF-8, or as windows-1252 if it isn't valid UTF-8.
 *
 * @throws `unknown` if the bytes are no text
 */
export function decodeText(bytes: Buffer, declared?: string): string {
  const marked = marks.find(([mark]) => mark.every((byte, index) => bytes[index] === byte))?.[1];
  if (marked !== undefined) return new TextDecoder(marked).decode(bytes);
  if (isBinary(bytes.subarray(0, sample_bytes))) throw new Refusal('unknown');
  const text = declared === undefined ? undefined : decoded(bytes, declared);
  return text ?? decoded(bytes, 'utf-8') ?? decodeWindows(bytes);
}

/** Returns undefined if the encoding is unknown or the bytes are invalid in it. */
function decoded(bytes: Buffer, encoding: string): string | undefined {
  try {
    const decoder = new TextDecoder(encoding, { fatal: true });
    return decoder.encoding === 'windows-1252' ? decodeWindows(bytes) : decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function decodeWindows(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[\u0080-\u009f]/g, (character) => from_0x80[character.charCodeAt(0) - 0x80] ?? character);
}

function isBinary(sample: Buffer): boolean {
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0) return true;
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d) controls += 1;
  }
  return controls > sample.length * max_controls;
}

/** Reads plain text, CSV included, line by line. */
export function readPlainText(bytes: Buffer, pages: Pages): void {
  for (const line of linesOf(decodeText(bytes))) pages.add(line);
}

/** The lines of a text. One at a time, because a list of all would take as much memory again. */
export function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    yield text.slice(start, end === -1 ? undefined : end).replace(/\r$/, '');
    if (end === -1) return;
    start = end + 1;
  }
}
