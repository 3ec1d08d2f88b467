import { release } from 'node:os';
import type { Means } from './means.js';

export interface ChainOptions {
  means: Means;
  /** The account's user and group id; undefined without an account. */
  uid: number | undefined;
  /** Its file system, and the table that describes the mounts; undefined without one. */
  view: { root: string; table: string } | undefined;
  /** Of its heap. */
  memory_mb: number;
}

/** Beside Node itself and its heap: buffers, and the stacks of threads. */
const beside_heap_mb = 80;
const max_files = 256;
/** Threads count as processes, and Node has about a dozen; versions that were replaced and still end count too. */
const max_processes = 128;

/**
 * Three plugins that spin leave the platform nine tenths of what it does without them. At 19 it is little more, but then a plugin is
 * hardly run at all while the processors are busy, and whoever has called it waits.
 */
export const plugin_nice = '10';

/** Programs that each start the next one with something taken away; the last is followed by the program to hold. */
export function chainOf({ means, uid, view, memory_mb }: ChainOptions): string[] {
  return [
    ...together(means),
    ...emptied(means),
    ...apart(means),
    ...(view ? enclosed(means, view) : []),
    ...stripped(means, uid),
    ...limited(means, memory_mb),
  ];
}

/** A killed platform takes with it what waits for the process, and that takes the process. */
function together({ programs: { setpriv }, lifetime }: Means): string[] {
  return lifetime && setpriv !== undefined ? [setpriv, '--pdeathsig', 'KILL'] : [];
}

function emptied({ programs: { env, nice }, priority }: Means): string[] {
  // Monitoring and coverage patch `spawn`, and add variables to an environment that was given as empty.
  const empty = env === undefined ? [] : [env, '-i'];
  return priority && nice !== undefined ? [...empty, nice, '-n', plugin_nice] : empty;
}

function apart({ programs: { unshare }, user, namespaces }: Means): string[] {
  if (unshare === undefined || (user !== 'namespace' && namespaces.length === 0)) return [];
  const forked = namespaces.includes('pid') ? ['--fork', '--kill-child'] : [];
  return [unshare, ...(user === 'namespace' ? ['--map-root-user'] : []), ...namespaces.map((name) => `--${name}`), ...forked, '--'];
}

/** One `mount` for all of them: each program that is started costs as much as all the mounts. */
const enclose = 'mount=$1; shift; "$mount" --no-canonicalize --all --fstab "$1" || exit 71; shift; exec "$@"';

function enclosed({ programs: { sh, mount, chroot } }: Means, { root, table }: { root: string; table: string }): string[] {
  if (sh === undefined || mount === undefined || chroot === undefined) return [];
  return [sh, '-c', enclose, 'sh', mount, table, chroot, root];
}

function stripped({ programs: { setpriv }, user, privileges, lifetime }: Means, uid: number | undefined): string[] {
  if (setpriv === undefined) return [];
  const account = uid === undefined ? [] : ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups'];
  const rights = privileges ? ['--no-new-privs', ...(mayDropRights(user) ? ['--bounding-set', '-all', '--inh-caps', '-all'] : [])] : [];
  // Again, since a change of user takes it back.
  const death = lifetime && (account.length > 0 || rights.length > 0) ? ['--pdeathsig', 'KILL'] : [];
  const all = [...account, ...rights, ...death];
  return all.length === 0 ? [] : [setpriv, ...all, '--'];
}

function mayDropRights(user: Means['user']): boolean {
  return user !== undefined || process.getuid?.() === 0;
}

function limited({ programs: { prlimit }, limits, user, base_mb }: Means, memory_mb: number): string[] {
  if (!limits || prlimit === undefined) return [];
  const data = (base_mb + memory_mb + beside_heap_mb) * 1024 * 1024;
  // Those of a user are counted together: without one of its own, the platform's own processes would count.
  const processes = user === undefined || !countsApart(user) ? [] : [`--nproc=${max_processes}`];
  return [prlimit, `--data=${data}`, ...processes, `--nofile=${max_files}`, '--core=0', '--'];
}

/** Since Linux 5.14 processes are counted for each user namespace; before, together with the platform's own. */
function countsApart(user: NonNullable<Means['user']>): boolean {
  if (user === 'account') return true;
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}
