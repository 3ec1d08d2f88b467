import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { truncate } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import sqlite3 from 'sqlite3';
import t from 'tap';
import { skipWithout } from '../helpers/parts.js';
import { startPlatform } from '../helpers/platform.js';
import { main, Running, type Shell, shellFor, withoutTerminal } from './shell.js';

interface Finding {
  code: string;
  ok: boolean;
  message: string;
  since: string | null;
  fix: string | null;
}

const asJson = ['doctor', '--json'];

/** Failed checks, without isolation layers that this machine may lack. */
function redIn(stdout: string): Finding[] {
  return (JSON.parse(stdout) as Finding[]).filter(({ ok, code }) => !ok && code !== 'plugin_walls');
}

/** Runs `doctor` after a script of the shell, in a mount namespace of its own; `$0` is the data folder. */
async function doctorAfter(shell: Shell, script: string): Promise<{ code: number | null; red: Finding[] }> {
  const line = ['--mount', 'sh', '-ec', `${script}; exec ${process.execPath} ${main} doctor --json`, shell.data_dir];
  const { code, stdout, stderr } = await new Running(spawn('unshare', line, { env: shell.env, cwd: shell.env.HOME })).ended;
  if (stdout === '') throw new Error(stderr);
  return { code, red: redIn(stdout) };
}

t.test('a read-only data folder is reported', { skip: skipWithout('namespaces') }, async (t) => {
  const shell = await (await shellFor(t)).install();
  const { code, red } = await doctorAfter(shell, 'mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"');
  t.match([code, red], [1, [{ code: 'data_dir_unwritable', message: /can't be written: EROFS/ }]]);
  t.match(red[0]?.fix, `sudo mount -o remount,rw "$(df --output=target ${shell.data_dir} | tail -1)"`);
});

t.test('a disk that is nearly full, and one that is full, are reported', { skip: skipWithout('namespaces') }, async (t) => {
  const shell = await (await shellFor(t)).install();
  const first = '[ -e "$0.kept" ] || cp -a "$0" "$0.kept"; mount -t tmpfs -o size=8m tmpfs "$0"; cp -a "$0.kept/." "$0"';
  const roomy = await doctorAfter(shell, first);
  t.same([roomy.code === 0 || skipWithout('namespaces') !== false, roomy.red], [true, []]);
  const nearly = await doctorAfter(
    shell,
    `${first}; room=$(df -k --output=avail "$0" | tail -1); head -c $((room - 300))k /dev/zero > "$0/fill"`,
  );
  t.match(
    [nearly.code, nearly.red],
    [1, [{ code: 'disk', message: /^The disk of .* has \d+(\.\d)? KiB of 8 MiB left, less than \d+(\.\d)? KiB / }]],
  );
  t.match(nearly.red[0]?.fix, `du -xhd2 ${shell.data_dir} | sort -h`);
  const full = await doctorAfter(shell, `${first}; cat /dev/zero > "$0/fill" 2>/dev/null || true`);
  t.equal(full.code, 1);
  t.match(
    full.red.find(({ code }) => code === 'disk'),
    { message: /has 0 B of 8 MiB left/ },
  );
});

t.test('a data folder in use is reported with its process and since when', async (t) => {
  const before = Date.now();
  const { data_dir } = await startPlatform(t, { listen: false, background: false });
  const shell = await shellFor(t, { PLATFORM_DATA_DIR: data_dir });
  const { code, stdout } = await shell.run(asJson);
  const [red, ...others] = redIn(stdout);
  t.same([code, others], [1, []]);
  t.match(red, { code: 'data_dir_locked', message: new RegExp(`is in use by process ${process.pid}$`) });
  t.equal(red?.fix, `end it with: kill ${process.pid}; or use another folder with: --data-dir <folder>`);
  const since = Date.parse(red?.since ?? '');
  t.ok(since >= before - 1_000 && since <= Date.now(), red?.since ?? 'null');
  const member = await shell.run(['member', 'list']);
  t.match(member.stderr, `hint: end it with: kill ${process.pid}`, 'each command gives the same hint');

  await t.test('all output fits a terminal of 80 columns', { skip: withoutTerminal }, async (t) => {
    const shown = (await shell.terminal(['doctor'], { NO_COLOR: '1' }).ended).stdout.replaceAll('\r', '');
    t.match(shown, /^ok {3}cli\.node_version: Running on Node /m);
    t.match(shown, /^red {2}kernel\.data_dir_locked: The data folder/m);
    t.match(shown, /^ {5}since 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC$/m);
    t.match(shown, new RegExp(`^ {5}end it with: kill ${process.pid};`, 'm'));
  });
});

t.test('a database of a newer program is reported with its date, and a damaged one too', async (t) => {
  const shell = await (await shellFor(t)).install();
  await shell.run(['member', 'list']);
  const file = join(shell.data_dir, 'platform.db');
  const ran_at = '2026-01-02T03:04:05.000Z';
  await change(file, `INSERT INTO kernel_migrations (owner, name, ran_at) VALUES ('kernel', '9999-future', '${ran_at}')`);
  const newer = await shell.run(asJson);
  t.match(
    [newer.code, redIn(newer.stdout)],
    [1, [{ code: 'schema_newer', message: /9999-future/, since: ran_at, fix: /install the newer version/ }]],
  );
  await truncate(file, 5_000);
  const damaged = await shell.run(asJson);
  t.match([damaged.code, redIn(damaged.stdout)], [1, [{ code: 'database_corrupt', fix: /platform restore <file> --data-dir/ }]]);
});

function change(file: string, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const db = new sqlite3.Database(file);
    db.exec(sql, (fault) => db.close(() => (fault ? reject(fault) : resolve())));
  });
}

t.test('doctor does not wait for a server that never answers', async (t) => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.teardown(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const shell = await shellFor(t, { PLATFORM_DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/none` });
  const begun = Date.now();
  const { code, stdout } = await shell.run(asJson);
  t.match([code, redIn(stdout)], [1, [{ code: /^(?:unanswered|database_unavailable)$/, fix: /PLATFORM_DATABASE_URL/ }]]);
  t.ok(Date.now() - begun < 60_000, `after ${Date.now() - begun} ms`);
});
