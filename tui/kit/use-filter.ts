import { useState } from 'react';
import { oneLine } from './cells.js';
import type { Column } from './columns.js';
import { typed } from './typed.js';
import { useTyping } from './use-keys.js';

export interface Filter<Row> {
  text: string;
  isOpen: boolean;
  rows: readonly Row[];
  open: () => void;
  clear: () => void;
}

/** Filters rows by a text in any column, ignoring case. The text can be edited while the filter is open. */
export function useFilter<Row>(rows: readonly Row[], columns: readonly Column<Row>[], active: boolean): Filter<Row> {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const type = (key: string): boolean => {
    if (key === 'esc') setText('');
    if (key === 'esc' || key === 'enter') setOpen(false);
    else if (typed(text, key) === undefined) return false;
    else setText((before) => typed(before, key) ?? before);
    return true;
  };
  useTyping(type, active && isOpen, [
    { key: 'enter', label: 'apply', run: () => undefined },
    { key: 'esc', label: 'clear', run: () => undefined },
  ]);
  const wanted = text.toLowerCase();
  const has = (row: Row) => columns.some(({ value }) => oneLine(value(row)).toLowerCase().includes(wanted));
  return { text, isOpen, rows: wanted === '' ? rows : rows.filter(has), open: () => setOpen(true), clear: () => setText('') };
}
