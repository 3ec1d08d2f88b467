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
import { reportingFaults } from './faults.js';
import { type KnownKey, knownKeys } from './known-keys.js';
import { readSidecar, sidecarOf, writeSidecar } from './sidecar.js';

const fail = failures({ bundle_hash_mismatch: 409, signature_invalid: 400, signature_missing: 404, signature_untrusted: 409 });

interface Flags extends CommonFlags {
  key?: string;
  trust?: string;
  save?: boolean;
  json?: boolean | string;
}

/** A version as a platform returns it. */
interface VersionRecord {
  content_hash: string;
  signature: BundleSignature | null;
  signed_by: string | null;
}

/** Shows what a ZIP is and who signed it; fails unless hash, signature and approval agree. */
export async function verifyExtension(file: string, command: Command, context: Context): Promise<void> {
  const { key, trust, save, json, url, profile } = command.optsWithGlobals<Flags>();
  const { terminal, signal } = context;
  if (file === '-' && save === true)
    throw new UsageError("The signature of a ZIP from standard input can't be saved: it is stored beside the file", 'leave out --save');
  if (file === '-' && (key === '-' || trust === '-'))
    throw new UsageError('Standard input is used twice', 'name a file for the ZIP or the keys');
  const acceptedKeys = await knownKeys({ key, trust }, terminal);
  const builtin = builtinWords();
  const { manifest, content_hash } = await withRegularFile(file, { terminal, max_bytes: bundle_bytes }, (path) =>
    reportingFaults(check(path, { builtin, signal }), terminal),
  );
  const bundle = { id: manifest.id, version: manifest.version, content_hash };
  const sidecar = file === '-' ? undefined : await readSidecar(file);
  const needsRecord = sidecar === undefined || url !== undefined || profile !== undefined;
  const record = needsRecord ? await recordOf(bundle, { command, context, file }) : undefined;
  if (record !== undefined) assertSame(bundle, record, sidecar);
  const signature = sidecar ?? record?.signature ?? null;
  const signer = signature === null ? unsigned(bundle, acceptedKeys) : signerOf({ bundle, signature, acceptedKeys, record });
  if (save === true && sidecar === undefined && signature !== null) await writeSidecar(file, bundle, signature);
  print({ ...bundle, public_key: signature?.public_key ?? null, signer, approved: record !== undefined }, { json }, context.terminal);
}

async function recordOf(
  bundle: SignedBundle,
  { command, context, file }: { command: Command; context: Context; file: string },
): Promise<VersionRecord> {
  try {
    return await withSession(command, context, (session) => fetchVersion(bundle, session, context.signal));
  } catch (fault) {
    if (!isFailure(fault) || !['unreachable', 'no_installation'].includes(fault.code)) throw fault;
    throw fail(
      'signature_missing',
      `There is no ${file === '-' ? 'signature sidecar standard input' : sidecarOf(file)}, and no platform is reachable: ${fault.message}`,
      { cause: fault },
    );
  }
}

async function fetchVersion({ id, version }: SignedBundle, session: Session, signal: AbortSignal): Promise<VersionRecord> {
  const leaf = leafOf('marketplace.version');
  const call = callIn(session, leaf, { input: { id, version, upstream: false }, signal });
  const { body } = await call.catch((fault: unknown) => {
    if (!isFailure(fault) || fault.status !== 404) throw fault;
    throw fail('signature_missing', `${session.name} has no ${id} ${version}, so this ZIP can't be verified`, { cause: fault });
  });
  const record = body as VersionRecord & { status: string };
  // The publisher may read a version before its approval.
  if (record.status === 'approved') return record;
  throw fail('signature_missing', `${id} ${version} is ${record.status.replace('_', ' ')} at ${session.name}, not approved`);
}

function assertSame({ id, version, content_hash }: SignedBundle, record: VersionRecord, sidecar: BundleSignature | undefined): void {
  if (record.content_hash !== content_hash) {
    throw fail(
      'bundle_hash_mismatch',
      `This is not the ${id} ${version} that was approved: it has ${content_hash}, that one ${record.content_hash}`,
    );
  }
  if (sidecar === undefined || record.signature === null || record.signature.public_key === sidecar.public_key) return;
  throw fail(
    'signature_untrusted',
    `${id} ${version} was approved with a signature of the key ${record.signature.public_key}; the one beside the file is by ${sidecar.public_key}`,
  );
}

/** Accepts an unsigned version that a platform has approved, unless a key is required. */
function unsigned({ id, version }: SignedBundle, acceptedKeys: readonly KnownKey[] | undefined): null {
  if (acceptedKeys === undefined) return null;
  throw fail('signature_missing', `${id} ${version} is not signed`);
}

interface Signed {
  bundle: SignedBundle;
  signature: BundleSignature;
  acceptedKeys: readonly KnownKey[] | undefined;
  record: VersionRecord | undefined;
}

/** Returns the signer's name if it is known; null if only the platform's approval vouches for the key. */
function signerOf({ bundle, signature, acceptedKeys, record }: Signed): string | null {
  const { id, version } = bundle;
  if (!isSigned(bundle, signature)) {
    throw fail(
      'signature_invalid',
      `The signature does not match ${id} ${version} with ${bundle.content_hash} by the key ${signature.public_key}`,
    );
  }
  // The approval of an unsigned version doesn't vouch for the key beside the file.
  if (acceptedKeys === undefined && record?.signature) return record.signed_by;
  const signer = acceptedKeys?.find(({ public_key }) => public_key === signature.public_key);
  if (signer !== undefined) return signer.name === '' ? signer.public_key : signer.name;
  const what = acceptedKeys === undefined ? 'name the key that you expect with --key, or a list with --trust' : 'not by an accepted one';
  throw fail('signature_untrusted', `${id} ${version} is signed by the key ${signature.public_key}: ${what}`);
}
