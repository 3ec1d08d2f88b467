import { Text as InkText } from 'ink';
import { Children, type ReactNode } from 'react';
import { harmless } from '../../kernel/client/terminal-text.js';
import { useDashboard } from './context.js';

/** Meaning of a text; determines its colour. */
export type Kind = 'good' | 'bad' | 'warn' | 'dim' | 'strong';

export interface TextProps {
  kind?: Kind | undefined;
  /** Whether it is highlighted as selected. */
  chosen?: boolean | undefined;
  /** Whether a long text is wrapped. Default: it is truncated. */
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

/** Draws text without control characters, truncated to its space; coloured if the dashboard is. */
export function Text({ kind, chosen = false, wrap = false, children }: TextProps) {
  const { coloured } = useDashboard();
  const style = coloured && kind ? styles[kind] : {};
  return (
    <InkText {...style} inverse={coloured && chosen} wrap={wrap ? 'wrap' : 'truncate-end'}>
      {Children.map(children, (child) => (typeof child === 'string' ? harmless(child).replaceAll('\t', '  ') : child))}
    </InkText>
  );
}
