import { LRUCache } from 'lru-cache';
import { useRef } from 'react';
import { blocksOf } from '../markdown/blocks.js';
import { renderBlock, withoutGap } from '../markdown/render.js';
import { useDashboard } from './context.js';

/** Limit of cached texts, in characters. */
const max_cached = 2_000_000;

/**
 * Returns a function that formats Markdown as lines of at most `columns`. Formatted blocks are cached, because a log is drawn often, and
 * a text that is being written changes in its last block only.
 */
export function useMarkdown(columns: number): (text: string) => readonly string[] {
  const { coloured } = useDashboard();
  const cache = useRef<{ columns: number; blocks: LRUCache<string, string[]> }>(undefined);
  if (cache.current?.columns !== columns) cache.current = { columns, blocks: newCache() };
  const { blocks } = cache.current;
  const cached = (key: string, lines: () => string[]) => {
    const found = blocks.get(key) ?? lines();
    blocks.set(key, found);
    return found;
  };
  const options = { width: columns, color: coloured, breaksWords: true };
  const linesOf = (block: string) => cached(`block ${block}`, () => renderBlock(block, options));
  return (text) => cached(`text ${text}`, () => withoutGap(blocksOf(text).flatMap(linesOf)));
}

function newCache(): LRUCache<string, string[]> {
  return new LRUCache({ maxSize: max_cached, sizeCalculation: (_lines, key) => key.length });
}
