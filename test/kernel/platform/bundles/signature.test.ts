import { generateKeyPairSync, verify } from 'node:crypto';
import t from 'tap';
import { isSigned, isSigningKey, publicText, signBundle } from '../../../../kernel/platform/bundles/signature.js';

const bundle = { id: 'acme.hello', version: '1.2.3', content_hash: `sha256:${'ab'.repeat(32)}` };
const { privateKey, publicKey } = generateKeyPairSync('ed25519');

t.test('a signature covers the documented text and is made with the raw key', async (t) => {
  const { public_key, signature } = signBundle(bundle, privateKey);
  t.equal(public_key, publicText(publicKey));
  t.equal(Buffer.from(public_key, 'base64').length, 32);
  const text = `platform-bundle-v1\nacme.hello\n1.2.3\n${bundle.content_hash}\n`;
  t.ok(verify(undefined, Buffer.from(text), publicKey, Buffer.from(signature, 'base64')));
  t.ok(isSigned(bundle, { public_key, signature }));
  t.ok(isSigningKey(public_key));
});

t.test('a signature is valid for one id, version and content', async (t) => {
  const signature = signBundle(bundle, privateKey);
  const others = [{ id: 'acme.hallo' }, { version: '1.2.4' }, { content_hash: `sha256:${'ac'.repeat(32)}` }];
  for (const other of others) t.notOk(isSigned({ ...bundle, ...other }, signature), JSON.stringify(other));
});

t.test('rejects signatures that are not of the key', async (t) => {
  const good = signBundle(bundle, privateKey);
  const stranger = publicText(generateKeyPairSync('ed25519').publicKey);
  const turned = Buffer.from(good.signature, 'base64');
  turned[3] = (turned[3] as number) ^ 1;
  const wrong: Record<string, Partial<typeof good>> = {
    'of another key': { public_key: stranger },
    'a bit turned': { signature: turned.toString('base64') },
    'one byte short': { signature: Buffer.from(good.signature, 'base64').subarray(1).toString('base64') },
    'another spelling of its base64': { signature: good.signature.replace(/==$/, '') },
    'with a line feed': { public_key: `${good.public_key}\n` },
    'a key as PEM': { public_key: publicKey.export({ format: 'pem', type: 'spki' }) as string },
    'nothing at all': { public_key: '', signature: '' },
  };
  for (const [name, change] of Object.entries(wrong)) t.notOk(isSigned(bundle, { ...good, ...change }), name);
});

t.test('a weak key that anyone can sign for is rejected', async (t) => {
  const one = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]);
  const forged = Buffer.concat([one, Buffer.alloc(32)]);
  // Some versions of Node take this for a signature of anything by this key.
  t.notOk(isSigned(bundle, { public_key: one.toString('base64'), signature: forged.toString('base64') }));
  const negative = Buffer.from(one);
  negative[31] = 0x80;
  for (const weak of [one, negative, Buffer.alloc(32)]) t.notOk(isSigningKey(weak.toString('base64')), weak.toString('hex'));
});
