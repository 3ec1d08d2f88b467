import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Spool } from '../../../../kernel/platform/sandbox/spool.js';

const namespace = process.platform === 'linux' ? readlinkSync('/proc/self/ns/pid').replace(/\D/g, '') : '0';

t.test('the next start removes only what a killed process has left', async (t) => {
  const folder = t.testdir();
  process.env.TMPDIR = folder;
  const { pid: gone } = spawnSync(process.execPath, ['--version']);
  const make = (name: string) => {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'upload'), 'x');
    return name;
  };
  make(`platform-plugin-${gone}-${namespace}-killed`);
  make(`platform-plugin-${process.pid}-${namespace}-earlier`);
  writeFileSync(join(folder, `platform-plugin-${gone}-${namespace}-file`), '');
  const others = [
    make(`platform-plugin-${process.ppid}-${namespace}-alive`),
    make(`platform-plugin-${gone}-1-elsewhere`),
    make(`platform-plugin-${gone}-${namespace}-other.name`),
    make('platform-plugin-test'),
    `platform-plugin-${gone}-${namespace}-file`,
    `platform-plugin-${gone}-${namespace}-link`,
  ];
  symlinkSync(join(folder, others[0] as string), join(folder, others[5] as string));
  const spool = await Spool.open();
  const second = await Spool.open();
  t.same(readdirSync(folder).sort(), [...others, ...[spool, second].map(({ folder: own }) => own.slice(folder.length + 1))].sort());
  t.same(readdirSync(join(folder, others[0] as string)), ['upload']);
  await spool.dispose();
  await second.dispose();
  t.same(readdirSync(folder).sort(), [...others].sort());
});

t.test('concurrent removals do not prevent opening a spool', async (t) => {
  process.env.TMPDIR = t.testdir();
  for (let round = 0; round < 40; round += 1) {
    const before = await Promise.all(Array.from({ length: 4 }, () => Spool.open()));
    const [fresh] = await Promise.all([Spool.open(), ...before.map((spool) => spool.dispose())]);
    await fresh?.dispose();
  }
  t.same(readdirSync(process.env.TMPDIR), []);
});
