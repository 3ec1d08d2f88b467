import { Box } from 'ink';
import { harmless } from '../../kernel/client/terminal-text.js';
import { cut, wrapped } from './cells.js';
import { useFocus, useSpace } from './context.js';
import { Text } from './text.js';
import { useScroll } from './use-scroll.js';

export interface LogProps {
  lines: readonly string[];
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
  const shown = linesOf(lines, columns, wrap);
  const top = useScroll({ count: shown.length, room, follow, active: hasKeys });
  return (
    <Box flexDirection="column" flexShrink={0} height={room} overflow="hidden">
      {shown.slice(top, top + room).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no identity but its position
        <Text key={index}>{line === '' ? ' ' : line}</Text>
      ))}
    </Box>
  );
}

function linesOf(lines: readonly string[], columns: number, wrap: boolean): string[] {
  const plain = lines.slice(-max_lines).flatMap((line) => harmless(line).replaceAll('\t', '  ').split('\n'));
  return wrap ? plain.flatMap((line) => wrapped(line, columns)) : plain.map((line) => cut(line, columns));
}
