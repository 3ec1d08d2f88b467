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

/** Share of the pairs of bytes in Chinese text that are common characters or punctuation of GB 2312. */
const min_common_pairs = 0.9;
/** Share of characters of ASCII from which text is UTF-16 without a mark. */
const min_ascii = 0.4;

/** Characters of windows-1252 from 0x80 on that differ from Latin-1. Node 20 decodes windows-1252 as Latin-1. */
const from_0x80 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/**
 * Decodes text by its mark or the encoding that it declares, else as UTF-8. Text that isn't valid UTF-8 is decoded as GB 18030 if it looks
 * Chinese, else as windows-1252.
 *
 * @throws `unknown` if the bytes are no text
 */
export function decodeText(bytes: Buffer, declared?: string): string {
  const marked = marks.find(([mark]) => mark.every((byte, index) => bytes[index] === byte))?.[1];
  if (marked !== undefined) return new TextDecoder(marked).decode(bytes);
  const sample = bytes.subarray(0, sample_bytes);
  const wide = wideEncoding(sample);
  if (wide !== undefined) return new TextDecoder(wide).decode(bytes);
  if (isBinary(sample)) throw new Refusal('unknown');
  const text = declared === undefined ? undefined : decoded(bytes, declared);
  return text ?? decoded(bytes, 'utf-8') ?? (isChinese(sample) ? decoded(bytes, 'gb18030') : undefined) ?? decodeWindows(bytes);
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

/** Recognises UTF-16 without a mark by the zeros beside the characters of ASCII. */
function wideEncoding(sample: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  let little = 0;
  let big = 0;
  for (let at = 0; at < sample.length - 1; at += 2) {
    const [first = 0, second = 0] = [sample[at], sample[at + 1]];
    if (second === 0 && isTextByte(first)) little += 1;
    else if (first === 0 && isTextByte(second)) big += 1;
    else if (first === 0 || second === 0) return undefined;
  }
  const min = (sample.length / 2) * min_ascii;
  if (little > min && big === 0) return 'utf-16le';
  return big > min && little === 0 ? 'utf-16be' : undefined;
}

/**
 * Returns whether bytes are pairs of GB 2312. In Western text most bytes above 127 stand alone; in Cyrillic and Greek text the first one of a
 * pair is often beyond the common characters, which end at 0xD7.
 */
function isChinese(sample: Buffer): boolean {
  let pairs = 0;
  let common = 0;
  for (let at = 0; at < sample.length - 1; at += 1) {
    const [first = 0, second = 0] = [sample[at], sample[at + 1]];
    if (first < 0x80) continue;
    pairs += 1;
    if (second >= 0xa1 && (first <= 0xa3 ? first >= 0xa1 : first >= 0xb0 && first <= 0xd7)) common += 1;
    at += 1;
  }
  return pairs > 0 && common >= pairs * min_common_pairs;
}

function isBinary(sample: Buffer): boolean {
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0) return true;
    if (!isTextByte(byte)) controls += 1;
  }
  return controls > sample.length * max_controls;
}

function isTextByte(byte: number): boolean {
  return byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0c || byte === 0x0d;
}

/** Reads plain text, CSV included, line by line. */
export function readPlainText(bytes: Buffer, pages: Pages): void {
  for (const line of linesOf(decodeText(bytes))) pages.add(line);
}

/** Yields the lines of a text. A list of all would take as much memory again. */
export function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    yield text.slice(start, end === -1 ? undefined : end).replace(/\r$/, '');
    if (end === -1) return;
    start = end + 1;
  }
}
