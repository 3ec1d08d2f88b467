import { createCipheriv, createHash } from 'node:crypto';
import { bytesOf, type PdfObjects, pdfFile } from './made-pdf.js';

/** How a PDF is encrypted (ISO 32000-1, 7.6; ISO 32000-2, 7.6.4 for AES-256). */
export interface PdfLock {
  cipher: 'rc4-40' | 'rc4-128' | 'aes-128' | 'aes-256';
  /** The password that opens it; empty if it opens without one. */
  user: string;
  /** The password that permits to change it. */
  owner: string;
}

interface Keys {
  file: Buffer;
  entries: string;
}

const pad = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
const id = Buffer.alloc(16, 7);
const permissions = -44;

/** Writes a PDF whose streams are encrypted. It must have no strings. */
export function lockedPdf(objects: PdfObjects, lock: PdfLock): Buffer {
  const { file, entries } = lock.cipher === 'aes-256' ? newKeys(lock) : oldKeys(lock);
  const locked = Object.entries(objects).map(([number, object]) =>
    typeof object === 'string'
      ? [number, object]
      : [number, { ...object, data: encrypt(bytesOf(object.data), file, Number(number), lock.cipher) }],
  );
  const trailer = `/Encrypt<</Filter/Standard/P ${permissions}${entries}>>/ID[<${id.toString('hex')}><${id.toString('hex')}>]`;
  return pdfFile(Object.fromEntries(locked) as PdfObjects, { trailer });
}

function encrypt(data: Buffer, file: Buffer, number: number, cipher: PdfLock['cipher']): Buffer {
  const iv = Buffer.alloc(16, 3);
  if (cipher === 'aes-256') return Buffer.concat([iv, aes('aes-256-cbc', { key: file, iv }, data, true)]);
  const salt = Buffer.from([number & 255, number >> 8, 0, 0, 0]);
  const key = md5(file, salt, bytesOf(cipher === 'aes-128' ? 'sAlT' : '')).subarray(0, Math.min(16, file.length + 5));
  return cipher === 'aes-128' ? Buffer.concat([iv, aes('aes-128-cbc', { key, iv }, data, true)]) : rc4(key, data);
}

/** Derives the keys of RC4 and AES-128 (algorithms 2 to 5). */
function oldKeys({ cipher, user, owner }: PdfLock): Keys {
  const revision = { 'rc4-40': 2, 'rc4-128': 3, 'aes-128': 4, 'aes-256': 6 }[cipher];
  const length = revision === 2 ? 5 : 16;
  const rounds = revision === 2 ? 0 : 50;
  const ownerKey = repeated(md5(padded(owner)), length, rounds);
  const o = sealed(ownerKey, padded(user), revision);
  const p = Buffer.alloc(4);
  p.writeInt32LE(permissions);
  const file = repeated(md5(padded(user), o, p, id), length, rounds);
  const u = revision === 2 ? rc4(file, pad) : Buffer.concat([sealed(file, md5(pad, id), revision), Buffer.alloc(16)]);
  const method = cipher === 'aes-128' ? '/CF<</StdCF<</CFM/AESV2/AuthEvent/DocOpen/Length 16>>>>/StmF/StdCF/StrF/StdCF' : '';
  const version = { 2: 1, 3: 2, 4: 4, 6: 5 }[revision];
  const entries = `/V ${version}/R ${revision}/Length ${8 * length}/O<${o.toString('hex')}>/U<${u.toString('hex')}>${method}`;
  return { file, entries };
}

/** Derives the keys of AES-256 (algorithms 8 to 10). */
function newKeys({ user, owner }: PdfLock): Keys {
  const file = Buffer.alloc(32, 9);
  const checked = Buffer.alloc(8, 1);
  const keyed = Buffer.alloc(8, 2);
  const none = Buffer.alloc(0);
  const [open, change] = [Buffer.from(user), Buffer.from(owner)];
  const u = Buffer.concat([hardened(open, checked, none), checked, keyed]);
  const o = Buffer.concat([hardened(change, checked, u), checked, keyed]);
  const wrap = (key: Buffer) => aes('aes-256-cbc', { key, iv: Buffer.alloc(16) }, file, false).toString('hex');
  const perms = Buffer.alloc(16, 0xff);
  perms.writeInt32LE(permissions);
  perms.write('Tadb', 8, 'latin1');
  const sealedPerms = aes('aes-256-ecb', { key: file, iv: null }, perms, false).toString('hex');
  const method = '/CF<</StdCF<</CFM/AESV3/AuthEvent/DocOpen/Length 32>>>>/StmF/StdCF/StrF/StdCF';
  const entries =
    `/V 5/R 6/Length 256/O<${o.toString('hex')}>/U<${u.toString('hex')}>/OE<${wrap(hardened(change, keyed, u))}>` +
    `/UE<${wrap(hardened(open, keyed, none))}>/Perms<${sealedPerms}>${method}`;
  return { file, entries };
}

/** Hashes a password (algorithm 2.B). */
function hardened(password: Buffer, salt: Buffer, more: Buffer): Buffer {
  let key: Buffer = createHash('sha256')
    .update(Buffer.concat([password, salt, more]))
    .digest();
  let last = 0;
  for (let round = 0; round < 64 || last > round - 32; round += 1) {
    const block = Buffer.concat([password, key, more]);
    const input = Buffer.concat(Array.from({ length: 64 }, () => block));
    const output = aes('aes-128-cbc', { key: key.subarray(0, 16), iv: key.subarray(16, 32) }, input, false);
    const choice = output.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = createHash(['sha256', 'sha384', 'sha512'][choice] ?? '')
      .update(output)
      .digest();
    last = output.at(-1) ?? 0;
  }
  return key.subarray(0, 32);
}

function sealed(key: Buffer, data: Buffer, revision: number): Buffer {
  let result = rc4(key, data);
  for (let round = 1; revision > 2 && round < 20; round += 1)
    result = rc4(
      key.map((byte) => byte ^ round),
      result,
    );
  return result;
}

function repeated(first: Buffer, length: number, rounds: number): Buffer {
  let key = first.subarray(0, length);
  for (let round = 0; round < rounds; round += 1) key = md5(key).subarray(0, length);
  return key;
}

function padded(password: string): Buffer {
  return Buffer.concat([bytesOf(password), pad]).subarray(0, 32);
}

function md5(...parts: readonly Buffer[]): Buffer {
  return createHash('md5').update(Buffer.concat(parts)).digest();
}

function aes(name: string, { key, iv }: { key: Buffer; iv: Buffer | null }, data: Buffer, padding: boolean): Buffer {
  const cipher = createCipheriv(name, key, iv).setAutoPadding(padding);
  return Buffer.concat([cipher.update(data), cipher.final()]);
}

/** RC4, which Node's own library has no longer. */
function rc4(key: Uint8Array, data: Uint8Array): Buffer {
  const state = Array.from({ length: 256 }, (_, index) => index);
  const at = (index: number) => state[index & 255] ?? 0;
  const swap = (one: number, two: number) => {
    [state[one & 255], state[two & 255]] = [at(two), at(one)];
  };
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 255;
    swap(i, j);
  }
  let j = 0;
  return Buffer.from(
    data.map((byte, index) => {
      const i = (index + 1) & 255;
      j = (j + at(i)) & 255;
      swap(i, j);
      return byte ^ at(at(i) + at(j));
    }),
  );
}
