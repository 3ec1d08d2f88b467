import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { type Failure, fail as failInput } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { PullProgress } from '../contract.js';
import { explain, plain, statusOf } from '../engines/failures.js';
import type { StoredNode } from '../store/stored.js';
import { imageOf } from './image.js';
import { filterOf, labels } from './labels.js';
import { amountOf, cpuOf } from './limits.js';
import type { Pulls } from './pulls.js';
import { gone } from './removal.js';
import { assertShellStarts } from './shell-probe.js';
import { containerOf, hasKeepAlive } from './spec.js';

export interface CreationParts {
  /** The installation's UUID. */
  platform: string;
  /** The setting `nodes.dns`. */
  dns: readonly string[];
  pulls: Pulls;
}

/** What there is of a node in its engine. */
export interface Made {
  container_id: string;
  shell: boolean;
  /** As the engine says it. */
  started_at: string;
}

export interface CreationRequest {
  docker: Docker;
  signal: AbortSignal;
  told: (progress: PullProgress) => void;
  /** The engine has answered: what follows may take a while. */
  reached: () => Promise<void>;
}

interface Begun {
  container: Docker.Container;
  signal: AbortSignal;
}

/** How long a program of an image without a shell must last to count as running, in ms. */
const settle_ms = 2_000;

/**
 * Makes a node's container and what it needs, from wherever an earlier attempt came to: names and labels are always
 * the same, so what is there is taken over.
 */
export class Creation {
  readonly #parts: CreationParts;

  constructor(parts: CreationParts) {
    this.#parts = parts;
  }

  /**
   * Fetches the image, makes volume and container, and starts it.
   *
   * @throws `image_pull_failed`, `container_failed`, `invalid_input` where the engine has fewer processors, or why the
   * engine can't be asked; what was made until then stays
   */
  async make(node: StoredNode, request: CreationRequest): Promise<Made> {
    const { docker, signal, told, reached } = request;
    const { pulls } = this.#parts;
    const image = imageOf(node.config.image);
    if ('fault' in image) throw invalid(image.fault.path, image.fault.message);
    try {
      assertProcessors(node, (await docker.info()) as { NCPU?: unknown });
      await reached();
      await pulls.ensure({ docker, host: node.host, image, signal, told });
      signal.throwIfAborted();
      return await this.#running(node, docker, signal);
    } catch (fault) {
      throw signal.aborted ? signal.reason : explain(fault, node.host);
    }
  }

  async #running(node: StoredNode, docker: Docker, signal: AbortSignal): Promise<Made> {
    const containers = await docker.listContainers({ all: true, filters: filterOf(this.#parts.platform, node) });
    const [found, ...others] = containers.filter(({ Labels }) => Labels[labels.role] === 'work');
    // Whoever set up its network before has died: nobody else has a node while it is made.
    const helpers = containers.filter(({ Labels }) => Labels[labels.role] !== 'work');
    for (const { Id } of [...others, ...helpers]) await gone(() => docker.getContainer(Id).remove({ force: true, v: true }));
    try {
      const there = found ? docker.getContainer(found.Id) : await this.#create(node, docker, { shell: true, signal });
      const container = await this.#withProgram(node, docker, { container: there, signal });
      signal.throwIfAborted();
      await started(container);
      return await madeOf(node, container, signal);
    } catch (fault) {
      throw notRunning(node, fault);
    }
  }

  /** The same, or one that runs the image's own program, where it has no shell to wait in. */
  async #withProgram(node: StoredNode, docker: Docker, { container, signal }: Begun): Promise<Docker.Container> {
    const { Config } = await container.inspect();
    if (!hasKeepAlive(Config.Entrypoint) || (await hasShell(container))) return container;
    await gone(() => container.remove({ force: true, v: true }));
    return this.#create(node, docker, { shell: false, signal });
  }

  async #create(node: StoredNode, docker: Docker, { shell, signal }: { shell: boolean; signal: AbortSignal }): Promise<Docker.Container> {
    signal.throwIfAborted();
    const { platform, dns } = this.#parts;
    return docker.createContainer(containerOf(node, { platform, dns, shell }));
  }
}

async function started(container: Docker.Container): Promise<void> {
  await container.start().catch((fault: unknown) => {
    // It runs already.
    if (statusOf(fault) !== 304) throw fault;
  });
}

/** Looks into its files: an init process starts well without a program, and a container then dies again and again. */
async function hasShell(container: Docker.Container): Promise<boolean> {
  try {
    const answer = await container.infoArchive({ path: '/bin/sh' });
    (answer as { resume?: () => void } | undefined)?.resume?.();
    return true;
  } catch (fault) {
    if (statusOf(fault) === 404) return false;
    throw fault;
  }
}

async function madeOf({ config }: StoredNode, container: Docker.Container, signal: AbortSignal): Promise<Made> {
  const before = await container.inspect();
  const shell = hasKeepAlive(before.Config.Entrypoint);
  if (shell) await assertShellStarts(container, config.image);
  else await sleep(settle_ms, undefined, { signal });
  const { Id, State, RestartCount } = await container.inspect();
  if (!State.Running || State.Restarting || RestartCount !== before.RestartCount) {
    const what = shell ? 'its shell' : 'it has no shell, and its own program';
    throw fail('container_failed', `The image '${config.image}' can't be kept running: ${what} ends at once, by ${State.ExitCode}`);
  }
  return { container_id: Id, shell, started_at: State.StartedAt };
}

/** What an engine refuses that is not for want of itself. */
function notRunning(node: StoredNode, fault: unknown): unknown {
  const status = statusOf(fault);
  if (status === undefined) return fault;
  const message = plain((fault as Error).message);
  return fail('container_failed', `The image '${node.config.image}' can't be started: ${message}`, { cause: fault });
}

function assertProcessors({ config }: StoredNode, { NCPU }: { NCPU?: unknown }): void {
  if (typeof NCPU !== 'number' || amountOf(cpuOf(config.cpu_limit)) <= NCPU * 1_000_000_000) return;
  const path = 'config.cpu_limit';
  throw invalid(path, `"${path}" is ${config.cpu_limit}, but the engine has ${NCPU} processors`);
}

function invalid(path: string, message: string): Failure {
  return failInput('invalid_input', message, { details: [{ path, message }] });
}
