import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { type Failure, fail as failInput } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { PullProgress } from '../contract.js';
import { explain, singleLine, statusOf } from '../engines/failures.js';
import type { StoredNode } from '../store/stored.js';
import { imageOf } from './image.js';
import { filterOf, labels } from './labels.js';
import { amountOf, cpuOf } from './limits.js';
import type { Pulls } from './pulls.js';
import { removeUntilGone as removed } from './removal.js';
import { assertShellStarts } from './shell-probe.js';
import { containerOf, hasKeepAlive } from './spec.js';

export interface CreationParts {
  /** Installation's UUID. */
  platform: string;
  /** The setting `nodes.dns`. */
  dns: readonly string[];
  pulls: Pulls;
}

/** Result of a creation in the engine. */
export interface CreatedContainer {
  container_id: string;
  shell: boolean;
  /** As reported by the engine. */
  started_at: string;
}

export interface CreationRequest {
  docker: Docker;
  signal: AbortSignal;
  onProgress: (progress: PullProgress) => void;
  /** Runs when the engine has answered: the rest may take a while. */
  onReached: () => Promise<void>;
}

interface StartedContainer {
  container: Docker.Container;
  signal: AbortSignal;
}

/** Time that the program of an image without a shell must run to count as running, in ms. */
const settle_ms = 2_000;

/**
 * Creates a node's container and its resources. Resumes an earlier attempt: names and labels are deterministic, so
 * existing parts are reused.
 */
export class Creation {
  readonly #parts: CreationParts;

  constructor(parts: CreationParts) {
    this.#parts = parts;
  }

  /**
   * Pulls the image, creates volume and container, and starts the container.
   *
   * @throws `image_pull_failed`, `container_failed`, `invalid_input` if the engine has fewer processors, or the reason
   * why the engine is unreachable; parts created so far stay
   */
  async make(node: StoredNode, request: CreationRequest): Promise<CreatedContainer> {
    const { docker, signal, onProgress: told, onReached: reached } = request;
    const { pulls } = this.#parts;
    const image = imageOf(node.config.image);
    if ('fault' in image) throw invalid(image.fault.path, image.fault.message);
    try {
      assertProcessors(node, (await docker.info()) as { NCPU?: unknown });
      await reached();
      await pulls.ensure({ docker, host: node.host, image, signal, onProgress: told });
      signal.throwIfAborted();
      return await this.#running(node, docker, signal);
    } catch (fault) {
      throw signal.aborted ? signal.reason : explain(fault, node.host);
    }
  }

  async #running(node: StoredNode, docker: Docker, signal: AbortSignal): Promise<CreatedContainer> {
    const containers = await docker.listContainers({ all: true, filters: filterOf(this.#parts.platform, node) });
    const [found, ...others] = containers.filter(({ Labels }) => Labels[labels.role] === 'work');
    // Helpers that set up its network are orphans: only one process works on a node while it is created.
    const helpers = containers.filter(({ Labels }) => Labels[labels.role] !== 'work');
    for (const { Id } of [...others, ...helpers]) await removed(() => docker.getContainer(Id).remove({ force: true, v: true }));
    try {
      const existing = found ? docker.getContainer(found.Id) : await this.#create(node, docker, { shell: true, signal });
      const container = await this.#withProgram(node, docker, { container: existing, signal });
      signal.throwIfAborted();
      await started(container);
      return await madeOf(node, container, signal);
    } catch (fault) {
      throw notRunning(node, fault);
    }
  }

  /** Returns the container, or a new one that runs the image's own program if the image has no shell. */
  async #withProgram(node: StoredNode, docker: Docker, { container, signal }: StartedContainer): Promise<Docker.Container> {
    const { Config } = await container.inspect();
    if (!hasKeepAlive(Config.Entrypoint) || (await hasShell(container))) return container;
    await removed(() => container.remove({ force: true, v: true }));
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
    // It is already running.
    if (statusOf(fault) !== 304) throw fault;
  });
}

/**
 * Returns whether the image has a shell. Checks its files, because an init process starts even without a program, and
 * the container would then restart for ever.
 */
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

async function madeOf({ config }: StoredNode, container: Docker.Container, signal: AbortSignal): Promise<CreatedContainer> {
  const before = await container.inspect();
  const shell = hasKeepAlive(before.Config.Entrypoint);
  if (shell) await assertShellStarts(container, config.image);
  else await sleep(settle_ms, undefined, { signal });
  const { Id, State, RestartCount } = await container.inspect();
  if (!State.Running || State.Restarting || RestartCount !== before.RestartCount) {
    const what = shell ? 'its shell' : 'it has no shell, and its own program';
    throw fail('container_failed', `The image '${config.image}' can't be kept running: ${what} exits at once with code ${State.ExitCode}`);
  }
  return { container_id: Id, shell, started_at: State.StartedAt };
}

/** Converts an engine's refusal to start to a failure; other faults stay. */
function notRunning(node: StoredNode, fault: unknown): unknown {
  const status = statusOf(fault);
  if (status === undefined) return fault;
  const message = singleLine((fault as Error).message);
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
