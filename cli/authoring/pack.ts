import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type Packed, pack } from '../../kernel/platform/bundles/pack.js';
import type { Context } from '../command.js';
import { UsageError } from '../exit.js';
import { assertNotOnScreen } from '../file-answer.js';
import { type Destination, destinationOf, writeTo } from '../file-destination.js';
import { assertFields, print } from '../output.js';
import { harmless, type Terminal } from '../terminal.js';
import { builtinWords } from './builtin-words.js';
import { reportingFaults, writeWarnings } from './faults.js';
import { signFile } from './sign.js';

/** Packs a folder, and shows the resulting bundle. */
export async function packExtension(folder: string, command: Command, context: Context): Promise<void> {
  const { terminal, signal } = context;
  const { out, sign, key, json } = command.opts<{ out?: string; sign?: boolean; key?: string; json?: boolean | string }>();
  assertFields(json, ['id', 'version', 'type', 'file', 'bytes', 'files', 'content_hash']);
  const builtin = builtinWords();
  const destination = out === undefined ? undefined : await destinationOf(out);
  if (destination !== undefined && destination.kind !== 'file') {
    assertNotOnScreen(destination, terminal, "The bundle is a file, which a terminal can't show");
    if (sign === true || key !== undefined)
      throw new UsageError(`A signature can't be stored beside '${out}'`, 'name a file with: --out <file>');
    return packInto(folder, destination, context);
  }
  const { bundle, file, bytes, left_out, warnings } = await reportingFaults(
    pack(folder, { file: destination?.path, builtin, signal }),
    terminal,
  );
  const { manifest, content_hash, files } = bundle;
  const { id, version, type } = manifest;
  if (sign === true || key !== undefined) await signFile(file, bundle, { key, context });
  print({ id, version, type, file, bytes, files: files.length, content_hash }, { json }, terminal);
  writePackWarnings({ bundle, left_out, warnings }, terminal);
}

/** Packs to standard output, a pipe or a device; messages go to standard error. */
async function packInto(folder: string, destination: Destination, { terminal, signal }: Context): Promise<void> {
  const temporaryFolder = await mkdtemp(join(tmpdir(), 'platform-pack-'));
  try {
    const builtin = builtinWords();
    const packed = await reportingFaults(pack(folder, { file: join(temporaryFolder, 'bundle.zip'), builtin, signal }), terminal);
    await writeTo(destination, { terminal, signal }, async (sink) => sink.write(await readFile(packed.file)));
    writePackWarnings(packed, terminal);
  } finally {
    await rm(temporaryFolder, { recursive: true, force: true });
  }
}

function writePackWarnings({ bundle, left_out, warnings }: Pick<Packed, 'bundle' | 'left_out' | 'warnings'>, terminal: Terminal): void {
  writeWarnings(bundle, terminal);
  for (const warning of warnings) terminal.stderr.write(`warning: ${harmless(warning)}\n`);
  if (left_out.length > 0) terminal.stderr.write(`left out: ${harmless(left_out.join(', '))}\n`);
}
