import { Box } from 'ink';
import { useState } from 'react';
import { harmless } from '../../kernel/client/terminal-text.js';
import { cut, wrapped } from './cells.js';
import { useFocus, useSpace } from './context.js';
import type { Binding } from './keys.js';
import { Text } from './text.js';
import { useKeys } from './use-keys.js';

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
const most_lines = 5_000;

/** Text that scrolls; it follows its end until one scrolls up, and again from there. */
export function Log({ lines, follow = true, wrap = false, height, active = true }: LogProps) {
  const { columns, rows } = useSpace();
  const isMine = useFocus() && active;
  const room = Math.max(1, height ?? rows);
  const shown = linesOf(lines, columns, wrap);
  const most = Math.max(0, shown.length - room);
  // Undefined: at the end, wherever that is.
  const [from, setFrom] = useState<number | undefined>(follow ? undefined : 0);
  const top = Math.min(from ?? most, most);
  const go = (wanted: number) => setFrom(wanted >= most && follow ? undefined : Math.max(0, Math.min(wanted, most)));
  useKeys(scrolling(top, room, most, go), isMine);
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
  const plain = lines.slice(-most_lines).flatMap((line) => harmless(line).replaceAll('\t', '  ').split('\n'));
  return wrap ? plain.flatMap((line) => wrapped(line, columns)) : plain.map((line) => cut(line, columns));
}

function scrolling(top: number, room: number, most: number, go: (wanted: number) => void): Binding[] {
  const move = (keys: readonly string[], label: string, wanted: number): Binding[] =>
    keys.map((key) => ({ key, label, quiet: true, run: () => go(wanted) }));
  return [
    ...move(['up', 'k'], 'up', top - 1),
    ...move(['down', 'j'], 'down', top + 1),
    ...move(['pgup'], 'a page up', top - room),
    ...move(['pgdn', ' '], 'a page down', top + room),
    ...move(['g', 'home'], 'to the beginning', 0),
    ...move(['G', 'end'], 'to the end', most),
  ];
}
