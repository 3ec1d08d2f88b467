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
  /** Time limit of an engine's answer in ms. Default 5,000. */
  limit_ms?: number;
}

type Asker = Pick<Caller, 'role' | 'scopes'>;

/** Time between the two samples of processor usage in ms, and maximum age of the first. */
const min_interval_ms = 1_000;
const max_age_ms = 60_000;
/** Cache time of a container's layer size in ms: engines count it file by file. */
const disk_ms = 30_000;
const max_disks = 1_000;

type State = Docker.ContainerInspectInfo['State'];

/** Answers queries about the current state of single nodes. */
export class Vitals {
  readonly #parts: VitalsParts;
  readonly #disks = new Map<string, { bytes: number; at: number }>();

  constructor(parts: VitalsParts) {
    this.#parts = parts;
  }

  /** Returns the health, also of an offline node. Only administrators see the reason. Fails with `node_removing`. */
  async health(node: StoredNode, asker: Asker): Promise<Health> {
    const health = await this.#health(node);
    return mayAdminister(asker) ? health : { ...health, reason: '' };
  }

  async #health(node: StoredNode): Promise<Health> {
    const { last_heartbeat, since } = node;
    const unhealthyWith = (status: Health['status'], reason: string) => ({ status, uptime_seconds: 0, last_heartbeat, reason, since });
    assertNotRemoving(node);
    if (node.status === 'creating') return unhealthyWith('starting', 'Its container is being created');
    if (node.status !== 'online' || node.container_id === null) return unhealthyWith('unhealthy', node.reason || `It is ${node.status}`);
    try {
      const docker = await this.#parts.docker(node);
      const { State } = await docker.getContainer(node.container_id).inspect({ abortSignal: this.#limit() });
      return this.#healthOf(State, node);
    } catch (fault) {
      return unhealthyWith('unhealthy', explain(fault, node.host).message);
    }
  }

  /** Returns the resource usage. Fails with `node_offline`, `node_removing`. */
  async stats(node: StoredNode, asker: Asker): Promise<Stats> {
    assertNotRemoving(node);
    const { container_id } = node;
    // Messages of an engine may reveal its address.
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

  #healthOf({ Running, StartedAt, Health: check, ExitCode }: State, node: StoredNode): Health {
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

  /** Returns two samples; the earlier one may be a probe's if it is recent enough. */
  async #use(docker: Docker, container_id: string): Promise<{ before: Sample; now: Sample }> {
    const { samples, clock } = this.#parts;
    const known = samples.of(container_id).findLast(({ at }) => clock.now() - at >= min_interval_ms);
    let before = known && clock.now() - known.at <= max_age_ms ? known : undefined;
    if (!before) {
      before = await samples.take(docker, container_id, this.#limit());
      await sleep(min_interval_ms);
    }
    const now = await samples.take(docker, container_id, this.#limit());
    if (!before || !now) throw new Error('its container does not run');
    return { before, now };
  }

  async #disk(docker: Docker, container_id: string): Promise<number> {
    const now = this.#parts.clock.now();
    const known = this.#disks.get(container_id);
    if (known && now - known.at < disk_ms) return known.bytes;
    // The types omit the size.
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

function assertNotRemoving({ name, status }: StoredNode): void {
  if (status === 'removing') throw fail('node_removing', `Work node '${name}' is being removed`);
}

/** Returns when the failing checks began, as far back as the engine remembers. */
function sinceOf({ Log: checks }: NonNullable<State['Health']>): string | undefined {
  const passed = checks.findLastIndex(({ ExitCode }) => ExitCode === 0);
  const first = checks[passed + 1]?.Start;
  const at = Date.parse(String(first));
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
