import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type tar from 'tar-stream';

const run = promisify(execFile);

/** A program as an image holds it. */
export interface Program {
  bytes: Buffer;
  /** Libraries that it is linked with, by absolute paths; none if it is static. */
  libraries: ReadonlyMap<string, Buffer>;
}

/** Reads a program of this machine, found as a shell finds it. */
export async function readProgram(name: string): Promise<Program> {
  const path = (await run('sh', ['-c', 'command -v "$1"', '-', name])).stdout.trim();
  const files = (await linked(path)).map(async (file) => [file, await readFile(file)] as const);
  return { bytes: await readFile(path), libraries: new Map(await Promise.all(files)) };
}

/** Packs what a program is linked with, and the folders that hold it. */
export function packLibraries(pack: tar.Pack, { libraries }: Program): void {
  const folders = new Set([...libraries.keys()].flatMap(foldersOf));
  // An engine makes folders that are not named as it likes, and lets none but root into them.
  for (const name of folders) pack.entry({ name, type: 'directory', mode: 0o755 });
  for (const [path, bytes] of libraries) pack.entry({ name: path.slice(1), mode: 0o755 }, bytes);
}

/** Those that `ldd` names. It fails for a static program. */
async function linked(path: string): Promise<string[]> {
  const { stdout } = await run('ldd', [path]).catch(() => ({ stdout: '' }));
  return [...stdout.matchAll(/(?:^\s+|=> )(\/\S+) \(0x/gm)].map(([, file = '']) => file);
}

/** `/lib64/a/b.so` has `lib64` and `lib64/a`. */
function foldersOf(path: string): string[] {
  const names = path.split('/').slice(1, -1);
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}
