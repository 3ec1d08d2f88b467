/** Part of the address of the places on PostgreSQL. */
export const databasePassword = 'sesame-open';

/** A line that a person types, and what comes of it. */
export interface CommandCase {
  /** A claim in plain English. */
  name: string;
  /** The rule behind it, or a public report of the kind. */
  source: string;
  /**
   * `server`: one runs on the data folder. `folder`: an installation without a server. `nothing`: no installation yet. `database`
   * and `empty database` are the same as the last two, on PostgreSQL.
   */
  place: 'server' | 'folder' | 'nothing' | 'database' | 'empty database';
  /** For `sh`, in a folder of its own; `platform` is the program, `$DATA` the data folder, `$URL` the server's address, `$ROOT` the project. */
  line: string;
  env?: Readonly<Record<string, string>>;
  /** The size of the terminal that it runs on; without it, pipes. */
  terminal?: { columns: number; rows: number };
  /** For lines that make devices or users. */
  needs?: 'root';
  /** Keys that are pressed at once. */
  typed?: string;
  code: number;
  /** Texts or patterns that its output has, in any order; standard output and standard error together. */
  shows?: readonly (string | RegExp)[];
  lacks?: readonly (string | RegExp)[];
}
