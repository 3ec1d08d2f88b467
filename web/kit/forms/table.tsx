import { type KeyboardEvent, type ReactNode, type SyntheticEvent, useMemo, useState } from 'react';
import { Cell, Column as RacColumn, Table as RacTable, Row, TableBody, TableHeader } from 'react-aria-components/Table';
import { Button } from '../components/button.js';
import { classes } from '../components/classes.js';
import { Icon } from '../components/icon.js';
import { useWords } from '../components/words.js';

export interface Column<Item> {
  id: string;
  label: string;
  /** Returns the content of the cell. */
  show: (item: Item) => ReactNode;
  /** Value by which the table sorts; a column without it can't be sorted, unless the table has `onSort`. */
  sortBy?: ((item: Item) => string | number | null | undefined) | undefined;
  /** Whether it holds numbers: aligned at the end, digits of one width. */
  isNumeric?: boolean | undefined;
  /** Whether it may go where there is little room. */
  isExtra?: boolean | undefined;
  /** Whether the label is for screen readers only, as for a column of buttons. */
  hidesLabel?: boolean | undefined;
  /** CSS width, such as `8rem` or `30%`. */
  width?: string | undefined;
}

export interface Sort {
  /** Id of a column. */
  by: string;
  isDown: boolean;
}

export interface TableProps<Item> {
  /** Name of the table for screen readers. */
  label: string;
  /** The first column names the row. */
  columns: readonly Column<Item>[];
  rows: readonly Item[];
  /** Returns the row's identity. Default: its `id`. */
  idOf?: ((item: Item) => string | number) | undefined;
  /** Order at the beginning, or the order in force where `onSort` is given. */
  sort?: Sort | undefined;
  /** Sorts elsewhere, such as on the server. */
  onSort?: ((sort: Sort) => void) | undefined;
  /** Called when a row is pressed or Enter is pressed on it. */
  onOpen?: ((item: Item) => void) | undefined;
  /** Shown instead of rows, usually an `Empty`. */
  empty?: ReactNode;
}

/** Rows that are drawn at first, and more by each press of a button: a thousand take a browser longer than a person waits. */
const max_drawn = 200;

/** Shows rows in columns. The arrows move through it, Enter opens a row, the headings sort. */
export function Table<Item extends object>(props: TableProps<Item>) {
  const { label, columns, rows, idOf = ownId, onSort, onOpen, empty } = props;
  const words = useWords();
  const [own, setOwn] = useState(props.sort);
  const sort = onSort ? props.sort : own;
  const sorted = useMemo(() => (onSort ? rows : sortRows(rows, columns, sort)), [rows, columns, sort, onSort]);
  const [limit, setLimit] = useState(max_drawn);
  const drawn = sorted.slice(0, limit);
  const known = new Map(drawn.map((item) => [idOf(item), item]));
  if (rows.length === 0 && empty !== undefined) return empty;
  return (
    <div className="kit-table-frame">
      <RacTable
        aria-label={label}
        className={classes('kit-table', onOpen && 'kit-table-opens')}
        {...(sort && { sortDescriptor: { column: sort.by, direction: sort.isDown ? ('descending' as const) : ('ascending' as const) } })}
        onSortChange={({ column, direction }) => (onSort ?? setOwn)({ by: String(column), isDown: direction === 'descending' })}
        {...(onOpen && { onRowAction: (id: string | number) => onOpen(known.get(id) as Item) })}
      >
        <TableHeader>
          {columns.map((column, place) => (
            <Head key={column.id} column={column} isFirst={place === 0} isSorted={onSort !== undefined || column.sortBy !== undefined} />
          ))}
        </TableHeader>
        <TableBody>
          {drawn.map((item) => (
            <Row key={idOf(item)} id={idOf(item)} className="kit-table-row">
              {columns.map((column) => (
                <Cell key={column.id} className={cellClass(column)}>
                  <CellContent>{column.show(item)}</CellContent>
                </Cell>
              ))}
            </Row>
          ))}
        </TableBody>
      </RacTable>
      {drawn.length < sorted.length && (
        <Button kind="quiet" icon="down" onClick={() => setLimit(limit + max_drawn)}>
          {words.more} ({sorted.length - drawn.length})
        </Button>
      )}
    </div>
  );
}

/** Keeps presses on a button or link within a row from opening the row too. */
function CellContent({ children }: { children: ReactNode }) {
  const keep = (event: SyntheticEvent) => {
    if ((event.target as Element).closest('a, button, input, select, label') !== null) event.stopPropagation();
  };
  const keepKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ' ') keep(event);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it handles nothing, it keeps what others handle
    <div className="kit-cell-content" onPointerDown={keep} onMouseDown={keep} onClick={keep} onKeyDown={keepKey} onKeyUp={keepKey}>
      {children}
    </div>
  );
}

function Head<Item>({ column, isFirst, isSorted }: { column: Column<Item>; isFirst: boolean; isSorted: boolean }) {
  return (
    <RacColumn
      id={column.id}
      isRowHeader={isFirst}
      allowsSorting={isSorted}
      className={cellClass(column)}
      style={column.width === undefined ? {} : { width: column.width }}
    >
      {({ sortDirection }) => (
        <span className="kit-table-head">
          <span className={column.hidesLabel ? 'kit-hidden' : undefined}>{column.label}</span>
          {sortDirection && <Icon name={sortDirection === 'ascending' ? 'sort-up' : 'sort-down'} size={14} />}
        </span>
      )}
    </RacColumn>
  );
}

function cellClass<Item>({ isNumeric, isExtra }: Column<Item>): string {
  return classes('kit-cell', isNumeric && 'kit-cell-numeric', isExtra && 'kit-cell-extra');
}

function ownId(item: object): string | number {
  return (item as { id: string | number }).id;
}

function sortRows<Item>(rows: readonly Item[], columns: readonly Column<Item>[], sort: Sort | undefined): readonly Item[] {
  const keyOf = columns.find(({ id }) => id === sort?.by)?.sortBy;
  if (!sort || !keyOf) return rows;
  const sign = sort.isDown ? -1 : 1;
  return [...rows].sort((one, other) => compare(keyOf(one) ?? undefined, keyOf(other) ?? undefined, sign));
}

type SortValue = string | number | undefined;

/** Compares two values in a direction; what is missing comes last in both. */
function compare(one: SortValue, other: SortValue, sign: 1 | -1): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  if (typeof one === 'number' && typeof other === 'number') return sign * (one - other);
  return sign * String(one).localeCompare(String(other), undefined, { numeric: true, sensitivity: 'base' });
}
