import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { until } from '../helpers/eventually.js';
import { shellFor, withoutTerminal } from './shell.js';

const main = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
const noPassword = { PLATFORM_ADMIN_PASSWORD: '' };

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

t.test('the server prints its address once and stores its process id in the data folder', async (t) => {
  const shell = await shellFor(t);
  const server = await shell.serve(t);
  t.match(server.stdout, /^listening on http:\/\/127\.0\.0\.1:\d+\n$/);
  t.equal((await fetch(`${server.url}/healthz`)).status, 200);
  t.equal(readFileSync(`${shell.data_dir}/platform.pid`, 'utf8'), `${server.child.pid}\n`);
  for (const line of server.stderr.trim().split('\n')) t.ok(line === '' || JSON.parse(line), 'standard error has the log');
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`${signal} ends the server with 0 and leaves nothing`, async (t) => {
    const shell = await shellFor(t);
    const server = await shell.serve(t);
    server.child.kill(signal);
    t.equal((await server.ended).code, 0);
    t.match(server.stdout, /^listening on \S+\n$/);
    for (const file of ['platform.pid', 'platform.sock', 'local.key']) t.notOk(existsSync(`${shell.data_dir}/${file}`), file);
    t.equal((await shell.run(['whoami'])).code, 0, 'the data folder is free again');
  });
}

t.test('a second signal ends the server at once', async (t) => {
  const shell = await shellFor(t);
  const server = await shell.serve(t);
  // A request that never ends keeps it from stopping.
  const hanging = request(`${server.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': 100 },
  });
  hanging.on('error', () => undefined);
  hanging.flushHeaders();
  hanging.write('{');
  await once(hanging, 'socket');
  t.teardown(() => hanging.destroy());
  await until(async () => (await fetch(`${server.url}/healthz`)).ok, Boolean);
  server.child.kill('SIGTERM');
  await until(
    () => server.stderr,
    (text) => text.includes('"reason":"SIGTERM"'),
  );
  server.child.kill('SIGTERM');
  t.equal((await server.ended).code, 143);
});

t.test('SIGUSR1 opens no debugger', async (t) => {
  const shell = await shellFor(t);
  const server = await shell.serve(t);
  server.child.kill('SIGUSR1');
  t.equal((await fetch(`${server.url}/healthz`)).status, 200);
  server.child.kill('SIGTERM');
  t.notMatch((await server.ended).stderr, /debugger/i);
});

t.test('a debugger requested by a flag still opens', async (t) => {
  const shell = await shellFor(t, { NODE_OPTIONS: '--inspect=127.0.0.1:0' });
  const server = await shell.serve(t);
  server.child.kill('SIGUSR1');
  t.equal((await fetch(`${server.url}/healthz`)).status, 200);
  server.child.kill('SIGTERM');
  t.match((await server.ended).stderr, /Debugger listening on ws:/);
});

t.test('the server logs an uncaught error and shuts down in order, with exit code 1', async (t) => {
  const planted = "data:text/javascript,process.on('SIGUSR2', () => { throw new Error('planted') })";
  const shell = await shellFor(t, { NODE_OPTIONS: `--import="${planted}"` });
  const server = await shell.serve(t);
  server.child.kill('SIGUSR2');
  const { code, stderr } = await server.ended;
  t.equal(code, 1);
  t.match(stderr, /"reason":"uncaught error".*planted/);
  t.notOk(existsSync(`${shell.data_dir}/platform.pid`));
});

t.test('without a terminal the error output names a file with the first password', async (t) => {
  const shell = await shellFor(t, noPassword);
  const server = await shell.serve(t);
  const file = `${shell.data_dir}/first-password`;
  await until(
    () => server.stderr,
    (text) => text.includes(file),
  );
  t.equal(statSync(file).mode & 0o777, 0o600);
  const password = readFileSync(file, 'utf8').trim();
  t.notMatch(server.stdout + server.stderr, password);
  const { code } = await shell.run(['login', '--url', server.url, '--username', 'admin', '--password-stdin'], password);
  t.equal(code, 0);
});

t.test('on a terminal the first start shows the password once', { skip: withoutTerminal }, async (t) => {
  const shell = await shellFor(t, noPassword);
  const first = shell.terminal(['serve']);
  await first.shows('list all commands');
  const [, url = ''] = /listening on (\S+)/.exec(first.stdout) ?? [];
  const [, password = ''] = /password +(\S+)/.exec(first.stdout) ?? [];
  t.equal((await shell.run(['login', '--url', url, '--username', 'admin', '--password-stdin'], password)).code, 0);
  t.notOk(existsSync(`${shell.data_dir}/first-password`));
  first.type('\u0003');
  t.equal((await first.ended).code, 0);
  const second = shell.terminal(['serve']);
  await second.shows(/listening on \S+\r\n/);
  second.type('\u0003');
  t.notMatch((await second.ended).stdout, /password/);
});

t.test('a server started through npx ends with npx, even through a shell', async (t) => {
  const shell = await shellFor(t, { npm_command: 'exec' });
  for (const program of [`'${process.execPath}' '${main}' serve`, `'${process.execPath}' '${main}' serve; true`]) {
    const starter = `require('node:child_process').spawn('/bin/sh', ['-c', process.argv[1]], { stdio: 'inherit' }); setInterval(() => {}, 1000);`;
    const npx = spawn(process.execPath, ['-e', starter, program], { env: shell.env, stdio: ['ignore', 'pipe', 'ignore'] });
    t.teardown(() => npx.kill('SIGKILL'));
    await once(npx.stdout, 'data');
    const pid = Number(readFileSync(`${shell.data_dir}/platform.pid`, 'utf8'));
    t.teardown(() => alive(pid) && process.kill(pid, 'SIGKILL'));
    t.ok(alive(pid));
    npx.kill('SIGKILL');
    await until(
      () => alive(pid),
      (still) => !still,
    );
    t.notOk(existsSync(`${shell.data_dir}/platform.pid`), 'the server had time to close');
  }
});
