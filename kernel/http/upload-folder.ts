import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the processes of an installation keep uploads until their handlers have had them. */
export interface UploadPlace {
  folder: string;
  /** Whether no other process uses it. */
  alone: boolean;
}

/** No upload takes so long: what another process has not touched since was left by one that was killed. */
const abandoned_ms = 86_400_000;

/** A new folder for this process, without what killed ones have left beside it. */
export async function uploadFolder({ folder, alone }: UploadPlace): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const about = await stat(path).catch(() => undefined);
    if (about && (alone || about.mtimeMs < Date.now() - abandoned_ms)) await rm(path, { recursive: true, force: true });
  }
  return mkdtemp(join(folder, 'process-'));
}
