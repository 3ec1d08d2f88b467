import { type Failure, isFailure, type Log } from '../../../kernel/contract/index.js';
import type { Changes } from '../changes.js';
import type { NodeContainer } from './node-container.js';

export interface TroublesParts {
  log: Pick<Log, 'warn'>;
  changes: Pick<Changes, 'move'>;
}

/** Codes of failures in a running container. The monitor detects whether it runs. */
const codes: ReadonlySet<string> = new Set(['container_failed', 'no_shell']);

/** Records on an online node why commands can't be run in its container, until one succeeds. */
export class CommandFailureRecorder {
  readonly #parts: TroublesParts;

  constructor(parts: TroublesParts) {
    this.#parts = parts;
  }

  /** Runs a command's work and records the result. */
  async watch<T>(place: NodeContainer, work: () => Promise<T>): Promise<T> {
    try {
      const done = await work();
      if (codes.has(place.node.reason_code)) await this.#move(place, { message: '', code: '' });
      return done;
    } catch (fault) {
      // A missing shell is not a problem of the container: its programs run.
      if (isFailure(fault) && codes.has(fault.code) && place.node.shell !== false) await this.#record(place, fault);
      throw fault;
    }
  }

  async #record(place: NodeContainer, { message, code, cause }: Failure): Promise<void> {
    const { id, name, reason } = place.node;
    if (reason === message) return;
    this.#parts.log.warn(`Commands can't be run on the node '${name}': ${message}`, { id, code, err: cause });
    await this.#move(place, { message, code });
  }

  async #move({ node, container }: NodeContainer, { message, code }: Pick<Failure, 'message' | 'code'>): Promise<void> {
    const where = ({ container_id, reason }: NodeContainer['node']) => container_id === container.id && reason !== message;
    await this.#parts.changes.move(node.id, { from: ['online'], where, to: { reason: message, reason_code: code } });
  }
}
