import { randomUUID } from 'node:crypto';
import type Docker from 'dockerode';
import type { Test } from 'tap';
import { Creation } from '../../../../extensions/nodes/containers/creation.js';
import { labels, labelsOf } from '../../../../extensions/nodes/containers/labels.js';
import { joinNetwork } from '../../../../extensions/nodes/containers/network.js';
import { Pulls } from '../../../../extensions/nodes/containers/pulls.js';
import type { PublicConfig } from '../../../../extensions/nodes/models.js';
import type { StoredNode } from '../../../../extensions/nodes/store/stored.js';
import type { Command, CommandResult } from '../../../../extensions/nodes/work/command.js';
import { CommandRunner } from '../../../../extensions/nodes/work/command-runner.js';
import { accountOf, type NodeUser } from '../../../../extensions/nodes/work/folders.js';
import { killOutside } from '../../../../extensions/nodes/work/killing-outside.js';
import { containerOfNode, type NodeContainer } from '../../../../extensions/nodes/work/node-container.js';
import { Walls, type WallsParts } from '../../../../extensions/nodes/work/walls/walls.js';
import { images, startDocker, type TestDocker } from '../../../helpers/docker/engine.js';
import { until } from '../../../helpers/eventually.js';

export const ada: NodeUser = { member_id: 5, employee_id: 2 };
export const bob: NodeUser = { member_id: 6, employee_id: 2 };

export interface Said extends CommandResult {
  stdout: string;
  stderr: string;
}

type Kept = Parameters<WallsParts['keep']>[1];

/** An engine with the platform's own containers on it, and what works in them; no platform around. */
export class Site {
  readonly engine: TestDocker;
  readonly walls: Walls;
  readonly execs: CommandRunner;
  /** Material of the walls. */
  readonly guard: WallsParts;
  /** Stored nodes by id. */
  readonly kept = new Map<number, Kept[]>();
  readonly #platform = randomUUID();
  readonly #pulls = new Pulls();
  #nodes = 0;

  static async start(t: Test): Promise<Site> {
    return new Site(await startDocker(t));
  }

  private constructor(engine: TestDocker) {
    this.engine = engine;
    const of = (node: StoredNode) => ({ ...labelsOf(this.#platform, node), [labels.role]: 'guard' });
    const image = images.busybox;
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const keep = async (id: number, state: Kept) => void this.kept.set(id, [...(this.kept.get(id) ?? []), state]);
    const pull = (place: NodeContainer) => this.#pull(place.docker);
    this.guard = { image, local: '', labels: of, pull, log, join: (place: NodeContainer) => this.join(place), keep };
    this.walls = new Walls(this.guard);
    this.execs = new CommandRunner({ fence: this.walls, killer: killOutside(this.guard) });
  }

  get docker(): Docker {
    return this.engine.docker;
  }

  /** A node whose container runs, as the platform makes it. */
  async node(config: Partial<PublicConfig> = {}): Promise<NodeContainer> {
    this.#nodes += 1;
    const node = { ...blank, id: this.#nodes, name: `node ${this.#nodes}`, config: { ...blank.config, ...config } };
    const creation = new Creation({ platform: this.#platform, dns: [], pulls: this.#pulls });
    const { signal } = new AbortController();
    const made = await creation.make(node, { docker: this.docker, signal, onProgress: () => undefined, onReached: async () => undefined });
    return containerOfNode({ ...node, ...made }, this.docker);
  }

  /** Has it join its network, with no walls. */
  join({ docker, node, container }: NodeContainer): Promise<void> {
    return joinNetwork(docker, node, { platform: this.#platform, container: container.id });
  }

  #pull(docker: Docker): Promise<void> {
    const image = { reference: images.busybox, name: images.busybox.replace(/:latest$/, ''), version: 'latest' };
    return this.#pulls.ensure({ docker, host: '', image, signal: new AbortController().signal, onProgress: () => undefined });
  }

  /** Runs a shell's command as a member, and gives what it said. */
  async run(
    place: NodeContainer,
    nodeUser: NodeUser,
    command: string,
    more: Partial<Command> & { signal?: AbortSignal; told?: (text: string) => void } = {},
  ) {
    const { signal = new AbortController().signal, told, ...rest } = more;
    const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    const whole = { argv: ['/bin/sh', '-c', command], folder: accountOf(nodeUser).home, timeout_ms: 20_000, ...rest };
    const output = ({ stream, bytes }: { stream: 'stdout' | 'stderr'; bytes: Buffer }) => {
      parts[stream].push(bytes);
      told?.(bytes.toString());
    };
    const ended = await this.execs.runFor(nodeUser, place, { command: whole, watch: { signal, output } });
    return { ...ended, stdout: Buffer.concat(parts.stdout).toString(), stderr: Buffer.concat(parts.stderr).toString() } satisfies Said;
  }

  /** The programs that run in a container, but for those that keep it, and what its init has yet to take note of. */
  async programs({ container }: NodeContainer): Promise<string[]> {
    const { Titles, Processes } = (await container.top()) as { Titles: string[]; Processes: string[][] };
    const at = Titles.indexOf('CMD');
    return Processes.map((process) => process[at] ?? '').filter((program) => !/docker-init|sleep 2147483647|<defunct>/.test(program));
  }

  /** The same, as soon as there is none; what is left after the time. */
  idle(place: NodeContainer, limit_ms = 30_000): Promise<string[]> {
    return until(
      () => this.programs(place),
      (programs) => programs.length === 0,
      limit_ms,
    );
  }
}

const blank: StoredNode = {
  id: 0,
  name: '',
  node_type: 'docker',
  host: '',
  config: { image: images.busybox, memory_limit: '128m', cpu_limit: '1.0', network: 'internet', host_key: '' },
  sealed: '',
  status: 'online',
  reason: '',
  reason_code: '',
  since: '',
  draining: false,
  shell: null,
  walls: { fenced: false, reason: '' },
  container_id: null,
  started_at: null,
  last_heartbeat: null,
  misses: 0,
  created_by: 1,
  created_at: '',
  updated_at: '',
};
