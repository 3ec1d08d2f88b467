import { type Failure, isFailure } from '../../../kernel/contract/index.js';
import { failEngine } from './codes.js';
import { SshFault } from './ssh.js';

/** The status that an engine refused with, where it did: 404 nothing there, 409 a conflict, 304 no change. */
export function statusOf(fault: unknown): number | undefined {
  const { statusCode } = (fault ?? {}) as { statusCode?: unknown };
  return typeof statusCode === 'number' ? statusCode : undefined;
}

/** Words of an engine, or of anybody else who isn't the platform: one bounded line without control characters. */
export function plain(text: string, max = 300): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}

/** An engine as sentences name it. */
function named(host: string): string {
  return host === '' ? 'The local engine' : `The engine at ${host}`;
}

/**
 * What went wrong with an engine, as a failure: `engine_unavailable`, `tls_untrusted`, `ssh_host_key_mismatch`,
 * `ssh_auth_failed`, or `engine_error` with the engine's own words. What is a failure already stays as it is.
 *
 * @param host - the engine's address; empty: the local one
 * @throws what is a mistake in the platform's code
 */
export function explain(fault: unknown, host: string): Failure {
  if (isFailure(fault)) return fault;
  const { code = '', message = '' } = (fault ?? {}) as { code?: string; message?: string };
  const options = { cause: fault };
  const engine = named(host);
  // A mistake of the platform's own is no engine's.
  if (code === '' && (fault instanceof TypeError || fault instanceof ReferenceError)) throw fault;
  if (fault instanceof SshFault) return explainSsh(fault, engine);
  if (statusOf(fault) !== undefined)
    return failEngine('engine_error', `${engine} refused (${statusOf(fault)}): ${plain(message)}`, options);
  if (untrusted.test(code))
    return failEngine(
      'tls_untrusted',
      `${engine} shows a certificate that is not trusted (${plain(message)}): check config.tls.ca`,
      options,
    );
  if (/ALERT|SSLV3|_ALERT_/.test(code))
    return failEngine('tls_untrusted', `${engine} does not accept the platform's certificate (${code}): check config.tls`, options);
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return failEngine('tls_untrusted', `${engine} does not speak TLS as expected (${plain(message)})`, options);
  if (code === 'ANSWER_TOO_LARGE' || code.startsWith('HPE_'))
    return failEngine('engine_error', `${engine} answers what no engine does: ${plain(message)}`, options);
  return failEngine('engine_unavailable', `${engine} can't be reached (${reasons[code] ?? plain(message)})${advice(host)}`, options);
}

const untrusted =
  /^(?:UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|CERT_|ERR_TLS_CERT|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|PATH_LENGTH|ERR_TLS_HANDSHAKE)/;

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ENOENT: 'there is no such socket',
  EACCES: 'the platform may not open its socket',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its host name could not be resolved',
  EHOSTUNREACH: 'there is no way to its host',
  ENETUNREACH: 'there is no way to its network',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ABORT_ERR: 'it does not answer in time',
};

function advice(host: string): string {
  return host === '' ? ': is Docker running? PLATFORM_DOCKER_HOST names another' : '';
}

function explainSsh(fault: SshFault, engine: string): Failure {
  const options = { cause: fault };
  const message = plain(fault.message);
  if (fault.code === 'ssh_host_key_mismatch')
    return failEngine('ssh_host_key_mismatch', `${engine}: ${message}. If the host has a new key, give it as config.ssh.host_key`, options);
  if (fault.code === 'ssh_auth_failed')
    return failEngine('ssh_auth_failed', `${engine}: ${message}. Check config.ssh and the user in the address`, options);
  return failEngine('engine_unavailable', `${engine} can't be reached by ssh (${message})`, options);
}
