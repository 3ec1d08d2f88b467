const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** The start of a text on one line, at most so many characters. */
export function startOf(text: string, length: number): string {
  const line = text
    .slice(0, length * 8)
    .replace(/\s+/g, ' ')
    .trim();
  return Array.from(line).slice(0, length).join('');
}

/** The text without what a database can't keep as it is: half characters and NUL, each replaced by U+FFFD. */
export function storable(text: string): string {
  return text.replace(loneSurrogate, '\uFFFD').replaceAll('\0', '\uFFFD');
}

/** Pieces of at most `length` characters; none ends within one. */
export function* piecesOf(text: string, length: number): Generator<string> {
  let start = 0;
  while (start < text.length) {
    let end = Math.min(start + length, text.length);
    if (end < text.length && isHighSurrogate(text, end - 1)) end -= 1;
    yield text.slice(start, end);
    start = end;
  }
}

/** As much of a text's start as has at most so many bytes in JSON, its quotes apart; it doesn't end within a character. */
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

/** Whether the first half of a two-part character stands at this place. */
export function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Characters as databases count them: one for each code point. */
export function charactersIn(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at += 1) if (isHighSurrogate(text, at)) count -= 1;
  return count;
}
