import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { type Caller, type Clock, mayAdminister } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { Health, Stats } from '../contract.js';
import { explain } from '../engines/failures.js';
import type { StoredNode } from '../store/stored.js';
import type { Samples } from './samples.js';
import { cpuPercent, mebibytes, rounded, type Sample } from './usage.js';

export interface VitalsParts {
  clock: Clock;
  samples: Samples;
  docker: (node: StoredNode) => Promise<Docker>;
  /** How long an engine is waited for, in ms. Default 5,000. */
  limit_ms?: number;
}

type Asker = Pick<Caller, 'role' | 'scopes'>;

/** Between two looks that make up a processor's use, in ms, and how old the first may be. */
const apart_ms = 1_000;
const oldest_ms = 60_000;
/** The size of a container's layer is counted file by file: it is asked for so often, in ms. */
const disk_ms = 30_000;
const max_disks = 1_000;

type State = Docker.ContainerInspectInfo['State'];

/** How single nodes are, asked now. */
export class Vitals {
  readonly #parts: VitalsParts;
  readonly #disks = new Map<string, { bytes: number; at: number }>();

  constructor(parts: VitalsParts) {
    this.#parts = parts;
  }

  /** Of a node that is away too. Why it isn't healthy only administrators are told. Fails with `node_removing`. */
  async health(node: StoredNode, asker: Asker): Promise<Health> {
    const health = await this.#health(node);
    return mayAdminister(asker) ? health : { ...health, reason: '' };
  }

  async #health(node: StoredNode): Promise<Health> {
    const { last_heartbeat, since } = node;
    const told = (status: Health['status'], reason: string) => ({ status, uptime_seconds: 0, last_heartbeat, reason, since });
    assertStays(node);
    if (node.status === 'creating') return told('starting', 'Its container is being made');
    if (node.status !== 'online' || node.container_id === null) return told('unhealthy', node.reason || `It is ${node.status}`);
    try {
      const docker = await this.#parts.docker(node);
      const { State } = await docker.getContainer(node.container_id).inspect({ abortSignal: this.#limit() });
      return this.#judged(State, node);
    } catch (fault) {
      return told('unhealthy', explain(fault, node.host).message);
    }
  }

  /** Fails with `node_offline`, `node_removing`. */
  async stats(node: StoredNode, asker: Asker): Promise<Stats> {
    assertStays(node);
    const { container_id } = node;
    // Sentences of an engine may say where it is.
    const why = (reason: string) => (mayAdminister(asker) && reason !== '' ? `: ${reason}` : '');
    if (node.status !== 'online' || container_id === null)
      throw fail('node_offline', `Work node '${node.name}' is ${node.status}${why(node.reason)}`);
    try {
      const docker = await this.#parts.docker(node);
      const [{ before, now }, disk] = await Promise.all([this.#use(docker, container_id), this.#disk(docker, container_id)]);
      return {
        cpu_usage_percent: rounded(cpuPercent(before, now)),
        memory_usage_mb: mebibytes(now.memory),
        memory_limit_mb: mebibytes(now.memory_limit),
        disk_usage_mb: mebibytes(disk),
      };
    } catch (fault) {
      throw fail('node_offline', `Work node '${node.name}' doesn't answer${why(explain(fault, node.host).message)}`, { cause: fault });
    }
  }

  #judged({ Running, StartedAt, Health: check, ExitCode }: State, node: StoredNode): Health {
    const { last_heartbeat, since } = node;
    if (!Running) {
      const reason = `Its container has ended with exit code ${ExitCode}`;
      return { status: 'unhealthy', uptime_seconds: 0, last_heartbeat, reason, since };
    }
    const uptime_seconds = Math.max(0, Math.floor((this.#parts.clock.now() - Date.parse(StartedAt)) / 1_000));
    const told = { uptime_seconds, last_heartbeat };
    if (node.reason !== '') return { ...told, status: 'unhealthy', reason: node.reason, since };
    if (check?.Status === 'starting') return { ...told, status: 'starting', reason: "Its image's own check has not passed yet", since };
    if (check?.Status !== 'unhealthy') return { ...told, status: 'healthy', reason: '', since };
    return {
      ...told,
      status: 'unhealthy',
      reason: `Its image's own check has failed ${check.FailingStreak} times`,
      since: sinceOf(check) ?? since,
    };
  }

  /** Two looks: the earlier one is a probe's, where that is near enough. */
  async #use(docker: Docker, container_id: string): Promise<{ before: Sample; now: Sample }> {
    const { samples, clock } = this.#parts;
    const known = samples.of(container_id).findLast(({ at }) => clock.now() - at >= apart_ms);
    let before = known && clock.now() - known.at <= oldest_ms ? known : undefined;
    if (!before) {
      before = await samples.take(docker, container_id, this.#limit());
      await sleep(apart_ms);
    }
    const now = await samples.take(docker, container_id, this.#limit());
    if (!before || !now) throw new Error('its container does not run');
    return { before, now };
  }

  async #disk(docker: Docker, container_id: string): Promise<number> {
    const now = this.#parts.clock.now();
    const known = this.#disks.get(container_id);
    if (known && now - known.at < disk_ms) return known.bytes;
    // The types don't know of the size.
    const options = { size: true, abortSignal: this.#limit() } as object;
    const { SizeRw } = (await docker.getContainer(container_id).inspect(options)) as { SizeRw?: number };
    if (this.#disks.size >= max_disks) this.#disks.clear();
    this.#disks.set(container_id, { bytes: SizeRw ?? 0, at: now });
    return SizeRw ?? 0;
  }

  #limit(): AbortSignal {
    return AbortSignal.timeout(this.#parts.limit_ms ?? 5_000);
  }
}

function assertStays({ name, status }: StoredNode): void {
  if (status === 'removing') throw fail('node_removing', `Work node '${name}' is being removed`);
}

/** When the checks that fail began to, as far back as the engine remembers. */
function sinceOf({ Log: checks }: NonNullable<State['Health']>): string | undefined {
  const passed = checks.findLastIndex(({ ExitCode }) => ExitCode === 0);
  const first = checks[passed + 1]?.Start;
  const at = Date.parse(String(first));
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
