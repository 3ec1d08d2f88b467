import { Box } from 'ink';
import { harmless } from '../../kernel/client/terminal-text.js';
import { cut, wrapped } from './cells.js';
import { useFocus, useSpace } from './context.js';
import { Text } from './text.js';
import { useScroll } from './use-scroll.js';

export interface LogProps {
  lines: readonly string[];
  /** Whether it begins at its end and follows it. Default true. */
  follow?: boolean | undefined;
  /** Whether long lines go on below. Default false: they are cut. */
  wrap?: boolean | undefined;
  /** How many lines it takes. Default: the whole space. */
  height?: number | undefined;
  /** Default true. */
  active?: boolean | undefined;
}

/** Of more lines only the last are shown. */
const max_lines = 5_000;

/** Text that scrolls; it follows its end until one scrolls up, and again from there. */
export function Log({ lines, follow = true, wrap = false, height, active = true }: LogProps) {
  const { columns, rows } = useSpace();
  const isMine = useFocus() && active;
  const room = Math.max(1, height ?? rows);
  const shown = linesOf(lines, columns, wrap);
  const top = useScroll({ count: shown.length, room, follow, active: isMine });
  return (
    <Box flexDirection="column" flexShrink={0} height={room} overflow="hidden">
      {shown.slice(top, top + room).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is what stands at its place
        <Text key={index}>{line === '' ? ' ' : line}</Text>
      ))}
    </Box>
  );
}

function linesOf(lines: readonly string[], columns: number, wrap: boolean): string[] {
  const plain = lines.slice(-max_lines).flatMap((line) => harmless(line).replaceAll('\t', '  ').split('\n'));
  return wrap ? plain.flatMap((line) => wrapped(line, columns)) : plain.map((line) => cut(line, columns));
}
