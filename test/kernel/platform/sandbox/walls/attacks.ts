import { getPriority } from 'node:os';
import type { WallName } from '../../../../../kernel/platform/sandbox/walls/wall.js';

export type Role = 'root' | 'somebody';

/** Something that a plugin tries, and the wall that stops it. */
export interface Attack {
  /** The function of {@link attackerCode} that does it. */
  does: string;
  /** The wall that stops it. */
  wall: WallName;
  /** Walls that stand in the control run too: without them there would be no such wall, or no such attack. */
  beside?: readonly WallName[];
  /** Information that the attacker gets. Default: none. */
  at?: Target;
  /** How it ends where the wall holds. */
  stopped: RegExp;
  /** The bundle itself is refused, and the version before goes on. */
  refused?: true;
  /** Only for one of them. */
  only?: Role;
  /** Further files in the bundle's folder. */
  brings?: 'a link' | 'an addon';
}

/** Files and listeners around the platform, for attackers. */
export type Target =
  | 'a file'
  | 'an open folder'
  | 'the platform'
  | 'a victim'
  | 'a port'
  | "the platform's port"
  | 'the metadata address'
  | 'a private socket'
  | 'an open socket'
  | "the engine's socket"
  | "the database's socket";

const gone = /ENOENT|ERR_ACCESS_DENIED/;
/** These tests may run below others themselves. */
const usual = getPriority();

/** From Node 25 on its permissions hold the network as well, sockets with a path included. */
const holdsNetwork = process.allowedNodeEnvironmentFlags.has('--allow-net');

export const attacks: readonly Attack[] = [
  { does: 'reads a file by its path', at: 'a file', wall: 'permissions', stopped: /ERR_ACCESS_DENIED/ },
  { does: 'reads a file by its path', at: 'a file', wall: 'files', stopped: /ENOENT/ },
  { does: 'reads through a link in its folder', brings: 'a link', wall: 'folder', refused: true, stopped: /symbolic link: link/ },
  { does: 'reads through a link in its folder', brings: 'a link', wall: 'files', beside: ['permissions'], stopped: gone },
  { does: 'reads what /proc tells of the platform', at: 'the platform', wall: 'permissions', stopped: /ERR_ACCESS_DENIED/ },
  { does: 'reads what /proc tells of the platform', at: 'the platform', wall: 'files', beside: ['processes'], stopped: /ENOENT/ },
  { does: 'writes outside of its folder', at: 'an open folder', wall: 'permissions', stopped: /ERR_ACCESS_DENIED/ },
  { does: 'writes outside of its folder', at: 'an open folder', wall: 'files', stopped: /ENOENT/ },
  { does: 'changes its own bundle', wall: 'permissions', stopped: /ERR_ACCESS_DENIED/ },
  { does: 'changes its own bundle', wall: 'files', stopped: /EROFS|EACCES/ },
  { does: 'starts a program', wall: 'permissions', stopped: /ERR_ACCESS_DENIED/ },
  { does: 'starts a program', wall: 'files', stopped: /ENOENT/ },
  { does: 'starts a worker', wall: 'permissions', stopped: /ERR_ACCESS_DENIED/ },
  { does: "starts a program through Node's own bindings", wall: 'permissions', stopped: /ERR_ACCESS_DENIED/ },
  { does: "starts a program through Node's own bindings", wall: 'files', stopped: /ENOENT|-2/ },
  { does: 'loads an addon', brings: 'an addon', wall: 'permissions', stopped: /ERR_DLOPEN_DISABLED|ERR_ACCESS_DENIED/ },
  { does: 'loads an addon', brings: 'an addon', wall: 'folder', refused: true, stopped: /native addon: addon\.node/ },
  { does: 'loads an addon', brings: 'an addon', wall: 'files', stopped: /ERR_DLOPEN_FAILED/ },
  { does: 'connects to the host', at: 'a port', wall: 'network', stopped: /ENETUNREACH|EHOSTUNREACH/ },
  { does: 'connects to the host', at: "the platform's port", wall: 'network', stopped: /ENETUNREACH|EHOSTUNREACH/ },
  { does: 'connects to the host', at: 'the metadata address', wall: 'network', stopped: /ENETUNREACH|EHOSTUNREACH/ },
  { does: 'connects to a socket', at: 'a private socket', wall: 'files', stopped: /ENOENT/ },
  { does: 'connects to a socket', at: 'an open socket', wall: 'files', stopped: /ENOENT/ },
  { does: 'connects to a socket', at: "the engine's socket", wall: 'files', stopped: /ENOENT/ },
  { does: 'connects to a socket', at: "the database's socket", wall: 'files', stopped: /ENOENT/ },
  holdsNetwork
    ? { does: 'connects to a socket', at: 'an open socket', wall: 'permissions', stopped: /ERR_ACCESS_DENIED/ }
    : { does: 'connects to a socket', at: 'an open socket', wall: 'files', beside: ['permissions', 'network'], stopped: /ENOENT/ },
  { does: 'signals SIGUSR1', at: 'a victim', wall: 'processes', stopped: /ESRCH/ },
  { does: 'signals SIGKILL', at: 'a victim', wall: 'processes', beside: ['permissions'], stopped: /ESRCH/ },
  { does: 'signals SIGKILL', at: 'a victim', wall: 'user', beside: ['files'], only: 'root', stopped: /EPERM/ },
  { does: 'fills buffers', wall: 'limits', beside: ['permissions'], stopped: /allocation failed|failed to allocate/i },
  { does: 'opens a thousand files', wall: 'limits', stopped: /EMFILE/ },
  { does: 'bombs with forks', wall: 'limits', beside: ['user', 'files', 'processes'], stopped: /only \d+ of 20/ },
  { does: 'gives a file away', at: 'a file', wall: 'privileges', only: 'root', stopped: /EPERM/ },
  { does: 'takes the processor', wall: 'priority', stopped: new RegExp(`priority ${Math.min(usual + 10, 19)}$`) },
];

