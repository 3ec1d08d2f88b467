import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where administrators' programs lie, which not everybody's PATH names. */
const more = ['/usr/sbin', '/sbin', '/usr/bin', '/bin'];

/** Where a program lies, as a real path; undefined where this machine has none. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  const found = [...folders, ...more].map((folder) => join(folder, name)).find(isExecutable);
  // BusyBox decides by its name what it is: a link to it is not followed.
  return found === undefined || realpathSync(found).endsWith('/busybox') ? found : realpathSync(found);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
