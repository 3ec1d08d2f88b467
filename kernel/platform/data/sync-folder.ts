import { open } from 'node:fs/promises';

/** A rename lasts, also when the machine stops, once its folder is on the disk. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
