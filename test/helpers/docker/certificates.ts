import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** PEM texts. */
export interface Certificate {
  cert: string;
  key: string;
}

/** An authority of a test's own, and what it has signed, in files of a folder. */
export interface Authority {
  ca: string;
  folder: string;
  /** Signs a certificate for a host's address, or for a client; `<name>.pem` and `<name>-key.pem` hold it. */
  sign(name: string, address?: string): Promise<Certificate>;
}

const days = ['-days', '2'];
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export async function makeAuthority(folder: string): Promise<Authority> {
  const file = (name: string) => join(folder, name);
  await run('openssl', [
    'req',
    '-x509',
    ...newKey,
    ...days,
    '-subj',
    '/CN=test authority',
    '-keyout',
    file('ca-key.pem'),
    '-out',
    file('ca.pem'),
  ]);
  const text = (name: string) => readFile(file(name), 'utf8');
  return {
    ca: await text('ca.pem'),
    folder,
    async sign(name, address) {
      const use = address === undefined ? 'extendedKeyUsage=clientAuth' : `extendedKeyUsage=serverAuth\nsubjectAltName=IP:${address}`;
      await writeFile(file(`${name}.ext`), `${use}\n`);
      await run('openssl', [
        'req',
        '-new',
        ...newKey,
        '-subj',
        `/CN=${name}`,
        '-keyout',
        file(`${name}-key.pem`),
        '-out',
        file(`${name}.csr`),
      ]);
      const by = ['-CA', file('ca.pem'), '-CAkey', file('ca-key.pem'), '-CAcreateserial', ...days, '-extfile', file(`${name}.ext`)];
      await run('openssl', ['x509', '-req', '-in', file(`${name}.csr`), ...by, '-out', file(`${name}.pem`)]);
      return { cert: await text(`${name}.pem`), key: await text(`${name}-key.pem`) };
    },
  };
}
