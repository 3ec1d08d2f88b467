import type { Column } from './column.js';

/** A table that both databases have. */
export interface Table {
  name: string;
  columns: readonly Column[];
  /** Columns that its rows are sorted by: its primary key, or else all columns. */
  key: readonly Column[];
}

/** The result for one table. */
export interface MovedTable {
  table: string;
  rows: number;
  /** Over all rows in the order of their keys, each in the form by which both databases were compared; in hex. */
  sha256: string;
}

/** Sorts tables so that each comes after those that its foreign keys refer to. */
export function inOrder(tables: readonly Table[], references: readonly { table: string; to: string }[]): Table[] {
  const ordered = new Map<string, Table>();
  const add = (table: Table, path: readonly string[]) => {
    if (ordered.has(table.name) || path.includes(table.name)) return;
    const parents = references.filter((reference) => reference.table === table.name).map(({ to }) => to);
    for (const parent of tables.filter(({ name }) => parents.includes(name))) add(parent, [...path, table.name]);
    ordered.set(table.name, table);
  };
  for (const table of tables) add(table, []);
  return [...ordered.values()];
}
