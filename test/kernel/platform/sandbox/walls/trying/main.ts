/** A program for walls: tries what none may do, and writes what came of it to file descriptor 3. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, Socket } from 'node:net';

const [spool = '', files = '', port = ''] = process.argv.slice(2);

const tried = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code;
  }
};

const network = await new Promise((resolve) => {
  const socket = connect(Number(port), '127.0.0.1');
  socket.once('connect', () => resolve('connected'));
  socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
});

const report = {
  document: tried(() => readFileSync(`${spool}/document`, 'utf8')),
  passwd: tried(() => readFileSync('/etc/passwd', 'utf8')),
  data: tried(() => readdirSync(`${files}/../..`)),
  writes: [spool, files].map((folder) => tried(() => writeFileSync(`${folder}/new`, 'x'))),
  // Fails, or returns an error: the permission model forbids programs.
  program: tried(() => spawnSync('/bin/true').error?.name ?? 'ran'),
  network,
  env: Object.keys(process.env),
};
new Socket({ fd: 3, readable: false, writable: true }).end(JSON.stringify(report));
