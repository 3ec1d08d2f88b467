import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { BundleSignature } from '../../contract/installation.js';

/** The signed data: nobody can give a bundle another name, or a version another content. */
export interface SignedBundle {
  id: string;
  version: string;
  /** `sha256:` and the hex digest of the ZIP's bytes. */
  content_hash: string;
}

const textOf = ({ id, version, content_hash }: SignedBundle): Buffer =>
  Buffer.from(`platform-bundle-v1\n${id}\n${version}\n${content_hash}\n`);

/** Signs a bundle with an Ed25519 key. */
export function signBundle(bundle: SignedBundle, key: KeyObject): BundleSignature {
  return { public_key: publicText(key), signature: sign(undefined, textOf(bundle), key).toString('base64') };
}

/** Returns whether the signature is this key's for this bundle; false for malformed ones. */
export function isSigned(bundle: SignedBundle, { public_key, signature }: BundleSignature): boolean {
  const key = signingKey(public_key);
  const bytes = decodeCanonical(signature, 64);
  return key !== undefined && bytes !== undefined && verify(undefined, textOf(bundle), key, bytes);
}

/** Returns whether a text is the base64 of a safe Ed25519 public key. */
export function isSigningKey(text: string): boolean {
  return signingKey(text) !== undefined;
}

/** Returns the base64 of the 32 bytes of a public key. */
export function publicText(key: KeyObject): string {
  const { x } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' });
  return Buffer.from(x ?? '', 'base64url').toString('base64');
}

/** DER prefix before the 32 bytes (RFC 8410). */
const prefix = Buffer.from('302a300506032b6570032100', 'hex');

function signingKey(text: string): KeyObject | undefined {
  const bytes = decodeCanonical(text, 32);
  if (bytes === undefined || isWeak(bytes)) return undefined;
  try {
    return createPublicKey({ key: Buffer.concat([prefix, bytes]), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

/** Decodes canonical base64 of a length. Other spellings are rejected, because keys are compared as text. */
function decodeCanonical(text: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === length && bytes.toString('base64') === text ? bytes : undefined;
}

/**
 * Points of small order, without the sign bit (RFC 8032, section 5.1.7 leaves rejecting them to the verifier): for some of
 * these keys anybody can create valid signatures.
 */
const weak = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]);

function isWeak(bytes: Buffer): boolean {
  const unsigned = Buffer.from(bytes);
  unsigned[31] = (unsigned[31] as number) & 0x7f;
  return weak.has(unsigned.toString('hex'));
}
