import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { isFailure } from '../../kernel/contract/failure.js';
import type { BundleSignature } from '../../kernel/contract/installation.js';
import { bundle_bytes } from '../../kernel/platform/bundles/limits.js';
import { type Bundle, check } from '../../kernel/platform/bundles/reader.js';
import { signBundle } from '../../kernel/platform/bundles/signature.js';
import { leafOf } from '../catalog.js';
import type { Context } from '../command.js';
import { UsageError } from '../exit.js';
import { withRegularFile } from '../file-source.js';
import { assertFields, fieldsOf, print } from '../output.js';
import { Progress, withProgress } from '../progress.js';
import { callIn, withSession } from '../within-session.js';
import { builtinWords } from './builtin-words.js';
import { reportingFaults, writeWarnings } from './faults.js';
import { publisherKey } from './publisher-key.js';

interface Flags {
  key?: string;
  sign: boolean;
  json?: boolean | string;
}

/** Sends a ZIP that passes every check to the marketplace, signed unless `--no-sign` is set. */
export async function publishExtension(file: string, command: Command, context: Context): Promise<void> {
  const { key, sign, json } = command.opts<Flags>();
  const leaf = leafOf('marketplace.publish');
  const fields = fieldsOf(leaf.operation.answer);
  assertFields(json, fields);
  const builtin = builtinWords();
  const { terminal, signal } = context;
  if (file === '-' && key === '-') throw new UsageError('The ZIP and --key both read standard input', 'name a file for one of them');
  const { bundle, bytes } = await withRegularFile(file, { terminal, max_bytes: bundle_bytes }, async (path) => ({
    bundle: await withProgress(new Progress(terminal, 'checking'), () => reportingFaults(check(path, { builtin, signal }), terminal)),
    bytes: await readFile(path),
  }));
  writeWarnings(bundle, terminal);
  const { id, version, type } = bundle.manifest;
  await withSession(command, context, async (session) => {
    // Before a key is created: whoever is not logged in publishes nothing.
    const authenticate = () => callIn(session, leafOf('auth.me'), { signal }).catch(unlessScopeMissing);
    const signature = sign ? signatureOf(bundle, await publisherKey(key, terminal, authenticate), context) : undefined;
    const input = { type, file: { name: file === '-' ? `${id}-${version}.zip` : file, bytes }, ...signature };
    const { body } = await withProgress(new Progress(terminal, 'uploading'), (progress) =>
      callIn(session, leaf, { input, signal, ...progress.listening }),
    );
    print(body, { json, fields, columns: ['id', 'version', 'type', 'status', 'content_hash'] }, terminal);
  });
}

/** Ignores that a token may not read: it may publish all the same. */
function unlessScopeMissing(fault: unknown): void {
  if (!isFailure(fault) || fault.code !== 'scope_missing') throw fault;
}

function signatureOf({ manifest: { id, version }, content_hash }: Bundle, key: KeyObject, { terminal }: Context): BundleSignature {
  const signature = signBundle({ id, version, content_hash }, key);
  terminal.stderr.write(`signed with the key ${signature.public_key}\n`);
  return signature;
}
