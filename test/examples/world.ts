import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { pack } from '../../kernel/platform/bundles/pack.js';
import { temporaryFolder } from '../helpers/platform.js';

/** The folder of an example. */
const example = (id: string): string => fileURLToPath(new URL(`../../../examples/${id}`, import.meta.url));

/** The ZIP that `platform extension pack` makes of it. */
export async function packed(t: Test, id: string): Promise<Buffer> {
  const { file } = await pack(example(id), { file: join(await temporaryFolder(t), `${id}.zip`) });
  return readFile(file);
}

/** Runs TypeScript's compiler on an example; gives its complaints. */
export async function compiled(id: string): Promise<string> {
  const tsc = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
  const ended = promisify(execFile)(process.execPath, [tsc, '--project', example(id)]);
  return ended.then(
    ({ stdout }) => stdout,
    ({ stdout, message }: { stdout?: string; message: string }) => stdout || message,
  );
}
