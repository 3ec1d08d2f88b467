import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Folders of system programs that may be missing in PATH. */
const system_folders = ['/usr/sbin', '/sbin', '/usr/bin', '/bin'];

/** Finds the real path of a program; undefined if there is none. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  const program = [...folders, ...system_folders].map((folder) => join(folder, name)).find(isExecutable);
  // Don't follow links to BusyBox, which selects the program by its name.
  return program === undefined || realpathSync(program).endsWith('/busybox') ? program : realpathSync(program);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
