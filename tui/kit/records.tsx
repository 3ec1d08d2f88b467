import { Box } from 'ink';
import { type ReactNode, useEffect, useState } from 'react';
import { harmlessJson } from '../../kernel/client/terminal-text.js';
import { fit } from './cells.js';
import type { Column } from './columns.js';
import { Depth, Space, useDashboard, useDepth, useFocus, useSpace } from './context.js';
import type { Binding } from './keys.js';
import { Log } from './log.js';
import { Question, questionLines } from './question.js';
import { Table } from './table.js';
import { Text } from './text.js';
import { useFilter } from './use-filter.js';
import { useKeys } from './use-keys.js';
import { useSelection } from './use-selection.js';

/** An action on a row. */
export interface Action<Row> {
  key: string;
  label: string;
  /** Runs the action. A promise is awaited, and its completion shows a notice. */
  run: (row: Row) => unknown;
  /** Returns a question to confirm first. */
  confirm?: (row: Row) => string;
  /** Whether the action changes something; disabled by `--readonly`. Default true. */
  changes?: boolean | undefined;
  /** Returns whether the action is available for a row. Default: for all. */
  when?: (row: Row) => boolean;
}

/** A record to open at once; it need not be among the rows. */
export interface Opening<Row> {
  row: Row;
  /** Called once it is open. */
  done: () => void;
}

export interface RecordsProps<Row> {
  /** Undefined during the first read. */
  rows: readonly Row[] | undefined;
  columns: readonly Column<Row>[];
  idOf: (row: Row) => string | number;
  actions?: readonly Action<Row>[] | undefined;
  /** Removal by ctrl-d, after a question. */
  remove?: { question: (row: Row) => string; run: (row: Row) => Promise<unknown>; when?: (row: Row) => boolean } | undefined;
  /** Renders a row in place of the list after enter. */
  details?: ((row: Row) => ReactNode) | undefined;
  opening?: Opening<Row> | undefined;
  /** Returns what `y` shows as JSON. Default: the row. */
  raw?: ((row: Row) => unknown) | undefined;
  /** Text if there are no rows. */
  empty?: string | undefined;
  /** Failure of the last read, shown above the old rows. */
  error?: { code: string; message: string } | undefined;
  /** Height in lines. Default: the whole space. */
  height?: number | undefined;
  /** Whether the first row stays selected as new rows arrive above it: for lists with the newest rows first. Default false. */
  follow?: boolean | undefined;
  /** Default true. */
  active?: boolean | undefined;
}

type Open<Row> =
  | { what: 'details' | 'raw'; row: Row; id: string | number }
  | { what: 'question'; question: string; go: () => void }
  | undefined;

/** Shows a list of records to select, filter, open and act on. */
export function Records<Row>(props: RecordsProps<Row>) {
  const space = useSpace();
  const size = { columns: space.columns, rows: props.height ?? space.rows };
  return (
    <Space value={size}>
      <Depth value={useDepth() + 1}>
        <List {...props} />
      </Depth>
    </Space>
  );
}

function List<Row>(props: RecordsProps<Row>) {
  const { rows: all = [], columns, idOf, details, raw = (row) => row, error, active = true, follow = false } = props;
  const { columns: width, rows: height } = useSpace();
  const isMine = useFocus() && active;
  const [open, setOpen] = useState<Open<Row>>(undefined);
  useOpening(props, setOpen);
  const filter = useFilter(all, columns, isMine && open === undefined);
  const hasFilter = filter.isOpen || filter.text !== '';
  const below = open?.what === 'question' ? questionLines(open.question, { columns: width, rows: height }).length : hasFilter ? 1 : 0;
  const room = Math.max(1, height - 1 - below - (error ? 1 : 0));
  const selection = useSelection(filter.rows, { idOf, room, follow });
  const { row } = selection;
  const ask = useActions(props, setOpen);
  const listens = isMine && open === undefined && !filter.isOpen;
  useKeys([...moves(selection, room, filter.rows.length), ...openingKeys({ row, idOf, details, setOpen }), ...ask(row)], listens);
  useKeys([{ key: '/', label: 'filter', run: filter.open }], listens);
  useKeys([{ key: 'esc', label: 'clear filter', run: filter.clear }], listens && filter.text !== '');

  if (open?.what === 'details' || open?.what === 'raw') {
    const current = all.find((each) => idOf(each) === open.id) ?? open.row;
    return (
      <Opened close={() => setOpen(undefined)} isMine={isMine}>
        {open.what === 'raw' ? <Log lines={jsonLines(raw(current))} follow={false} wrap /> : details?.(current)}
      </Opened>
    );
  }
  const seen = filter.rows.slice(selection.top, selection.top + room);
  return (
    <Box flexDirection="column" flexShrink={0} height={height} overflow="hidden">
      {error && <Text kind="bad">{`${error.message} (${error.code})`}</Text>}
      <Table columns={columns} rows={seen} chosen={row} width={width} />
      {seen.length === 0 && <Text kind="dim">{`  ${emptyText(props, filter.text)}`}</Text>}
      {below > 0 && <Box flexGrow={1} />}
      {open?.what === 'question' ? (
        <Question question={open.question} go={open.go} close={() => setOpen(undefined)} isMine={isMine} />
      ) : (
        hasFilter && <Text>{fit(`/${filter.text}${filter.isOpen ? '_' : `  ${filter.rows.length} of ${all.length}`}`, width)}</Text>
      )}
    </Box>
  );
}

