import type { Command } from 'commander';
import { pack } from '../../kernel/bundles/pack.js';
import { builtinCatalog } from '../catalog.js';
import type { Context } from '../command.js';
import { print } from '../output.js';
import { harmless } from '../terminal.js';
import { told } from './faults.js';
import { signFile } from './sign.js';

/** Packs a folder, and tells what was made of it. */
export async function packExtension(folder: string, command: Command, context: Context): Promise<void> {
  const { terminal, signal } = context;
  const { out, sign, key, json } = command.opts<{ out?: string; sign?: boolean; key?: string; json?: boolean | string }>();
  const builtin = Object.keys(builtinCatalog().about);
  const { bundle, file, bytes, left_out, warnings } = await told(pack(folder, { file: out, builtin, signal }), terminal);
  const { manifest, content_hash, files } = bundle;
  const { id, version, type } = manifest;
  if (sign === true || key !== undefined) await signFile(file, bundle, { key, context });
  print({ id, version, type, file, bytes, files: files.length, content_hash }, { json }, terminal);
  for (const warning of warnings) terminal.stderr.write(`warning: ${harmless(warning)}\n`);
  if (left_out.length > 0) terminal.stderr.write(`left out: ${harmless(left_out.join(', '))}\n`);
}