/** The attacker's side: what each does, given its target. Throws where it is stopped. */
export const attackerCode = `
const fs = require('node:fs');
const net = require('node:net');
const { spawn, execFileSync } = require('node:child_process');
const connected = (to) => new Promise((resolve, reject) => {
  const socket = net.connect(to, () => { socket.destroy(); resolve('connected'); });
  socket.on('error', reject);
});
const does = {
  'reads a file by its path': (path) => fs.readFileSync(path, 'utf8'),
  'reads through a link in its folder': () => fs.readFileSync(__dirname + '/link', 'utf8'),
  'reads what /proc tells of the platform': (pid) => fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8'),
  'writes outside of its folder': (folder) => fs.writeFileSync(folder + '/planted', 'planted'),
  'changes its own bundle': () => fs.appendFileSync(__filename, ' '),
  'starts a program': () => execFileSync('/bin/echo', ['started']).toString(),
  "starts a program through Node's own bindings": () => {
    const pipe = (readable) => ({ type: 'pipe', readable, writable: !readable });
    const stdio = [pipe(true), pipe(false), pipe(false)];
    const { status, error } = process.binding('spawn_sync').spawn({ file: '/bin/echo', args: ['/bin/echo'], envPairs: [], stdio });
    if (error) throw new Error('spawn ' + error);
    return status;
  },
  'starts a worker': () => new Promise((resolve, reject) => {
    const worker = new (require('node:worker_threads').Worker)('require("node:worker_threads").parentPort.postMessage(1)', { eval: true });
    worker.on('message', () => resolve('started')).on('error', reject);
  }),
  'loads an addon': () => { const module = { exports: {} }; process.dlopen(module, __dirname + '/addon.node'); return Object.keys(module.exports).length; },
  'connects to the host': (to) => connected(to),
  'connects to a socket': (path) => connected({ path }),
  'signals SIGUSR1': (pid) => process.kill(pid, 'SIGUSR1'),
  'signals SIGKILL': (pid) => process.kill(pid, 'SIGKILL'),
  'fills buffers': () => { const all = []; for (let n = 0; n < 12; n += 1) all.push(Buffer.alloc(50_000_000, n + 1)); return all.length; },
  'opens a thousand files': () => {
    const open = [];
    try { for (let n = 0; n < 1000; n += 1) open.push(fs.openSync(__filename)); return open.length; } finally { open.forEach((fd) => fs.closeSync(fd)); }
  },
  'bombs with forks': async () => {
    let [alive, ended] = [0, 0];
    for (let n = 0; n < 20; n += 1) {
      const child = spawn(process.execPath, ['-e', 'process.send(1); setTimeout(() => {}, 20000)'], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
      child.on('error', () => (ended += 1)).on('exit', () => (ended += 1)).on('message', () => (alive += 1));
    }
    for (let n = 0; n < 1000 && alive < 20 && ended === 0; n += 1) await new Promise((done) => setTimeout(done, 10));
    if (alive < 20) throw new Error('only ' + alive + ' of 20');
    return alive;
  },
  'gives a file away': (path) => fs.chownSync(path, 1, 1),
  'takes the processor': () => {
    const priority = require('node:os').getPriority();
    if (priority > ${usual}) throw new Error('priority ' + priority);
    return 'as everybody';
  },
};
ctx.expose({ 'x.greet': op('greet'), 'x.attack': op('attack') }, {
  'x.greet': () => 'hello',
  'x.attack': async ({ what, target }) => {
    try { return { done: (await does[what](target)) ?? null }; } catch (fault) { return { stopped: (fault.code ?? '') + ' ' + fault.message }; }
  },
});`;
