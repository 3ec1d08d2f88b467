import { open, stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { codeOf, failData, reasonOf } from '../failures.js';
import { type Engine, openSqlite, type SqliteConnection } from './connection.js';

const magic = Buffer.from('SQLite format 3\0', 'latin1');
/** Size above which only the header and the schema are checked, because a full check would delay the start. */
const checked_bytes = 8 * 1024 * 1024;

/**
 * Inspects a database file without changing it, before it is opened for writing: checks its integrity and runs `check` (of the schema
 * version).
 */
export async function inspect(engine: Engine, file: string, check: (connection: SqliteConnection) => Promise<void>): Promise<void> {
  const size = await sizeOf(file);
  if (size === 0) return;
  await checkHeader(file, size);
  const connection = await openUntouched(engine, file);
  try {
    await checkPages(connection, file, size);
    await check(connection);
  } finally {
    await connection.close();
  }
}

/** Returns a file's size; 0 if it doesn't exist. */
export async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(absent))?.size ?? 0;
}

function absent(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

async function checkHeader(file: string, size: number): Promise<void> {
  const handle = await open(file, 'r');
  try {
    const header = Buffer.alloc(100);
    await handle.read(header, 0, 100, 0);
    if (!header.subarray(0, magic.length).equals(magic)) throw corrupt(file, 'it lacks the header of a SQLite database');
    const page = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    const wanted = page * header.readUInt32BE(28);
    // Missing pages may be in the write-ahead log.
    if (size < wanted && (await sizeOf(`${file}-wal`)) === 0) throw corrupt(file, `it has ${size} bytes of ${wanted}`);
  } finally {
    await handle.close();
  }
}

/** Opens a file for reading without side effects: without a write-ahead log no `-shm` file needs to be created. */
export async function openUntouched(engine: Engine, file: string): Promise<SqliteConnection> {
  const logged = (await sizeOf(`${file}-wal`)) > 0;
  if (logged) return openSqlite(engine, file, engine.OPEN_READONLY);
  return openImmutable(engine, file);
}

/** Opens a file that nobody writes to and that has no write-ahead log. */
export function openImmutable(engine: Engine, file: string): Promise<SqliteConnection> {
  return openSqlite(engine, `${pathToFileURL(file).href}?immutable=1`, engine.OPEN_READONLY | engine.OPEN_URI);
}

async function checkPages(connection: SqliteConnection, file: string, size: number): Promise<void> {
  try {
    await connection.rows('SELECT count(*) FROM sqlite_master', []);
    const [found] = size <= checked_bytes ? await connection.rows<{ quick_check: string }>('PRAGMA quick_check(1)', []) : [];
    if (found && found.quick_check !== 'ok') throw corrupt(file, found.quick_check);
  } catch (error) {
    if (!/^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error))) throw error;
    throw corrupt(file, reasonOf(error), error);
  }
}

export function corrupt(file: string, found: string, cause?: unknown): Error {
  const sentence = `The database ${file} is damaged (${found.replace(/\s+/g, ' ')}); restore it from a backup, or move it away to start over`;
  return failData('database_corrupt', sentence, { cause });
}
