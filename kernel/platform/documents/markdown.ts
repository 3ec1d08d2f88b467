import createParser, { type Token } from 'markdown-it';
import { max_characters } from './limits.js';
import { Full, type Pages } from './pages.js';
import { decodeText, linesOf } from './plain-text.js';

/** Reads Markdown as it was written, with its headings as the outline. */
export function readMarkdown(bytes: Buffer, pages: Pages): void {
  const whole = decodeText(bytes);
  // The parser takes many times the memory of the text. A little more than is read is enough.
  const text = whole.slice(0, 2 * max_characters).replace(/\r\n?/g, '\n');
  const titles = headingsOf(text);
  let number = 0;
  for (const line of linesOf(text)) {
    const title = titles.get(number);
    if (title === undefined) pages.add(line);
    else pages.addHeading(title, line);
    number += 1;
  }
  if (whole.length > 2 * max_characters) throw new Full();
}

/** Returns the number of each heading's first line, and its title. Headings in quotes, lists and code don't count. */
function headingsOf(text: string): ReadonlyMap<number, string> {
  const parser = createParser({ html: true });
  const tokens: Token[] = [];
  parser.block.parse(text, parser, {}, tokens);
  return new Map(
    tokens.flatMap((token, index) => {
      const isHeading = token.type === 'heading_open' && token.level === 0 && token.map !== null;
      return isHeading ? [[token.map?.[0] ?? 0, tokens[index + 1]?.content ?? ''] as const] : [];
    }),
  );
}
