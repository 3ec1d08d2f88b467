import t from 'tap';
import { EngineRefusal } from '../../../../extensions/nodes/engines/exchange.js';
import { explain, singleLine, statusOf } from '../../../../extensions/nodes/engines/failures.js';
import { SshFault } from '../../../../extensions/nodes/engines/ssh.js';
import { fail } from '../../../../kernel/contract/index.js';

const system = (code: string, message = 'words') => Object.assign(new Error(message), { code });

t.test("each fault has a code, a status and a sentence with the engine's name", async (t) => {
  const cases: [fault: unknown, code: string, status: number, message: RegExp][] = [
    [system('ECONNREFUSED'), 'engine_unavailable', 503, /^The engine at tcp:\/\/h can't be reached \(connection refused\)$/],
    [system('ENOENT'), 'engine_unavailable', 503, /the socket does not exist/],
    [system('ETIMEDOUT', 'No answer within 5 ms'), 'engine_unavailable', 503, /No answer within 5 ms/],
    [new Error('socket hang up'), 'engine_unavailable', 503, /socket hang up/],
    [system('SELF_SIGNED_CERT_IN_CHAIN'), 'tls_untrusted', 502, /untrusted.*config\.tls\.ca/],
    [system('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls_untrusted', 502, /untrusted/],
    [system('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), 'tls_untrusted', 502, /does not accept the platform's certificate/],
    [system('EPROTO'), 'tls_untrusted', 502, /does not speak TLS/],
    [system('HPE_INVALID_CONSTANT'), 'engine_error', 502, /sent an invalid response/],
    [system('ANSWER_TOO_LARGE'), 'engine_error', 502, /sent an invalid response/],
    [new EngineRefusal(500, { message: 'no space left' }), 'engine_error', 502, /refused \(500\): no space left/],
    [new EngineRefusal(418, Buffer.from('<html>')), 'engine_error', 502, /refused \(418\): <html>/],
    [new SshFault('ssh_host_key_mismatch', 'h shows x'), 'ssh_host_key_mismatch', 502, /h shows x\. If the host has a new key/],
    [new SshFault('ssh_auth_failed', 'no'), 'ssh_auth_failed', 502, /Check config\.ssh/],
    [new SshFault('ssh_socket_refused', '/s: no'), 'engine_unavailable', 503, /by ssh \(\/s: no\)/],
    [undefined, 'engine_unavailable', 503, /can't be reached/],
  ];
  for (const [fault, code, status, message] of cases) {
    const failure = explain(fault, 'tcp://h');
    t.match({ code: failure.code, status: failure.status, message: failure.message }, { code, status, message });
    t.equal(failure.cause, fault);
  }
});

t.test('faults of the local engine include advice', async (t) => {
  t.match(
    explain(system('ENOENT'), '').message,
    /^The local engine .* is Docker running\? Set PLATFORM_DOCKER_HOST to use another engine$/,
  );
});

t.test('a failure is passed on unchanged', async (t) => {
  const failure = fail('not_found', 'x');
  t.equal(explain(failure, ''), failure);
});

t.test("an engine's message becomes one limited line without terminal controls", async (t) => {
  t.equal(singleLine(' a\u001b[31m\r\nb\u202ec '), 'a [31m b c');
  t.equal(singleLine('x'.repeat(500)).length, 300);
  t.equal(explain(new EngineRefusal(500, { message: `${'x'.repeat(400)}\u0007` }), '').message.length < 350, true);
});

t.test('distinguishes HTTP status errors from others', async (t) => {
  t.equal(statusOf(new EngineRefusal(404, {})), 404);
  t.equal(statusOf({ statusCode: 409 }), 409);
  for (const fault of [undefined, null, new Error('x'), { statusCode: '404' }]) t.equal(statusOf(fault), undefined);
});
