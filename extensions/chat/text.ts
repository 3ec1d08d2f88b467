const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Characters of a message that become the title of the session that it opens. */
export const title_length = 40;

/** Returns the start of a text on one line, at most `length` characters. */
export function startOf(text: string, length: number): string {
  const line = text
    .slice(0, length * 8)
    .replace(/\s+/g, ' ')
    .trim();
  return Array.from(line).slice(0, length).join('');
}

/** The parts of a message that its preview shows. */
interface Previewed {
  content: string;
  images: readonly { name?: string }[];
  files: readonly { name: string }[];
}

/** Returns the preview of a message for lists, on one line: the start of its text, or the name of its first image or file. */
export function previewOf({ content, images: [image], files: [file] }: Previewed, length: number): string {
  return startOf(content, length) || startOf(image?.name ?? (image ? 'Image' : (file?.name ?? '')), length);
}

/** The parts of a message that searches look at. */
export interface Searched {
  content: string;
  files: readonly { id: string; name: string }[];
}

/** Length of the searched part of a message's text with the names of its files, in UTF-16 units. */
const max_own_text = 65_536;
/** Length of the searched part of a file's text. */
export const max_file_text = 65_536;
/** Length of the searched parts of all files' texts of a message. */
const max_file_texts = 262_144;
/** Length of a message's searched text, with a line break before each of its files' texts. */
export const max_searched_text = max_own_text + max_file_texts + 10;

/**
 * Returns the text of a message that searches look at: its content, then the names of its files, a line each, and then the beginnings of
 * their texts. More than four files get an equal share of the length.
 */
export function searchedText({ content, files }: Searched, texts?: ReadonlyMap<string, string>): string {
  const lines = [content, ...files.map(({ name }) => name)].filter((text) => text !== '');
  const share = Math.min(max_file_text, Math.floor(max_file_texts / files.length));
  const found = files.flatMap(({ id }) => firstUnits(texts?.get(id) ?? '', share) || []);
  return [firstUnits(lines.join('\n'), max_own_text), ...found].join('\n');
}

/** Returns the first UTF-16 units of a text, never ending within a character. */
export function firstUnits(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, isHighSurrogate(text, length - 1) ? length - 1 : length);
}

/** Replaces characters that a database can't store, lone surrogates and NUL, by U+FFFD. */
export function storable(text: string): string {
  return text.replace(loneSurrogate, '\uFFFD').replaceAll('\0', '\uFFFD');
}

/** Splits a text into slices of at most `length` UTF-16 units, never within a surrogate pair. */
export function* slicesOf(text: string, length: number): Generator<string> {
  let start = 0;
  while (start < text.length) {
    let end = Math.min(start + length, text.length);
    if (end < text.length && isHighSurrogate(text, end - 1)) end -= 1;
    yield text.slice(start, end);
    start = end;
  }
}

/** Returns the longest start of a text with at most `bytes` bytes in JSON, without its quotes and never ending within a character. */
export function startInJson(text: string, bytes: number): string {
  if (text.length <= bytes && bytesInJson(text) <= bytes) return text;
  let [fits, too_long] = [0, Math.min(text.length, bytes) + 1];
  while (too_long - fits > 1) {
    const length = (fits + too_long) >> 1;
    if (bytesInJson(text.slice(0, length)) <= bytes) fits = length;
    else too_long = length;
  }
  return text.slice(0, fits > 0 && isHighSurrogate(text, fits - 1) ? fits - 1 : fits);
}

const bytesInJson = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

/** Returns whether a high surrogate is at this index. */
export function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Returns the number of code points, as databases count characters. */
export function charactersIn(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at += 1) if (isHighSurrogate(text, at)) count -= 1;
  return count;
}
