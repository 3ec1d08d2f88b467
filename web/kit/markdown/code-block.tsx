import { Fragment, type ReactNode, useEffect, useMemo, useState } from 'react';
import { CopyButton } from '../components/code.js';
import { revealed } from '../components/hidden-characters.js';
import { scrollable } from '../components/scrollable.js';
import { useWords } from '../components/words.js';
import type { CodeToken } from './highlight.js';

export interface CodeBlockProps {
  text: string;
  /** As behind a Markdown fence: `ts`, `python`. */
  language?: string | undefined;
}

/** Longer code stays plain: colouring it would hold the page. */
const max_length = 60_000;

/**
 * Shows code with its language, a button to copy it, and in colour once the colours are loaded. Hidden characters stand in words; what is
 * copied has them.
 */
export function CodeBlock({ text, language }: CodeBlockProps) {
  const words = useWords();
  const shownText = useMemo(() => revealed(text), [text]);
  const tokens = useTokens(shownText, language);
  return (
    <div className="kit-code kit-code-block">
      <div className="kit-code-head">
        <span>{language}</span>
        <CopyButton text={text} label={words.copyCode} />
      </div>
      <pre ref={scrollable}>
        <code>{tokens === undefined ? shownText : tokens.map(shown)}</code>
      </pre>
    </div>
  );
}

function shown(token: CodeToken, place: number): ReactNode {
  if (typeof token === 'string') return <Fragment key={place}>{token}</Fragment>;
  return (
    <span key={place} className={token.className}>
      {token.children.map(shown)}
    </span>
  );
}

type Highlight = (text: string, language: string) => readonly CodeToken[] | undefined;

/** Loaded with the first block that names a language; from then on code is coloured as it is written, without a plain moment. */
let loaded: Highlight | undefined;

/** Returns the code in tokens; undefined while the colours load, and for a language that nobody knows. */
function useTokens(text: string, language: string | undefined): readonly CodeToken[] | undefined {
  const [highlight, setHighlight] = useState(() => loaded);
  const isWanted = language !== undefined && text.length <= max_length;
  useEffect(() => {
    if (!isWanted || highlight !== undefined) return;
    let isCurrent = true;
    void import('./highlight.js').then(
      (found) => {
        loaded = found.highlight;
        if (isCurrent) setHighlight(() => found.highlight);
      },
      // Without the colours the code can still be read.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [isWanted, highlight]);
  return useMemo(() => (isWanted ? highlight?.(text, language) : undefined), [highlight, isWanted, text, language]);
}
