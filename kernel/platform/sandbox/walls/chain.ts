import { release } from 'node:os';
import type { Mechanisms } from './mechanisms.js';

export interface ChainOptions {
  mechanisms: Mechanisms;
  /** User and group id of the account; undefined without one. */
  uid: number | undefined;
  /** Root and mount table of its file system; undefined without one. */
  view: { root: string; table: string } | undefined;
  /** Limit of its heap. */
  memory_mb: number;
  /** Limit of its memory beside Node itself and its heap. Default 80. */
  beside_heap_mb?: number | undefined;
}

/** Memory beside Node itself and its heap: buffers and thread stacks. */
const default_beside_heap_mb = 80;
const max_files = 256;
/** Limit of processes. Threads count too, Node has about a dozen, and so do replaced versions that are still ending. */
const max_processes = 128;

/**
 * Nice value of plugins. Three busy-looping plugins leave the platform nine tenths of its throughput. At 19 it is little more, but then
 * a plugin hardly runs while the processors are busy, and its callers wait.
 */
export const plugin_nice = '10';

/** Returns the chain of programs that each start the next one with fewer rights; the plugin's program follows the last. */
export function chainOf({ mechanisms, uid, view, memory_mb, beside_heap_mb = default_beside_heap_mb }: ChainOptions): string[] {
  return [
    ...dieWithPlatform(mechanisms),
    ...clearEnvironment(mechanisms),
    ...unshareNamespaces(mechanisms),
    ...(view ? mountView(mechanisms, view) : []),
    ...dropPrivileges(mechanisms, uid),
    ...setLimits(mechanisms, memory_mb + beside_heap_mb),
  ];
}

/** Ends the process with the platform: if the platform is killed, the parent of the process dies, and then the process. */
function dieWithPlatform({ programs: { setpriv }, lifetime }: Mechanisms): string[] {
  return lifetime && setpriv !== undefined ? [setpriv, '--pdeathsig', 'KILL'] : [];
}

function clearEnvironment({ programs: { env, nice }, priority }: Mechanisms): string[] {
  // Monitoring and coverage tools patch `spawn`, and add variables even to an empty environment.
  const empty = env === undefined ? [] : [env, '-i'];
  return priority && nice !== undefined ? [...empty, nice, '-n', plugin_nice] : empty;
}

function unshareNamespaces({ programs: { unshare }, user, namespaces }: Mechanisms): string[] {
  if (unshare === undefined || (user !== 'namespace' && namespaces.length === 0)) return [];
  const forked = namespaces.includes('pid') ? ['--fork', '--kill-child'] : [];
  return [unshare, ...(user === 'namespace' ? ['--map-root-user'] : []), ...namespaces.map((name) => `--${name}`), ...forked, '--'];
}

/** Mounts everything with one `mount`: starting a program costs as much as all the mounts. */
const mount_script = 'mount=$1; shift; "$mount" --no-canonicalize --all --fstab "$1" || exit 71; shift; exec "$@"';

function mountView({ programs: { sh, mount, chroot } }: Mechanisms, { root, table }: { root: string; table: string }): string[] {
  if (sh === undefined || mount === undefined || chroot === undefined) return [];
  return [sh, '-c', mount_script, 'sh', mount, table, chroot, root];
}

function dropPrivileges({ programs: { setpriv }, user, privileges, lifetime }: Mechanisms, uid: number | undefined): string[] {
  if (setpriv === undefined) return [];
  const account = uid === undefined ? [] : ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups'];
  const rights = privileges ? ['--no-new-privs', ...(mayDropRights(user) ? ['--bounding-set', '-all', '--inh-caps', '-all'] : [])] : [];
  // Set again, because a change of user resets it.
  const death = lifetime && (account.length > 0 || rights.length > 0) ? ['--pdeathsig', 'KILL'] : [];
  const all = [...account, ...rights, ...death];
  return all.length === 0 ? [] : [setpriv, ...all, '--'];
}

function mayDropRights(user: Mechanisms['user']): boolean {
  return user !== undefined || process.getuid?.() === 0;
}

function setLimits({ programs: { prlimit }, limits, user, base_mb }: Mechanisms, memory_mb: number): string[] {
  if (!limits || prlimit === undefined) return [];
  const data = (base_mb + memory_mb) * 1024 * 1024;
  // Processes are counted per user: without its own user, the platform's processes would count too.
  const processes = user === undefined || !countsSeparately(user) ? [] : [`--nproc=${max_processes}`];
  return [prlimit, `--data=${data}`, ...processes, `--nofile=${max_files}`, '--core=0', '--'];
}

/** Returns whether processes are counted separately: since Linux 5.14 per user namespace, before together with the platform's. */
function countsSeparately(user: NonNullable<Mechanisms['user']>): boolean {
  if (user === 'account') return true;
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}
