import { type Failure, isFailure } from '../../../kernel/contract/index.js';
import { failEngine } from './codes.js';
import { SshFault } from './ssh.js';

/** Returns the status of an engine's refusal, if it is one: 404 missing, 409 conflict, 304 unchanged. */
export function statusOf(fault: unknown): number | undefined {
  const { statusCode } = (fault ?? {}) as { statusCode?: unknown };
  return typeof statusCode === 'number' ? statusCode : undefined;
}

/** Cleans text from outside: one line of limited length without control characters. */
export function singleLine(text: string, max = 300): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}

/** Returns an engine's name for messages. */
function engineName(host: string): string {
  return host === '' ? 'The local engine' : `The engine at ${host}`;
}

/**
 * Converts an error of an engine to a failure: `engine_unavailable`, `tls_untrusted`, `ssh_host_key_mismatch`,
 * `ssh_auth_failed`, or `engine_error` with the engine's own message. Failures stay as they are.
 *
 * @param host - the engine's address; empty means the local one
 * @throws errors in the platform's own code
 */
export function explain(fault: unknown, host: string): Failure {
  if (isFailure(fault)) return fault;
  const { code = '', message = '' } = (fault ?? {}) as { code?: string; message?: string };
  const options = { cause: fault };
  const engine = engineName(host);
  // An error in the platform's code is not the engine's.
  if (code === '' && (fault instanceof TypeError || fault instanceof ReferenceError)) throw fault;
  if (fault instanceof SshFault) return explainSsh(fault, engine);
  if (statusOf(fault) !== undefined)
    return failEngine('engine_error', `${engine} refused (${statusOf(fault)}): ${singleLine(message)}`, options);
  if (untrustedCodes.test(code))
    return failEngine(
      'tls_untrusted',
      `${engine} presents an untrusted certificate (${singleLine(message)}): check config.tls.ca`,
      options,
    );
  if (/ALERT|SSLV3|_ALERT_/.test(code))
    return failEngine('tls_untrusted', `${engine} does not accept the platform's certificate (${code}): check config.tls`, options);
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return failEngine('tls_untrusted', `${engine} does not speak TLS as expected (${singleLine(message)})`, options);
  if (code === 'ANSWER_TOO_LARGE' || code.startsWith('HPE_'))
    return failEngine('engine_error', `${engine} sent an invalid response: ${singleLine(message)}`, options);
  return failEngine('engine_unavailable', `${engine} can't be reached (${reasons[code] ?? singleLine(message)})${advice(host)}`, options);
}

const untrustedCodes =
  /^(?:UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|CERT_|ERR_TLS_CERT|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|PATH_LENGTH|ERR_TLS_HANDSHAKE)/;

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOENT: 'the socket does not exist',
  EACCES: 'the platform has no permission for its socket',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'its host name could not be resolved',
  EHOSTUNREACH: 'no route to its host',
  ENETUNREACH: 'no route to its network',
  ECONNRESET: 'the connection was lost',
  EPIPE: 'the connection was lost',
  ABORT_ERR: 'it does not answer in time',
};

function advice(host: string): string {
  return host === '' ? ': is Docker running? Set PLATFORM_DOCKER_HOST to use another engine' : '';
}

function explainSsh(fault: SshFault, engine: string): Failure {
  const options = { cause: fault };
  const message = singleLine(fault.message);
  if (fault.code === 'ssh_host_key_mismatch')
    return failEngine('ssh_host_key_mismatch', `${engine}: ${message}. If the host has a new key, set it in config.ssh.host_key`, options);
  if (fault.code === 'ssh_auth_failed')
    return failEngine('ssh_auth_failed', `${engine}: ${message}. Check config.ssh and the user in the address`, options);
  return failEngine('engine_unavailable', `${engine} can't be reached by ssh (${message})`, options);
}
