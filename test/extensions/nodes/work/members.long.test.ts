import t from 'tap';
import { skipWithout } from '../../../helpers/parts.js';
import { ada, bob, Site } from './site.js';

const skip = skipWithout('docker', 'registry');

t.test('members are separated on one node, and none becomes root', { skip }, async (t) => {
  const site = await Site.start(t);
  const place = await site.node();
  const as_root = { signal: new AbortController().signal, output: () => undefined };
  await site.run(place, ada, 'echo secret > file; mkdir -m 777 open; echo x > open/x; chmod 666 open/x');
  await site.run(place, bob, 'true');

  await t.test("a member can't read, list or change another's files", async (t) => {
    for (const command of [
      'cat /workspace/m5/e2/file',
      'ls /workspace/m5',
      'ls /workspace',
      'cat /workspace/m5/e2/open/x',
      'echo y > /workspace/m5/e2/open/x',
    ])
      t.match(await site.run(place, bob, command), { stdout: '', exit_code: 1 }, command);
    for (const command of ['mkdir /workspace/m7', 'ln -s /etc /workspace/m7', 'mv /workspace/m5 /workspace/m8', 'rmdir /workspace/m5'])
      t.not((await site.run(place, bob, command)).exit_code, 0, command);
    t.equal((await site.run(place, ada, 'cat file open/x')).stdout, 'secret\nx\n');
  });

  await t.test("a member cannot see or end another's processes", async (t) => {
    const running = site.run(place, ada, 'echo $$; sleep 3; echo done', { env: { TOKEN: 'hidden' } });
    const { stdout } = await site.run(
      place,
      bob,
      'sleep 1; for p in /proc/[0-9]*; do cat $p/environ; done 2>/dev/null | tr "\\0" "\\n" | grep -c TOKEN; kill -9 -1; pkill -9 -u 100005; kill -9 1',
    );
    t.match(stdout, /^0\n/);
    t.match(await running, { exit_code: 0, stdout: /done/ });
  });

  await t.test('a member cannot gain permissions', async (t) => {
    const status = (await site.run(place, ada, 'cat /proc/self/status')).stdout;
    t.match(status, /NoNewPrivs:\t1/);
    t.match(status, /CapEff:\t0000000000000000/);
    t.match(status, /CapPrm:\t0000000000000000/);
    t.match(status, /Groups:\t100005 ?\n/);
    // As root of the container made a copy of the shell that would be root's for everybody.
    const made = await site.execs.run(
      place,
      { argv: ['sh', '-c', 'cp /bin/busybox /bin/busybox-rooted && chmod 4755 /bin/busybox-rooted'], folder: '/', timeout_ms: 5_000 },
      as_root,
    );
    t.equal(made.exit_code, 0);
    t.equal((await site.run(place, ada, '/bin/busybox-rooted id -u')).stdout, '100005\n');
    for (const command of [
      'su root -c id',
      'chroot / id',
      'mount -t tmpfs x /mnt',
      'unshare -Ur id',
      'mknod node c 1 1',
      'chown 0:0 file',
      'echo x > /etc/passwd',
      'echo x >/proc/sys/kernel/core_pattern',
      'nsenter -t 1 -m id',
    ])
      t.not((await site.run(place, ada, command)).exit_code, 0, command);
    t.equal((await site.run(place, ada, 'cat /proc/1/environ')).exit_code, 1);
  });

  await t.test('a member cannot take over another employee’s folder', async (t) => {
    const other = { member_id: 5, employee_id: 9 };
    t.equal((await site.run(place, other, 'pwd; cat /workspace/m5/e2/file')).stdout, '/workspace/m5/e9\nsecret\n');
  });

  await t.test("a link in place of a folder leads only to the member's own files", async (t) => {
    await site.run(place, bob, 'cd /; rm -r /workspace/m6/e2; ln -s /workspace/m5 /workspace/m6/e2');
    await t.rejects(site.run(place, bob, 'ls'), { code: 'invalid_input' });
    await site.run(place, bob, 'true', { folder: '/' });
    const owners = await site.run(place, bob, 'stat -c %u /workspace/m5 /workspace/m6', { folder: '/' });
    t.equal(owners.stdout, '100005\n100006\n');
  });

  await t.test("a member can't create another's folder first in a world-writable workspace", async (t) => {
    const fresh = await site.node();
    await site.execs.run(fresh, { argv: ['chmod', '1777', '/workspace'], folder: '/', timeout_ms: 5_000 }, as_root);
    t.not((await site.run(fresh, bob, 'mkdir -m 777 -p /workspace/m5/e2')).exit_code, 0);
    t.equal((await site.run(fresh, ada, 'stat -c %u . ..')).stdout, '100005\n100005\n');
  });
});
