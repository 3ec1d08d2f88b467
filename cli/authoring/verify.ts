import type { Command } from 'commander';
import { failures, isFailure } from '../../kernel/contract/failure.js';
import type { BundleSignature } from '../../kernel/contract/installation.js';
import { bundle_bytes } from '../../kernel/platform/bundles/limits.js';
import { check } from '../../kernel/platform/bundles/reader.js';
import { isSigned, type SignedBundle } from '../../kernel/platform/bundles/signature.js';
import { leafOf } from '../catalog.js';
import type { Context } from '../command.js';
import { UsageError } from '../exit.js';
import { withRegularFile } from '../file-source.js';
import { print } from '../output.js';
import type { CommonFlags, Session } from '../session.js';
import { callIn, withSession } from '../within-session.js';
import { builtinWords } from './builtin-words.js';
import { told } from './faults.js';
import { type KnownKey, knownKeys } from './known-keys.js';
import { readSidecar, sidecarOf, writeSidecar } from './sidecar.js';

const fail = failures({ bundle_hash_mismatch: 409, signature_invalid: 400, signature_missing: 404, signature_untrusted: 409 });

interface Flags extends CommonFlags {
  key?: string;
  trust?: string;
  save?: boolean;
  json?: boolean | string;
}

/** What a platform tells of a version that it has approved. */
interface VersionRecord {
  content_hash: string;
  signature: BundleSignature | null;
  signed_by: string | null;
}

/** Tells what a ZIP is and who has signed it; fails unless all that is known of it agrees. */
export async function verifyExtension(file: string, command: Command, context: Context): Promise<void> {
  const { key, trust, save, json, url, profile } = command.optsWithGlobals<Flags>();
  const { terminal, signal } = context;
  if (file === '-' && save === true)
    throw new UsageError('A signature lies beside its file, and standard input has no place', 'leave out --save');
  if (file === '-' && (key === '-' || trust === '-')) throw new UsageError('Standard input is named twice', 'name a file for one of them');
  const known = await knownKeys({ key, trust }, terminal);
  const builtin = builtinWords();
  const { manifest, content_hash } = await withRegularFile(file, { terminal, max_bytes: bundle_bytes }, (path) =>
    told(check(path, { builtin, signal }), terminal),
  );
  const bundle = { id: manifest.id, version: manifest.version, content_hash };
  const beside = file === '-' ? undefined : await readSidecar(file);
  const isAsked = beside === undefined || url !== undefined || profile !== undefined;
  const record = isAsked ? await recordOf(bundle, { command, context, file }) : undefined;
  if (record !== undefined) assertSame(bundle, record, beside);
  const signature = beside ?? record?.signature ?? null;
  const signer = signature === null ? unsigned(bundle, known) : signerOf({ bundle, signature, known, record });
  if (save === true && beside === undefined && signature !== null) await writeSidecar(file, bundle, signature);
  print({ ...bundle, public_key: signature?.public_key ?? null, signer, approved: record !== undefined }, { json }, context.terminal);
}

async function recordOf(
  bundle: SignedBundle,
  { command, context, file }: { command: Command; context: Context; file: string },
): Promise<VersionRecord> {
  try {
    return await withSession(command, context, (session) => askedFor(bundle, session, context.signal));
  } catch (fault) {
    if (!isFailure(fault) || !['unreachable', 'no_installation'].includes(fault.code)) throw fault;
    throw fail(
      'signature_missing',
      `There is no ${file === '-' ? 'signature beside standard input' : sidecarOf(file)}, and no platform can be asked: ${fault.message}`,
      { cause: fault },
    );
  }
}

async function askedFor({ id, version }: SignedBundle, session: Session, signal: AbortSignal): Promise<VersionRecord> {
  const leaf = leafOf('marketplace.version');
  const call = callIn(session, leaf, { input: { id, version, upstream: false }, signal });
  const { body } = await call.catch((fault: unknown) => {
    if (!isFailure(fault) || fault.status !== 404) throw fault;
    throw fail('signature_missing', `${session.name} has no ${id} ${version}, so nothing can be said of this one`, { cause: fault });
  });
  const record = body as VersionRecord & { status: string };
  // Its publisher is shown it before.
  if (record.status === 'approved') return record;
  throw fail('signature_missing', `${id} ${version} is ${record.status.replace('_', ' ')} at ${session.name}, not approved`);
}

function assertSame({ id, version, content_hash }: SignedBundle, record: VersionRecord, beside: BundleSignature | undefined): void {
  if (record.content_hash !== content_hash) {
    throw fail(
      'bundle_hash_mismatch',
      `This is not the ${id} ${version} that was approved: it has ${content_hash}, that one ${record.content_hash}`,
    );
  }
  if (beside === undefined || record.signature === null || record.signature.public_key === beside.public_key) return;
  throw fail(
    'signature_untrusted',
    `${id} ${version} was approved with a signature of the key ${record.signature.public_key}; the one beside the file is of ${beside.public_key}`,
  );
}

/** What a platform has approved needs no signature, unless somebody's is asked for. */
function unsigned({ id, version }: SignedBundle, known: readonly KnownKey[] | undefined): null {
  if (known === undefined) return null;
  throw fail('signature_missing', `${id} ${version} is not signed`);
}

interface Signed {
  bundle: SignedBundle;
  signature: BundleSignature;
  known: readonly KnownKey[] | undefined;
  record: VersionRecord | undefined;
}

/** The name of who has signed, as far as it is known; null where only the platform's approval speaks for the key. */
function signerOf({ bundle, signature, known, record }: Signed): string | null {
  const { id, version } = bundle;
  if (!isSigned(bundle, signature)) {
    throw fail(
      'signature_invalid',
      `The signature is not one of ${id} ${version} with ${bundle.content_hash} by the key ${signature.public_key}`,
    );
  }
  // A version that was approved unsigned says nothing of the key beside the file.
  if (known === undefined && record?.signature) return record.signed_by;
  const signer = known?.find(({ public_key }) => public_key === signature.public_key);
  if (signer !== undefined) return signer.name === '' ? signer.public_key : signer.name;
  const what = known === undefined ? 'name the key that you expect with --key, or a list with --trust' : 'which is not the one expected';
  throw fail('signature_untrusted', `${id} ${version} is signed by the key ${signature.public_key}: ${what}`);
}
