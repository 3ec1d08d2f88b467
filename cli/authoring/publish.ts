import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { BundleSignature } from '../../kernel/contract/installation.js';
import { bundle_bytes } from '../../kernel/platform/bundles/limits.js';
import { type Bundle, check } from '../../kernel/platform/bundles/reader.js';
import { signBundle } from '../../kernel/platform/bundles/signature.js';
import { leafOf } from '../catalog.js';
import type { Context } from '../command.js';
import { UsageError } from '../exit.js';
import { withRegularFile } from '../file-source.js';
import { print } from '../output.js';
import { Progress, showing } from '../progress.js';
import { callIn, withSession } from '../within-session.js';
import { builtinWords } from './builtin-words.js';
import { told, warn } from './faults.js';
import { publisherKey } from './publisher-key.js';

interface Flags {
  key?: string;
  sign: boolean;
  json?: boolean | string;
}

/** Sends a ZIP that passes every check to the marketplace, signed unless that is not wanted. */
export async function publishExtension(file: string, command: Command, context: Context): Promise<void> {
  const { key, sign, json } = command.opts<Flags>();
  const builtin = builtinWords();
  const { terminal, signal } = context;
  if (file === '-' && key === '-') throw new UsageError('Standard input is named twice', 'name a file for the ZIP or the key');
  const { bundle, bytes } = await withRegularFile(file, { terminal, max_bytes: bundle_bytes }, async (path) => ({
    bundle: await showing(new Progress(terminal, 'checking it'), () => told(check(path, { builtin, signal }), terminal)),
    bytes: await readFile(path),
  }));
  warn(bundle, terminal);
  const signature = sign ? await signatureOf(bundle, key, context) : undefined;
  const { id, version, type } = bundle.manifest;
  const input = { type, file: { name: file === '-' ? `${id}-${version}.zip` : file, bytes }, ...signature };
  await withSession(command, context, async (session) => {
    const leaf = leafOf('marketplace.publish');
    const { body } = await showing(new Progress(terminal, 'sending it'), (progress) =>
      callIn(session, leaf, { input, signal, ...progress.listening }),
    );
    print(body, { json, columns: ['id', 'version', 'type', 'status', 'content_hash'] }, terminal);
  });
}

async function signatureOf(
  { manifest: { id, version }, content_hash }: Bundle,
  key: string | undefined,
  { terminal }: Context,
): Promise<BundleSignature> {
  const signature = signBundle({ id, version, content_hash }, await publisherKey(key, terminal));
  terminal.stderr.write(`signed with the key ${signature.public_key}\n`);
  return signature;
}
