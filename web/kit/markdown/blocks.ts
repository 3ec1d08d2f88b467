/** Definitions of links and footnotes act on the whole text, so a text with one stays whole. A label has at most 999 characters (CommonMark 4.7). */
const definition = /^ {0,3}\[[^\]]{1,999}\]:/m;
const fence = /^ {0,3}(`{3,}|~{3,})/;
/** A line that begins a block of its own: no list, indented line, table or quotation that may go on. */
const beginning = /^(?:#{1,6}\s|[\p{L}\p{N}"'“‘(*_`[$《「（]|[!~]\S)/u;
const list_item = /^(?:[-*+]|\d{1,9}[.)])\s/;

/**
 * Splits Markdown into blocks that mean the same alone as together. It splits only before a heading or a paragraph that follows an empty line,
 * outside of fences; so lists stay whole, and a finished block never changes while the text grows.
 */
export function blocksOf(text: string): string[] {
  if (definition.test(text)) return [text];
  const blocks: string[] = [];
  let block: string[] = [];
  let open: string | undefined;
  let isAfterEmpty = false;
  for (const line of text.split('\n')) {
    if (open === undefined && isAfterEmpty && beginning.test(line) && !list_item.test(line)) {
      blocks.push(block.join('\n'));
      block = [];
    }
    open = fenceAfter(line, open);
    isAfterEmpty = line.trim() === '';
    block.push(line);
  }
  return [...blocks, block.join('\n')];
}

/** Returns the fence that is open after a line: a closing one is at least as long as the opening one (CommonMark 4.5). */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  const found = fence.exec(line)?.[1];
  if (open === undefined) return found;
  const isClosing = found?.startsWith(open) && line.trim() === found;
  return isClosing ? undefined : open;
}
