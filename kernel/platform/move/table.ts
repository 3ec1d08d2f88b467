import type { Column } from './column.js';

/** A table that both databases have. */
export interface Table {
  name: string;
  columns: readonly Column[];
  /** By what its rows are put in order: its primary key, or else all columns. */
  key: readonly Column[];
}

/** The result for one table. */
export interface MovedTable {
  table: string;
  rows: number;
  /** Over all rows in the order of their keys, each in the form by which both databases were compared; in hex. */
  sha256: string;
}

/** Tables in such an order that each comes after those that its foreign keys lead to. */
export function inOrder(tables: readonly Table[], references: readonly { table: string; to: string }[]): Table[] {
  const placed = new Map<string, Table>();
  const place = (table: Table, above: readonly string[]) => {
    if (placed.has(table.name) || above.includes(table.name)) return;
    const wanted = references.filter((reference) => reference.table === table.name).map(({ to }) => to);
    for (const other of tables.filter(({ name }) => wanted.includes(name))) place(other, [...above, table.name]);
    placed.set(table.name, table);
  };
  for (const table of tables) place(table, []);
  return [...placed.values()];
}
