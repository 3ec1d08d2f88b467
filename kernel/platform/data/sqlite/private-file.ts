import { chmod, open, stat } from 'node:fs/promises';

/**
 * Sees to it that nobody but its owner and group has a database file, in whichever folder it lies: one that is not there is made for
 * its owner alone, of one that is there the others' rights are taken. SQLite gives what it makes beside it the same rights. What
 * can't be done is left to whoever opens the file: it is told there.
 */
export async function keepPrivate(file: string): Promise<void> {
  // Never one that is there: closing it would drop the locks that this process has on it.
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
