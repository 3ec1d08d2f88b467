import { chmod, open, stat } from 'node:fs/promises';

/**
 * Restricts a database file to its owner and group, in any folder: a missing file is created for the owner only, an existing one loses the
 * rights of others. SQLite gives files that it creates beside it the same rights. Errors are ignored: opening the file reports them.
 */
export async function keepPrivate(file: string): Promise<void> {
  // Must not open an existing file: closing it would drop this process's locks on it.
  await open(file, 'wx', 0o600).then(
    (made) => made.close(),
    () => undefined,
  );
  for (const each of [file, `${file}-wal`, `${file}-shm`]) {
    const mode = await stat(each).then(
      (about) => about.mode & 0o777,
      () => 0,
    );
    if ((mode & 0o007) !== 0) await chmod(each, mode & 0o770).catch(() => undefined);
  }
}
