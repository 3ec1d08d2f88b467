import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { chainOf, plugin_nice } from './chain.js';
import { type Mechanisms, type Namespace, namespaces, type Programs } from './mechanisms.js';
import { findProgram } from './programs.js';
import { Views } from './views.js';
import { type Wall, type WallName, wallNames } from './wall.js';

/** Limit of a probe, so that it doesn't delay the start. */
const limit_ms = 4_000;

/** Runs a program to test it; returns undefined on success, otherwise its error message. */
async function tryProgram(line: readonly (string | undefined)[]): Promise<string | undefined> {
  return (await runProgram(line)).fault;
}

/** Runs a program; returns its error and its output. */
function runProgram([program, ...args]: readonly (string | undefined)[]): Promise<{ fault: string | undefined; stdout: string }> {
  if (program === undefined || args.includes(undefined)) return Promise.resolve({ fault: 'a program is missing', stdout: '' });
  return new Promise((resolve) => {
    const options = { cwd: '/', env: {}, timeout: limit_ms, killSignal: 'SIGKILL', maxBuffer: 65_536 } as const;
    execFile(program, args as string[], options, (fault, stdout, stderr) => {
      resolve({ fault: fault === null ? undefined : reasonOf(fault, stderr), stdout });
    });
  });
}

function reasonOf(fault: Error & { killed?: boolean }, stderr: string): string {
  if (fault.killed) return `it did not end within ${limit_ms / 1000} s`;
  const last = stderr.trim().split('\n').at(-1);
  return (last || fault.message).slice(0, 300);
}

export interface Probed {
  mechanisms: Mechanisms;
  walls: readonly Wall[];
}

export interface ProbeOptions {
  /** Layers to probe. */
  layers: readonly WallName[];
  /** Real paths that every process must be able to read. */
  readable: readonly string[];
  /** A user id for plugins, if this process may change users. */
  uid: number | undefined;
  /** Folder of views. */
  views: string;
}

type Reasons = Partial<Record<WallName, string>>;

/** Maps each namespace to its layer. */
const wallOf: Readonly<Record<Namespace, WallName>> = { net: 'network', pid: 'processes', mount: 'files', ipc: 'ipc', uts: 'ipc' };

/** Probes each layer separately, then all working ones together; each within seconds. */
export async function probe(options: ProbeOptions): Promise<Probed> {
  const isRequested = (wall: WallName) => options.layers.includes(wall);
  const programs = findPrograms();
  const reasons: Reasons = Object.fromEntries(wallNames.filter((wall) => !isRequested(wall)).map((wall) => [wall, 'it was left out']));
  const holds = (wall: WallName) => reasons[wall] === undefined;
  const [base_mb] = await Promise.all([
    baseOf(),
    tryLimits(programs, reasons),
    tryRights(programs, reasons),
    tryPriority(programs, reasons),
  ]);
  const user = await userOf({ programs, reasons, uid: options.uid });
  const available = await tryNamespaces({ programs, reasons, mapped: user === 'namespace' });
  const mechanisms: Mechanisms = {
    programs,
    user,
    namespaces: available,
    view: undefined,
    permissions: holds('permissions'),
    folder: holds('folder'),
    privileges: holds('privileges'),
    limits: holds('limits'),
    base_mb,
    lifetime: holds('lifetime'),
    priority: holds('priority'),
  };
  const built = available.includes('mount') ? await withView(mechanisms, options, reasons) : withoutAccount(mechanisms, reasons);
  return { mechanisms: built, walls: wallNames.map((wall) => ({ wall, holds: holds(wall), why: reasons[wall] ?? '' })) };
}

function findPrograms(): Programs {
  const [env, nice, unshare, setpriv] = ['env', 'nice', 'unshare', 'setpriv'].map(findProgram);
  const [prlimit, mount, chroot, sh] = ['prlimit', 'mount', 'chroot', 'sh'].map(findProgram);
  return { env, nice, unshare, setpriv, prlimit, mount, chroot, sh };
}

/** Measures Node's own data size on Linux. Default: the value of Node 20. */
async function baseOf(): Promise<number> {
  const script = "console.log(require('node:fs').readFileSync('/proc/self/status', 'utf8'))";
  const { stdout } = await runProgram([process.execPath, '-e', script]);
  return Math.ceil(Number(/^VmData:\s*(\d+) kB$/m.exec(stdout)?.[1] ?? 49_152) / 1024);
}

async function tryLimits({ prlimit }: Programs, reasons: Reasons): Promise<void> {
  const fault = await tryProgram([prlimit, '--nofile=256', '--core=0', '--', process.execPath, '--version']);
  if (fault !== undefined) reasons.limits ??= explain('prlimit', prlimit, fault);
}

