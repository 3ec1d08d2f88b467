import type { Command } from 'commander';
import { type Bundle, check } from '../../kernel/platform/bundles/reader.js';
import { signBundle } from '../../kernel/platform/bundles/signature.js';
import type { Context } from '../command.js';
import { UsageError } from '../exit.js';
import { assertFields, print } from '../output.js';
import { builtinWords } from './builtin-words.js';
import { reportingFaults } from './faults.js';
import { publisherKey } from './publisher-key.js';
import { writeSidecar } from './sidecar.js';

/** Signs a ZIP that passes every check, and writes the signature beside it. */
export async function signExtension(file: string, command: Command, context: Context): Promise<void> {
  const { key, json } = command.opts<{ key?: string; json?: boolean | string }>();
  if (file === '-')
    throw new UsageError("A ZIP from standard input can't be signed: the signature is stored beside the file", 'name the ZIP');
  assertFields(json, ['id', 'version', 'content_hash', 'public_key', 'file']);
  const builtin = builtinWords();
  const bundle = await reportingFaults(check(file, { builtin, signal: context.signal }), context.terminal);
  print(await signFile(file, bundle, { key, context }), { json }, context.terminal);
}

/** Signs a checked bundle, with the key of a file or the user's own. */
export async function signFile(file: string, bundle: Bundle, { key, context }: { key: string | undefined; context: Context }) {
  const { id, version } = bundle.manifest;
  const { content_hash } = bundle;
  const signature = signBundle({ id, version, content_hash }, await publisherKey(key, context.terminal));
  const sidecar = await writeSidecar(file, { id, version, content_hash }, signature);
  return { id, version, content_hash, public_key: signature.public_key, file: sidecar };
}
