/** The first entry of an archive, by which it is read. */
export const format = 'platform-backup';
export const format_version = 1;

export const manifest_name = 'manifest.json';
/** The SHA-256 of the manifest, in hex: the last entry of an archive. */
export const hash_name = 'manifest.sha256';

/** One entry of an archive, as its manifest lists it. */
export interface EntryRecord {
  name: string;
  bytes: number;
  /** In hex. */
  sha256: string;
}

/**
 * The content of an archive. It comes after everything that it lists, and its own hash after it, so that truncation and altered content are
 * detected. An attacker can recompute the hashes: to detect that, store the archive's own SHA-256, which the backup
 * operation returns, elsewhere.
 */
export interface Manifest {
  format: typeof format;
  version: number;
  /** The version of the program that wrote it. */
  server: string;
  dialect: 'sqlite' | 'postgres';
  created_at: string;
  /** The master key is never in an archive; without it the sealed values of the database can't be opened. */
  needs_secret_key: true;
  /** The migrations that had run, by owner. */
  migrations: Record<string, string[]>;
  /** Rows by table. */
  tables: Record<string, number>;
  blobs: number;
  /** Blobs in use that were missing or damaged when the backup was made. */
  missing_blobs: string[];
  /** In the order in which they lie in the archive, all but the manifest and its hash. */
  entries: EntryRecord[];
}

/**
 * - `database.sqlite`: the SQLite file.
 * - `schema.json`, `tables/<table>/<number>.jsonl`: PostgreSQL's schema and rows, an object of JSON a line.
 * - `blobs/<sha256>`: a blob.
 * - `files/<extension>/…`, `extensions/<id>/…`: extensions' own files, and the bundles that are installed.
 */
const names = /^(database\.sqlite|schema\.json|tables\/[^/\0]{1,63}\/\d{6}\.jsonl|blobs\/[0-9a-f]{64}|(files|extensions)\/[^\0]{1,4000})$/;

/** Returns whether an entry may have this name. Names that lead out of the folder are rejected. */
export function isEntryName(name: string): boolean {
  return names.test(name) && name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}
