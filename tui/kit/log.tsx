import { Box, Text as InkText } from 'ink';
import { harmless } from '../../kernel/client/terminal-text.js';
import { cut, wrapped } from './cells.js';
import { useFocus, useSpace } from './context.js';
import type { LogLine } from './log-line.js';
import { Text } from './text.js';
import { useMarkdown } from './use-markdown.js';
import { useScroll } from './use-scroll.js';

export interface LogProps {
  lines: readonly LogLine[];
  /** Whether it starts at the end and follows it. Default true. */
  follow?: boolean | undefined;
  /** Whether long lines are wrapped. Default false: they are truncated. */
  wrap?: boolean | undefined;
  /** Height in lines. Default: the whole space. */
  height?: number | undefined;
  /** Default true. */
  active?: boolean | undefined;
}

/** Limit of the lines shown; older ones are dropped. */
const max_lines = 5_000;

/** Shows scrollable text. It follows its end until the person scrolls up, and again once they return to the end. */
export function Log({ lines, follow = true, wrap = false, height, active = true }: LogProps) {
  const { columns, rows } = useSpace();
  const hasKeys = useFocus() && active;
  const room = Math.max(1, height ?? rows);
  const markdownLines = useMarkdown(columns);
  const shown = lines.slice(-max_lines).flatMap((line): ShownLine[] => {
    if (typeof line === 'string') return linesOf(line, columns, wrap).map((text) => ({ text, isFormatted: false }));
    return markdownLines(line.markdown).map((text) => ({ text, isFormatted: true }));
  });
  const top = useScroll({ count: shown.length, room, follow, active: hasKeys });
  return (
    <Box flexDirection="column" flexShrink={0} height={room} overflow="hidden">
      {shown.slice(top, top + room).map(({ text, isFormatted }, index) =>
        isFormatted && text !== '' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no identity but its position
          <InkText key={index} wrap="truncate-end">
            {text}
          </InkText>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no identity but its position
          <Text key={index}>{text === '' ? ' ' : text}</Text>
        ),
      )}
    </Box>
  );
}

/** A line that fits. Formatted Markdown contains the codes of its styles, and no other control characters. */
interface ShownLine {
  text: string;
  isFormatted: boolean;
}

function linesOf(line: string, columns: number, wrap: boolean): string[] {
  const plain = harmless(line).replaceAll('\t', '  ').split('\n');
  return wrap ? plain.flatMap((each) => wrapped(each, columns)) : plain.map((each) => cut(each, columns));
}
