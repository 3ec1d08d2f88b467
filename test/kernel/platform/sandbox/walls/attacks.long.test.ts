import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { skipWithout } from '../../../../helpers/parts.js';
import { temporaryFolder } from '../../../../helpers/platform.js';
import { type Attack, attacks, type Role } from './attacks.js';
import type { Report } from './range.js';

const isRoot = process.getuid?.() === 0;
const root = fileURLToPath(new URL('../../../../../../', import.meta.url));
const range = 'dist/test/kernel/platform/sandbox/walls/range.js';
const somebody = '12345';

// A network in which the address of clouds' metadata is this machine, a `/run` of the tests' own, and project and Node where anybody may read them.
const surrounded =
  'ip link set lo up && ip addr add 169.254.169.254/32 dev lo && mount -t tmpfs -o mode=777 none /run && mount --bind "$1" "$2" && mount --bind "$3" "$4" && cd "$2" && shift 4 && exec "$@"';

/** Runs the attacks as that user; whoever is not root is somebody already. */
async function reportsOf(t: Test, role: Role): Promise<Report[]> {
  const folder = await temporaryFolder(t);
  const project = join(folder, 'project');
  const node = join(folder, 'node');
  await mkdir(project);
  await writeFile(node, '');
  await chmod(folder, 0o777);
  const become = isRoot
    ? ['setpriv', '--reuid', somebody, '--regid', somebody, '--clear-groups']
    : ['unshare', '--map-user=1000', '--map-group=1000'];
  const mapped = isRoot ? [] : ['--map-root-user'];
  const line = [
    ...mapped,
    '--net',
    '--mount',
    'sh',
    '-c',
    surrounded,
    'sh',
    root,
    project,
    process.execPath,
    node,
    ...(role === 'root' ? [] : become),
    node,
    range,
  ];
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder };
  const { stdout } = await promisify(execFile)('unshare', line, { env, maxBuffer: 16 * 1024 * 1024 });
  return stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as Report);
}

function assertHeld(t: Test, { stopped, wall }: Attack, { control, held }: Report): void {
  t.same(Object.keys(control.outcome), ['done'], `without ${wall} the attack succeeds: ${JSON.stringify(control.outcome).slice(0, 300)}`);
  t.match(held.outcome, { stopped }, `${wall} stops the attack`);
  t.ok(held.walls.includes(wall) && !control.walls.includes(wall), `only ${wall} differed`);
  t.equal(held.unharmed, true, 'nobody else was affected');
  t.same([control.before, control.after, held.before, held.after], Array(4).fill('hello'), 'the plugin answers before and after');
}

for (const role of ['root', 'somebody'] as const) {
  const skip = skipWithout('namespaces') || (role === 'root' && !isRoot && 'needs root');
  t.test(`a plugin attacks a platform that ${role} runs`, { skip }, async (t) => {
    const reports = await reportsOf(t, role);
    const expected = attacks.filter(({ only = role }) => only === role);
    t.equal(reports.length, expected.length);
    for (const [n, attack] of expected.entries()) {
      const { does, at = '', wall } = attack;
      await t.test(`it ${does}${at === '' ? '' : `: ${at}`}; ${wall}`, async (t) => assertHeld(t, attack, reports[n] as Report));
    }
  });
}
