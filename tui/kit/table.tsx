import { Box } from 'ink';
import { fit, oneLine } from './cells.js';
import { type Column, gap, layOut } from './columns.js';
import { Text } from './text.js';

export interface TableProps<Row> {
  columns: readonly Column<Row>[];
  /** Visible rows. */
  rows: readonly Row[];
  chosen: Row | undefined;
  /** Width in columns. */
  width: number;
}

const mark = 2;

/** Draws rows under a heading, a line each. */
export function Table<Row>({ columns, rows, chosen, width }: TableProps<Row>) {
  const widths = layOut(columns, rows, width - mark);
  const seen = columns.map((column, index) => ({ column, width: widths[index] ?? 0 })).filter((each) => each.width > 0);
  const space = ' '.repeat(gap);
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Text kind="strong">
        {`${' '.repeat(mark)}${seen.map(({ column, width: columns }) => fit(column.title.toUpperCase(), columns, column.align)).join(space)}`}
      </Text>
      {rows.map((row, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no identity but its position, because ids and titles may repeat
        <Text key={place} chosen={row === chosen}>
          {row === chosen ? '> ' : '  '}
          {seen.map(({ column, width: columns }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as for rows
            <Text key={index} kind={column.colour?.(row)} chosen={row === chosen}>
              {(index === 0 ? '' : space) + fit(oneLine(column.value(row)), columns, column.align)}
            </Text>
          ))}
        </Text>
      ))}
    </Box>
  );
}
