import t from 'tap';
import { type EngineAddress, targetOf } from '../../../../extensions/nodes/engines/address.js';
import { isFailure } from '../../../../kernel/contract/index.js';

const fingerprint = `SHA256:${'a'.repeat(43)}`;
const password = { ssh: { password: 'p' } };

const address = (host: string, change: Partial<EngineAddress> = {}): EngineAddress => ({ host, host_key: '', secrets: {}, ...change });
const byKey = (host: string) => address(host, { host_key: fingerprint, secrets: password });

function faults(given: EngineAddress) {
  try {
    targetOf(given);
  } catch (fault) {
    if (isFailure(fault) && fault.code === 'invalid_input') return fault.details?.map(({ path, message }) => `${path}: ${message}`);
    throw fault;
  }
  throw new Error('the address was accepted');
}

t.test('each kind of address leads to its target', async (t) => {
  t.strictSame(targetOf(address('unix:///run/docker.sock')), { kind: 'unix', path: '/run/docker.sock' });
  t.strictSame(targetOf(address('tcp://engine.example')), { kind: 'tcp', host: 'engine.example', port: 2375, secure: false });
  t.strictSame(targetOf(address('tcp://[2001:db8::1]:1/')), { kind: 'tcp', host: '2001:db8::1', port: 1, secure: false });
  t.strictSame(targetOf(address('http://10.0.0.1:80')), { kind: 'tcp', host: '10.0.0.1', port: 80, secure: false });
  t.strictSame(targetOf(address('https://10.0.0.1')), { kind: 'tcp', host: '10.0.0.1', port: 2376, secure: true });
  t.strictSame(targetOf(address('https://10.0.0.1:443')), { kind: 'tcp', host: '10.0.0.1', port: 443, secure: true });
  t.strictSame(targetOf(address('tcp://h', { secrets: { tls: {} } })), { kind: 'tcp', host: 'h', port: 2376, secure: true });
  const ssh = { kind: 'ssh', user: 'ops', host: 'h.example', port: 22, path: '/var/run/docker.sock' } as const;
  t.strictSame(targetOf(byKey('ssh://ops@h.example')), ssh);
  t.strictSame(targetOf(byKey('ssh://ops@h.example:2222/run/user/1/docker.sock')), { ...ssh, port: 2222, path: '/run/user/1/docker.sock' });
});

t.test('rejects an invalid address and says what is expected', async (t) => {
  const wrong: Record<string, RegExp> = {
    'ftp://h': /must be one of tcp:/,
    'h:2375': /must be one of tcp:/,
    'tcp://': /must/,
    'tcp://h:99999': /must be one of tcp:/,
    'tcp://a b': /must/,
    'tcp://h/v1.41': /must not have a path/,
    'tcp://h?x=1': /query/,
    'http://user:secret@h': /must not have credentials/,
    'unix://docker.sock': /absolute path/,
    [`unix:///${'a'.repeat(107)}`]: /at most 107 bytes/,
    'unix:///a\u0000b': /absolute path/,
    'ssh://h': /must name the user/,
    'ssh://u:p@h': /must not have a password/,
    'ssh://-oProxyCommand=x@h': /must name the user/,
    'ssh://u@h/%00': /absolute path/,
    [`tcp://${'a'.repeat(600)}`]: /512 characters/,
  };
  for (const [host, message] of Object.entries(wrong)) {
    const [fault, ...others] = faults(address(host)) ?? [];
    t.match(fault, /^host: /, host);
    t.match(fault, message, host);
    t.strictSame(others, []);
  }
});

t.test('an address in an error never reveals its secrets', async (t) => {
  t.notMatch(faults(address('http://user:secret@h'))?.join(), /secret@/);
  t.notMatch(faults(address('tcp://h', { secrets: { tls: { ca: 'my secret' } } }))?.join(), /my secret/);
});

t.test('keys and certificates must fit the address', async (t) => {
  t.strictSame(faults(address('ssh://u@h')), [
    'config.ssh.host_key: "config.ssh.host_key" must be the host\'s key as "ssh-ed25519 AAAA…" or its fingerprint "SHA256:…", as ssh-keyscan and ssh-keygen -l print them',
    'config.ssh: "config.ssh" must have a private_key or a password',
  ]);
  t.strictSame(faults(address('tcp://h', { secrets: password })), ['config.ssh: "config.ssh" goes with ssh://, not with tcp://']);
  t.strictSame(faults(address('unix:///s', { secrets: { tls: { ca: 'x' } } })), [
    'config.tls: "config.tls" goes with tcp:// and https://, not with unix://',
  ]);
  t.match(faults(address('http://h', { secrets: { tls: {} } })), ['host: "host" must start with tcp:// or https:// if config.tls is set']);
});

t.test('unusable certificates are rejected at once', async (t) => {
  t.match(faults(address('tcp://h', { secrets: { tls: { ca: 'not a certificate' } } })), [/must have a PEM certificate as ca/]);
  t.match(faults(address('tcp://h', { secrets: { tls: { cert: 'x' } } })), [/both cert and key/]);
});
