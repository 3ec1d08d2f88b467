import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type ConnectionOptions, createSecureContext, type SecureContext } from 'node:tls';
import type { EngineSecrets } from '../store/stored.js';

type Material = NonNullable<EngineSecrets['tls']>;

/** Returns the error in certificates and keys, without quoting them; undefined if they are valid. */
export function tlsFault(tls: Material): string | undefined {
  if ((tls.cert === undefined) !== (tls.key === undefined)) return 'must have both cert and key, or neither';
  const unreadable = (['ca', 'cert'] as const).find((name) => tls[name] !== undefined && !isCertificate(tls[name]));
  if (unreadable) return `must have a PEM certificate as ${unreadable}`;
  try {
    contextOf(tls);
    return undefined;
  } catch (fault) {
    const { code = 'unknown' } = fault as NodeJS.ErrnoException;
    return code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH' ? "must have the cert's own key" : `can't be used: ${code}`;
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

export function contextOf({ ca, cert, key }: Material): SecureContext {
  return createSecureContext({ minVersion: 'TLSv1.2', ...(ca ? { ca } : {}), ...(cert && key ? { cert, key } : {}) });
}

/**
 * Builds the TLS options: only certificates of the configured authority, or of one that Node.js trusts, are accepted,
 * whatever the environment says.
 */
export function tlsOptions({ host, port }: { host: string; port: number }, context: SecureContext): ConnectionOptions {
  return { host, port, secureContext: context, rejectUnauthorized: true, ...(isIP(host) === 0 ? { servername: host } : {}) };
}
