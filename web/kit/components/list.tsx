import { createContext, type KeyboardEvent, type ReactNode, use, useEffect, useMemo, useRef, useState } from 'react';
import { Go } from '../data/index.js';
import { classes } from './classes.js';

export interface ListProps {
  /** Name of the list for screen readers. */
  label: string;
  children: ReactNode;
  /** Whether lines separate the rows. */
  hasLines?: boolean | undefined;
  className?: string | undefined;
}

interface Roving {
  /** Id of the one row that the Tab key reaches. */
  reached: string | undefined;
  setReached: (id: string) => void;
}

const RovingContext = createContext<Roving>({ reached: undefined, setReached: () => undefined });

/** Shows rows of which Tab reaches one; the arrows, Home and End move between them (WAI-ARIA, roving tabindex). */
export function List({ label, children, hasLines, className }: ListProps) {
  const list = useRef<HTMLUListElement>(null);
  const [reached, setReached] = useState<string>();
  const roving = useMemo(() => ({ reached, setReached }), [reached]);
  useEffect(() => {
    const rows = rowsOf(list.current);
    if (rows.some((row) => row.tabIndex === 0)) return;
    const first = rows.find((row) => row.getAttribute('aria-current')) ?? rows[0];
    if (first?.dataset.row !== undefined) setReached(first.dataset.row);
  });
  return (
    <RovingContext value={roving}>
      <ul
        ref={list}
        // biome-ignore lint/a11y/noRedundantRoles: Safari takes the role from lists without bullets
        role="list"
        aria-label={label}
        className={classes('kit-list', hasLines && 'kit-list-lines', className)}
      >
        {children}
      </ul>
    </RovingContext>
  );
}

export interface ListItemProps {
  /** Unique in its list. */
  id: string | number;
  /** Path that the row leads to, or else `onOpen`. A row with neither only tells something; its actions are always shown. */
  to?: string | undefined;
  onOpen?: (() => void) | undefined;
  isSelected?: boolean | undefined;
  /** An avatar or icon at the start. */
  start?: ReactNode;
  /** The first line. */
  title: ReactNode;
  /** The second line. */
  text?: ReactNode;
  /** At the end: a count, a time, a state. */
  end?: ReactNode;
  /** Buttons that appear when the row is pointed at or focused; they lie outside the link. */
  actions?: ReactNode;
  /** Whether something in it is unread: its title stands out. */
  isStrong?: boolean | undefined;
}

/** Shows a row of a list. */
export function ListItem({ id, to, onOpen, isSelected, start, title, text, end, actions, isStrong }: ListItemProps) {
  const { reached, setReached } = use(RovingContext);
  const isPlain = to === undefined && onOpen === undefined;
  const row = String(id);
  const common = {
    className: 'kit-row-main',
    'data-row': row,
    tabIndex: reached === row ? 0 : -1,
    'aria-current': isSelected ? ('true' as const) : undefined,
    onFocus: () => setReached(row),
    onKeyDown: move,
  };
  const inside = (
    <>
      {start !== undefined && <span className="kit-row-start">{start}</span>}
      <span className="kit-row-text">
        <span className="kit-row-title">{title}</span>
        {text !== undefined && <span className="kit-row-detail">{text}</span>}
      </span>
      {end !== undefined && <span className="kit-row-end">{end}</span>}
    </>
  );
  return (
    <li className={classes('kit-row', isPlain && 'kit-row-plain', isSelected && 'kit-row-selected', isStrong && 'kit-row-strong')}>
      {isPlain ? (
        <div className="kit-row-main">{inside}</div>
      ) : to !== undefined ? (
        <Go to={to} {...common}>
          {inside}
        </Go>
      ) : (
        <button type="button" {...common} onClick={onOpen}>
          {inside}
        </button>
      )}
      {actions !== undefined && <span className="kit-row-actions">{actions}</span>}
    </li>
  );
}

function rowsOf(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
}

const steps: Readonly<Record<string, (place: number, last: number) => number>> = {
  ArrowDown: (place, last) => Math.min(place + 1, last),
  ArrowUp: (place) => Math.max(place - 1, 0),
  Home: () => 0,
  End: (_place, last) => last,
};

/** Moves the focus from the row that has it. */
function move(event: KeyboardEvent<HTMLElement>) {
  const rows = rowsOf(event.currentTarget.closest('ul'));
  const place = rows.indexOf(event.currentTarget);
  const next = steps[event.key]?.(place, rows.length - 1);
  if (place === -1 || next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  rows[next]?.focus();
}
