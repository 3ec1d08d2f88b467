import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * A network, processes and mounts apart from the machine's, with a link between the two. It ends with this process,
 * however that ends, since then the pipe that `cat` reads is closed; the first of its processes is a shell, which buries
 * what others leave behind: an engine that was killed waits for a dead one as long as it is not. What is left of it is then
 * cleared away by the shell around it.
 */
const life = `
unshare --net --pid --fork --mount --mount-proc --kill-child sh -c '
  ip link set lo up && mkdir -p "$1/data" && mount -t tmpfs tmpfs "$1/data" && mount -t tmpfs tmpfs /run && echo ready
  cat <&3 >/dev/null; exit 0' - "$1" &
echo $!
wait
rm -rf "$1"
find /sys/fs/cgroup -depth -type d -path "*/$2*" -exec rmdir {} + 2>/dev/null
`;
const start_ms = 60_000;
/** 198.18.0.0/15 is for tests of networks (RFC 2544); each link takes four addresses of it. */
const links = 2 ** 15;

export class Namespace {
  /** Its address, as the machine sees it. */
  readonly address: string;
  /** The machine's address, as the namespace sees it. */
  readonly gateway: string;
  readonly #keeper: ChildProcess;
  readonly #enter: readonly string[];

  /**
   * @param folder - removed at its end; its `data` is kept in memory, and seen from inside alone
   * @param cgroup - the control groups of this name are removed at its end
   */
  static async open(folder: string, cgroup: string): Promise<Namespace> {
    const keeper = spawn('sh', ['-c', life, '-', folder, cgroup], { detached: true, stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
    const lines = createInterface({ input: keeper.stdout as NodeJS.ReadableStream });
    const timer = setTimeout(() => keeper.kill('SIGKILL'), start_ms);
    try {
      let pid = '';
      let isReady = false;
      // The two are told by two processes: either may come first.
      for await (const line of lines) {
        if (line === 'ready') isReady = true;
        else pid = line;
        if (isReady && pid !== '') return new Namespace(keeper, pid, await link(pid));
      }
      throw new Error('There was no namespace to be had');
    } catch (fault) {
      (keeper.stdio[3] as Writable).end();
      throw fault;
    } finally {
      clearTimeout(timer);
    }
  }

  private constructor(keeper: ChildProcess, pid: string, { address, gateway }: Link) {
    this.#keeper = keeper;
    this.address = address;
    this.gateway = gateway;
    const of = (name: string) => `/proc/${pid}/ns/${name}`;
    this.#enter = [`--net=${of('net')}`, `--mount=${of('mnt')}`, `--pid=${of('pid_for_children')}`, '--'];
  }

  /** Starts a program inside. A signal doesn't reach it: it has to be sent from inside. */
  spawn(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
    return spawn('nsenter', [...this.#enter, program, ...args], options);
  }

  /** Runs a program inside to its end; gives what it printed. */
  async run(program: string, ...args: readonly string[]): Promise<string> {
    return (await run('nsenter', [...this.#enter, program, ...args], { timeout: 30_000 })).stdout;
  }

  /** Ends all that runs inside. */
  async close(): Promise<void> {
    (this.#keeper.stdio[3] as Writable).end();
    if (this.#keeper.exitCode === null && this.#keeper.signalCode === null) await once(this.#keeper, 'exit');
  }
}

interface Link {
  address: string;
  gateway: string;
}

/** The name of an interface is free for one only, so whoever gets it has its addresses too. */
async function link(pid: string): Promise<Link> {
  for (let tries = 0; ; tries += 1) {
    const n = randomInt(links);
    const name = `platform-t${n}`;
    const made = await run('ip', ['link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', pid]).catch(
      (fault: unknown) => fault,
    );
    if (made instanceof Error && tries < 20) continue;
    if (made instanceof Error) throw made;
    const of = (host: number) => `198.${18 + (n >> 14)}.${(n >> 6) & 255}.${((n & 63) << 2) + host}`;
    const [gateway, address] = [of(1), of(2)];
    const inside = ['-t', pid, '--net', 'ip'];
    await run('ip', ['addr', 'add', `${gateway}/30`, 'dev', name]);
    await run('ip', ['link', 'set', name, 'up']);
    await run('nsenter', [...inside, 'addr', 'add', `${address}/30`, 'dev', 'eth0']);
    await run('nsenter', [...inside, 'link', 'set', 'eth0', 'up']);
    await run('nsenter', [...inside, 'route', 'add', 'default', 'via', gateway]);
    return { address, gateway };
  }
}
