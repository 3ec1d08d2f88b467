/** How values of a column are written in the form that both databases are compared by. */
export type Kind = 'boolean' | 'integer' | 'number' | 'text' | 'bytes';

/** A column of both databases. */
export interface Column {
  name: string;
  /** As PostgreSQL writes it: `character varying(24)`. */
  type: string;
  kind: Kind;
}

/** A value in the form that both are compared by: `true`, `12`, the text itself, `\x0aff`. */
export type Value = string | null;

const kinds: Readonly<Record<string, Kind>> = {
  boolean: 'boolean',
  smallint: 'integer',
  integer: 'integer',
  bigint: 'integer',
  'double precision': 'number',
  text: 'text',
  'character varying': 'text',
  bytea: 'bytes',
};

/** The kind of a type of PostgreSQL's; undefined for one that SQLite has nothing like. */
export function kindOf(type: string): Kind | undefined {
  return kinds[type.replace(/\(.*\)$/, '')];
}

/** How PostgreSQL reads a column. */
export function read({ name, kind }: Column): string {
  const column = quoted(name);
  if (kind === 'bytes') return String.raw`'\x' || encode(${column}, 'hex')`;
  return kind === 'text' ? column : `${column}::text`;
}

/** How SQLite reads it: a whole number as text, since it may be too large for one of JavaScript's. */
export function readSqlite({ name, kind }: Column): string {
  return kind === 'integer' || kind === 'boolean' ? `CAST(${quoted(name)} AS TEXT)` : quoted(name);
}

/** Returns a value of PostgreSQL in the form to compare by. */
export function fromPostgres(value: string | null, { kind }: Column): Value {
  return value !== null && kind === 'number' ? String(Number(value)) : value;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
