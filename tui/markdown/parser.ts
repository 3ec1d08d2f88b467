import { createRequire } from 'node:module';
import type { MarkdownIt, Token } from 'markdown-it';

const require = createRequire(import.meta.url);

/** Limit of nested quotes and lists, each list counting twice. Beyond it the parser drops text. */
const max_nesting = 40;

let parser: MarkdownIt | undefined;

/**
 * Returns the parser. It is required at the first text instead of imported, because loading takes 20 ms. Of the parsers, markdown-it has
 * a limit of nesting and takes time in proportion to the text; marked overflows the stack on 10,000 nested quotes. HTML stays text.
 * Definitions of links (`[a]: address`) stay text too, so that each block can be rendered without those that follow.
 */
function loaded(): MarkdownIt {
  if (parser !== undefined) return parser;
  const create = require('markdown-it') as typeof import('markdown-it').default;
  parser = create({ html: false, maxNesting: max_nesting }).disable('reference');
  return parser;
}

/** Returns the tokens of a text, without those of the text within its blocks. */
export function blockTokens(text: string): Token[] {
  const tokens: Token[] = [];
  loaded().block.parse(text, loaded(), {}, tokens);
  return tokens;
}

/** Returns all tokens of a text; undefined if it is nested too deeply. */
export function tokensOf(text: string): Token[] | undefined {
  const tokens = loaded().parse(text, {});
  return tokens.some(({ level }) => level >= max_nesting - 1) ? undefined : tokens;
}

/** Returns whether a link's text is the same as its address. */
export function isAddress(text: string, href: string): boolean {
  return [text, `mailto:${text}`].some((address) => address === href || loaded().normalizeLink(address) === href);
}
