import { Box } from 'ink';
import { cut, fit, oneLine, widthOf } from './cells.js';
import { useSpace } from './context.js';
import { Text } from './text.js';

/** Shows labels and values, a line each. */
export function Fields({ of }: { of: readonly (readonly [label: string, value: unknown])[] }) {
  const { columns } = useSpace();
  const label_columns = Math.min(Math.max(0, ...of.map(([label]) => widthOf(label))), Math.floor(columns / 2));
  return (
    <Box flexDirection="column" flexShrink={0}>
      {of.map(([label, value]) => (
        <Text key={label}>
          <Text kind="dim">{fit(label, label_columns)}</Text>
          {`  ${cut(oneLine(value), columns - label_columns - 2)}`}
        </Text>
      ))}
    </Box>
  );
}
