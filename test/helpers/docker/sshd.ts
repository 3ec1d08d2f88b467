import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { findPart } from '../parts.js';
import { temporaryFolder } from '../platform.js';
import { freePort } from '../ports.js';
import { killed } from '../processes.js';

const run = promisify(execFile);
const start_ms = 60_000;

/** An ssh server on this machine that lets one key in. */
export interface TestSshd {
  /** `ssh://user@127.0.0.1:port`, to which the path of a socket is added. */
  url: string;
  /** Its host key, as a line of a `known_hosts` file without the host. */
  host_key: string;
  /** The same as `ssh-keygen -l` prints it. */
  fingerprint: string;
  /** Private key of the user. */
  private_key: string;
  /** Makes a new host key, and starts again with it. */
  changeKey(): Promise<string>;
  /** Ends it, and the connections that it has. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Ends with the test. Skip the test by `skipWithout('docker', 'ssh')`. */
export async function startSshd(t: Test): Promise<TestSshd> {
  const folder = await temporaryFolder(t);
  const port = await freePort();
  const file = (name: string) => join(folder, name);
  const makeKey = (name: string) => run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file(name)]);
  await Promise.all([makeKey('host-1'), makeKey('user')]);
  await writeFile(file('config'), settings({ port, authorized: file('user.pub') }));
  // Where it is not a service of the system, nobody has made what it asks for.
  await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  let server = await launch({ config: file('config'), key: file('host-1'), port });
  let keys = 1;
  t.teardown(() => killed(server));
  const hostKey = async () => (await readFile(file(`host-${keys}.pub`), 'utf8')).trim();
  const sshd: TestSshd = {
    url: `ssh://${userInfo().username}@127.0.0.1:${port}`,
    host_key: await hostKey(),
    fingerprint: (await run('ssh-keygen', ['-l', '-f', file('host-1.pub')])).stdout.split(' ')[1] ?? '',
    private_key: await readFile(file('user'), 'utf8'),
    stop: () => killed(server),
    async start() {
      server = await launch({ config: file('config'), key: file(`host-${keys}`), port });
    },
    async changeKey() {
      await killed(server);
      keys += 1;
      await makeKey(`host-${keys}`);
      await sshd.start();
      return hostKey();
    },
  };
  return sshd;
}

function settings({ port, authorized }: { port: number; authorized: string }): string {
  return [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `AuthorizedKeysFile ${authorized}`,
    'StrictModes no',
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'UsePAM no',
    'AllowStreamLocalForwarding yes',
    'PidFile none',
    '',
  ].join('\n');
}

/** With processes of its own, so that those of its connections end with it; it dies with this process. */
async function launch({ config, key, port }: { config: string; key: string; port: number }): Promise<ChildProcess> {
  const found = findPart('ssh');
  const program = found && 'program' in found ? found.program : 'sshd';
  const alone = ['--pdeathsig', 'KILL', 'unshare', '--pid', '--fork', '--kill-child', program];
  const server = spawn('setpriv', [...alone, '-D', '-e', '-f', config, '-h', key], { stdio: 'ignore' });
  const until = Date.now() + start_ms;
  while (!(await answers(port))) {
    if (server.exitCode !== null || Date.now() > until) throw new Error('sshd did not start');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return server;
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'data', { signal: AbortSignal.timeout(1_000) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
