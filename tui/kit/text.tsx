import { Text as InkText } from 'ink';
import { Children, type ReactNode } from 'react';
import { harmless } from '../../kernel/client/terminal-text.js';
import { useDashboard } from './context.js';

/** How a text is meant; its colour follows from it. */
export type Kind = 'good' | 'bad' | 'warn' | 'dim' | 'strong';

export interface TextProps {
  kind?: Kind | undefined;
  /** Shown as the one that is chosen. */
  chosen?: boolean | undefined;
  /** On several lines where it is too long. Default: it is cut. */
  wrap?: boolean | undefined;
  children?: ReactNode;
}

const styles = {
  good: { color: 'green' },
  bad: { color: 'red' },
  warn: { color: 'yellow' },
  dim: { dimColor: true },
  strong: { bold: true },
} as const;

/** Text without what a terminal would obey, cut to its place; coloured where that is wanted. */
export function Text({ kind, chosen = false, wrap = false, children }: TextProps) {
  const { coloured } = useDashboard();
  const style = coloured && kind ? styles[kind] : {};
  return (
    <InkText {...style} inverse={coloured && chosen} wrap={wrap ? 'wrap' : 'truncate-end'}>
      {Children.map(children, (child) => (typeof child === 'string' ? harmless(child).replaceAll('\t', '  ') : child))}
    </InkText>
  );
}