async function tryRights({ setpriv }: Programs, reasons: Reasons): Promise<void> {
  const [rights, death] = await Promise.all([
    tryProgram([setpriv, '--no-new-privs', '--', process.execPath, '--version']),
    tryProgram([setpriv, '--pdeathsig', 'KILL', '--', process.execPath, '--version']),
  ]);
  if (rights !== undefined) reasons.privileges ??= explain('setpriv', setpriv, rights);
  if (death !== undefined) reasons.lifetime ??= explain('setpriv', setpriv, death);
}

async function tryPriority({ nice }: Programs, reasons: Reasons): Promise<void> {
  const fault = await tryProgram([nice, '-n', plugin_nice, process.execPath, '--version']);
  if (fault !== undefined) reasons.priority ??= explain('nice', nice, fault);
}

interface UserParts {
  programs: Programs;
  reasons: Reasons;
  uid: number | undefined;
}

/** Chooses the kind of user: root with namespace rights uses another account; others use a user namespace. */
async function userOf({ programs: { unshare, setpriv }, reasons, uid }: UserParts): Promise<Mechanisms['user']> {
  const version = [process.execPath, '--version'];
  if (uid !== undefined && reasons.user === undefined) {
    const [account, plain] = await Promise.all([
      tryProgram([setpriv, '--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', '--', '/bin/true']),
      tryProgram([unshare, '--mount', '--', ...version]),
    ]);
    if (account === undefined && plain === undefined) return 'account';
  }
  // Without root, other namespaces require a user namespace.
  if (uid !== undefined && reasons.user !== undefined) return undefined;
  const mapped = await tryProgram([unshare, '--map-root-user', '--', ...version]);
  if (mapped !== undefined) reasons.user ??= explain('unshare', unshare, mapped);
  return mapped === undefined ? 'namespace' : undefined;
}

interface NamespaceParts {
  programs: Programs;
  reasons: Reasons;
  mapped: boolean;
}

async function tryNamespaces({ programs: { unshare }, reasons, mapped }: NamespaceParts): Promise<readonly Namespace[]> {
  const tried = namespaces.filter((name) => reasons[wallOf[name]] === undefined);
  const faults = await Promise.all(
    tried.map((name) => {
      const more = [...(mapped ? ['--map-root-user'] : []), ...(name === 'pid' ? ['--fork', '--kill-child'] : [])];
      return tryProgram([unshare, ...more, `--${name}`, '--', process.execPath, '--version']);
    }),
  );
  for (const [n, name] of tried.entries()) {
    const fault = faults[n];
    if (fault !== undefined) reasons[wallOf[name]] ??= explain('unshare', unshare, fault);
  }
  return tried.filter((name) => reasons[wallOf[name]] === undefined);
}

/** Probes all layers together, as plugins use them; without `/proc` if it can't be mounted. */
async function withView(mechanisms: Mechanisms, options: ProbeOptions, reasons: Reasons): Promise<Mechanisms> {
  let fault: string | undefined;
  for (const proc of [true, false]) {
    const tried = { ...mechanisms, view: { proc } };
    fault = await tryView(tried, options);
    if (fault === undefined) return tried;
  }
  reasons.files = `could not create a separate file system: ${fault}`;
  return withoutAccount({ ...mechanisms, namespaces: mechanisms.namespaces.filter((name) => name !== 'mount') }, reasons);
}

async function tryView(mechanisms: Mechanisms, { readable, uid, views }: ProbeOptions): Promise<string | undefined> {
  const node = realpathSync(process.execPath);
  const all = new Views({ parent: views, readable, programs: insideOf(mechanisms, node), proc: mechanisms.view?.proc ?? false });
  const view = all.open({ readable: [], writable: [] });
  try {
    const account = mechanisms.user === 'account' ? uid : undefined;
    const script = "for (const path of process.argv.slice(1)) require('node:fs').accessSync(path, 4)";
    return await tryProgram([...chainOf({ mechanisms, uid: account, view, memory_mb: 64 }), node, '-e', script, '--', ...readable]);
  } finally {
    await view.dispose();
    all.dispose();
  }
}

/** Returns the programs that start inside a view. */
export function insideOf({ programs: { setpriv, prlimit } }: Mechanisms, node: string): string[] {
  return [setpriv, prlimit, node].filter((path) => path !== undefined);
}

/** Removes the account: without its own file system, another user couldn't access the plugin's folders, whose parents are private. */
function withoutAccount(mechanisms: Mechanisms, reasons: Reasons): Mechanisms {
  if (mechanisms.user !== 'account') return mechanisms;
  reasons.user ??= "another user could not reach the plugin's folders without a separate file system";
  return { ...mechanisms, user: undefined };
}

function explain(name: string, path: string | undefined, fault: string): string {
  return path === undefined ? `this machine has no program ${name} (package util-linux)` : fault;
}
