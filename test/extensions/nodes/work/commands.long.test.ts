import t from 'tap';
import { until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { ada, Site } from './site.js';

const skip = skipWithout('docker', 'registry');

t.test('a command runs as the member, in its own folder', { skip }, async (t) => {
  const site = await Site.start(t);
  const place = await site.node();

  await t.test("a command's outputs are returned separately, with its exit code", async (t) => {
    const said = await site.run(place, ada, 'echo out; echo err >&2; pwd; id -u; echo "$HOME"; exit 3');
    t.same(said, {
      exit_code: 3,
      how: 'exit',
      truncated: false,
      stdout: 'out\n/workspace/m5/e2\n100005\n/workspace/m5/e2\n',
      stderr: 'err\n',
    });
    t.equal((await site.run(place, ada, 'cat')).exit_code, 0, 'the command has no input');
    t.match(await site.run(place, ada, '', { argv: ['no-such-program'] }), { exit_code: 127, stderr: /no-such-program/ });
    t.match(await site.run(place, ada, '', { argv: ['printf', '%s|', '$HOME', "a'b", '-n'] }), { stdout: "$HOME|a'b|-n|" });
    t.equal((await site.run(place, ada, 'kill -SEGV $$')).exit_code, 139);
  });

  await t.test("a command gets nothing of the platform's environment", async (t) => {
    const { stdout } = await site.run(place, ada, 'env | cut -d= -f1 | sort', { env: { GIVEN: 'x' } });
    t.same(stdout.split('\n').filter(Boolean), ['GIVEN', 'HOME', 'HOSTNAME', 'OLDPWD', 'PATH', 'PLATFORM_CALL', 'PWD', 'SHLVL']);
    t.match(
      await site.run(place, ada, 'ls -l /var/run/docker.sock /run/docker.sock'),
      { exit_code: 1 },
      "the engine's socket is not in the container",
    );
    t.match(await site.run(place, ada, 'find / -xdev -type s 2>/dev/null'), { stdout: '' }, 'no other socket is in the container');
  });

  await t.test('the output of a running command is streamed', async (t) => {
    const told: [string, number][] = [];
    const started = Date.now();
    await site.run(place, ada, 'echo first; sleep 2; echo second', { told: (text) => told.push([text, Date.now() - started]) });
    t.same(
      told.map(([text]) => text),
      ['first\n', 'second\n'],
    );
    t.ok((told[1]?.[1] ?? 0) - (told[0]?.[1] ?? 0) > 1_500, told.map(([, at]) => at).join(' '));
  });

  await t.test('output bytes are returned unchanged up to the limit', async (t) => {
    const bytes: Buffer[] = [];
    const watch = { signal: new AbortController().signal, output: (frame: { bytes: Buffer }) => void bytes.push(frame.bytes) };
    const all = 'i=0; while [ $i -lt 256 ]; do printf "\\\\$(printf %03o $i)"; i=$((i+1)); done';
    const command = { argv: ['/bin/sh', '-c', all], folder: '/workspace/m5/e2', timeout_ms: 20_000 };
    await site.execs.runFor(ada, place, { command, watch });
    t.same(Buffer.concat(bytes), Buffer.from(Array.from({ length: 256 }, (_, n) => n)));
    const flood = await site.run(place, ada, 'yes | head -c 30000000; echo end >&2');
    t.match(flood, { exit_code: 0, truncated: true });
    t.equal(flood.stdout.length + flood.stderr.length, 1024 * 1024);
    t.match(await site.run(place, ada, 'yes | head -c 3000', { max_bytes: 1_000 }), { truncated: true, stdout: /^(y\n){500}$/ });
  });

  await t.test('commands beyond the limit of a node wait until others end', async (t) => {
    const alive = async () => (await site.programs(place)).filter((program) => program.startsWith('sleep 600.')).length;
    const script = 'for pid in $(pidof sleep); do grep -q 600 /proc/$pid/cmdline && kill $pid; done';
    const wake = async () => (await place.container.exec({ Cmd: ['sh', '-c', script] })).start({ Detach: true });
    const run = (n: number) => site.run(place, ada, `sleep 600.${n}; echo ${n}`, { timeout_ms: 100_000 });
    let ended = false;
    const all = Promise.all(Array.from({ length: 40 }, (_, n) => run(n))).finally(() => {
      ended = true;
    });
    let max = await until(alive, (count) => count >= 32, 60_000);
    for (; !ended; max = Math.max(max, await alive())) await wake();
    const ends = await all;
    t.same(
      ends.map(({ stdout }) => stdout),
      Array.from({ length: 40 }, (_, n) => `${n}\n`),
    );
    t.equal(max, 32);
  });

  await t.test('a command in a missing folder is rejected', async (t) => {
    await t.rejects(site.run(place, ada, 'ls', { folder: '/nowhere' }), { code: 'invalid_input', details: [{ path: 'cwd' }] });
    await t.rejects(site.run(place, ada, 'ls', { folder: '/root/x' }), { code: 'invalid_input' });
    const watch = { signal: new AbortController().signal, output: () => undefined };
    const command = { argv: ['id'], folder: '/', timeout_ms: 5_000, user: 'nobody-knows' };
    await t.rejects(site.execs.run(place, command, watch), { code: 'invalid_input', details: [{ path: 'user' }] });
  });

  await t.test('a command that meets the limit of processes reports it', async (t) => {
    const place = await site.node({ network: 'none' });
    const watch = { signal: new AbortController().signal, output: () => undefined };
    // Exhausting the processes for real would affect parallel tests. A shell that can't fork reports it invisibly and exits like this.
    const shell = "printf '#!/bin/busybox sh\\nexit 2\\n' >/bin/sh.new; chmod 755 /bin/sh.new; mv /bin/sh.new /bin/sh";
    t.equal((await site.execs.run(place, { argv: ['sh', '-c', shell], folder: '/', timeout_ms: 5_000 }, watch)).exit_code, 0);
    await t.rejects(site.run(place, ada, 'true'), { code: 'node_busy', message: /The member's process limit/ });
  });

  await t.test('the workspace outlives the container, and a deleted folder is created again', async (t) => {
    await site.run(place, ada, 'echo kept > file');
    await place.container.restart({ t: 0 });
    t.equal((await site.run(place, ada, 'cat file')).stdout, 'kept\n');
    await site.run(place, ada, 'cd /; rm -r /workspace/m5/e2');
    t.match(await site.run(place, ada, 'pwd; ls -A'), { exit_code: 0, stdout: '/workspace/m5/e2\n' });
  });

  await t.test('a missing container, and one that ends during a command, are reported', async (t) => {
    // It may be refused before the engine says that the container is dead.
    const refused = t.rejects(site.run(place, ada, 'sleep 600'), { code: 'node_offline', message: /ended while the command ran/ });
    await until(
      () => site.programs(place),
      (programs) => programs.some((program) => program.includes('sleep 600')),
    );
    await place.container.kill();
    await refused;
    await t.rejects(site.run(place, ada, 'ls'), { code: 'node_offline', message: /does not run/ });
    await place.container.remove({ force: true });
    await t.rejects(site.run(place, ada, 'ls'), { code: 'node_offline', message: /is gone/ });
  });
});
