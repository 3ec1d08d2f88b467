import t from 'tap';
import { fingerprintOf, hostKeyFault, pinnedKey, typeOf } from '../../../../extensions/nodes/engines/host-key.js';

// Made by ssh-keygen, whose `-l` gave the fingerprint.
const line = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFGqDiFUTbBnS83N5o7Mbsjdm/9OYpHTUWqOy+ciG0aY';
const fingerprint = 'SHA256:TJNGtYOjdmujZaWenTaM0OhRonCSmy8AQH7ynEjEg0c';

t.test('a known_hosts line and a fingerprint can name the same key', async (t) => {
  t.strictSame(pinnedKey(line), { type: 'ssh-ed25519', fingerprint });
  t.strictSame(pinnedKey(`  ${line} somebody@somewhere\n`), { type: 'ssh-ed25519', fingerprint });
  t.strictSame(pinnedKey(fingerprint), { type: undefined, fingerprint });
  t.strictSame(pinnedKey(`${fingerprint}=`), { type: undefined, fingerprint });
});

t.test('rejects malformed keys', async (t) => {
  for (const text of [
    '',
    'SHA256:short',
    'MD5:aa:bb',
    line.replace('ed25519', 'rsa'),
    `host.example ${line}`,
    'ssh-ed25519 AAAA',
    'ssh-ed25519',
  ])
    t.match(hostKeyFault(text), /must be the host's key/, text);
  t.equal(hostKeyFault(line), undefined);
});

t.test('a truncated key has no type', async (t) => {
  t.equal(typeOf(Buffer.alloc(3)), undefined);
  t.equal(typeOf(Buffer.from([0xff, 0xff, 0xff, 0xff, 1])), undefined);
  t.match(fingerprintOf(Buffer.from('x')), /^SHA256:[A-Za-z0-9+/]{43}$/);
});