function useOpening<Row>({ opening, idOf }: RecordsProps<Row>, setOpen: (open: Open<Row>) => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each record is opened only once
  useEffect(() => {
    if (opening === undefined) return;
    setOpen({ what: 'details', row: opening.row, id: idOf(opening.row) });
    opening.done();
  }, [opening]);
}

function emptyText<Row>({ rows, error, empty = 'No records yet' }: RecordsProps<Row>, filter: string): string {
  if (rows === undefined) return error ? '' : 'Loading …';
  return rows.length > 0 ? `No match for '${filter}'` : empty;
}

function moves({ move }: { move: (by: number) => void }, room: number, length: number): Binding[] {
  const by = (keys: readonly string[], label: string, count: number): Binding[] =>
    keys.map((key) => ({ key, label, quiet: true, run: () => move(count) }));
  return [
    ...by(['down', 'j'], 'down', 1),
    ...by(['up', 'k'], 'up', -1),
    ...by(['pgdn', ' '], 'page down', room),
    ...by(['pgup'], 'page up', -room),
    ...by(['g', 'home'], 'first', -length),
    ...by(['G', 'end'], 'last', length),
  ];
}

interface OpeningKeyOptions<Row> extends Pick<RecordsProps<Row>, 'details' | 'idOf'> {
  row: Row | undefined;
  setOpen: (open: Open<Row>) => void;
}

function openingKeys<Row>({ row, idOf, details, setOpen }: OpeningKeyOptions<Row>): Binding[] {
  if (row === undefined) return [];
  const id = idOf(row);
  const raw: Binding = { key: 'y', label: 'json', run: () => setOpen({ what: 'raw', row, id }) };
  return details ? [{ key: 'enter', label: 'details', run: () => setOpen({ what: 'details', row, id }) }, raw] : [raw];
}

/** Returns the bindings of a row's actions. Asks first if an action has a question; runs one action at a time. */
function useActions<Row>({ actions = [], remove }: RecordsProps<Row>, setOpen: (open: Open<Row>) => void) {
  const { notify, failed } = useDashboard();
  const [running, setRunning] = useState<string>();
  const removal: Action<Row>[] = remove
    ? [{ key: 'ctrl-d', label: 'remove', run: remove.run, confirm: remove.question, ...(remove.when ? { when: remove.when } : {}) }]
    : [];
  const go = async ({ label, run }: Action<Row>, row: Row) => {
    setRunning(label);
    try {
      const working = run(row);
      if (!(working instanceof Promise)) return;
      await working;
      notify(`${label}: done`);
    } catch (thrown) {
      failed(thrown);
    } finally {
      setRunning(undefined);
    }
  };
  const start = (action: Action<Row>, row: Row) => {
    if (running !== undefined) return notify(`${running} is still running`);
    if (!action.confirm) return void go(action, row);
    setOpen({ what: 'question', question: action.confirm(row), go: () => void go(action, row) });
  };
  return (row: Row | undefined): Binding[] => {
    if (row === undefined) return [];
    const offered = [...actions, ...removal].filter(({ when }) => when?.(row) ?? true);
    return offered.map((action) => ({ ...keyOf(action), run: () => start(action, row) }));
  };
}

function keyOf<Row>({ key, label, changes = true }: Action<Row>): Omit<Binding, 'run'> {
  return { key, label, changes };
}

/** Draws a record in place of the list until esc. */
function Opened({ close, isMine, children }: { close: () => void; isMine: boolean; children: ReactNode }) {
  useKeys([{ key: 'esc', label: 'back', run: close }], isMine);
  return <Depth value={useDepth() + 1}>{children}</Depth>;
}

function jsonLines(value: unknown): string[] {
  return harmlessJson(JSON.stringify(value, null, 2) ?? 'null').split('\n');
}
