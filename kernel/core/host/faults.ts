import type { PluginFailed } from '../../contract/extension.js';
import { type Failure, isFailure } from '../../contract/failure.js';
import type { Services } from './context.js';

/** Failures of extensions: logged at once, and emitted once the platform has started. */
export class Faults {
  readonly #services: Pick<Services, 'log' | 'logs' | 'events'>;
  readonly #last = new Map<string, Failure>();
  /** Failures that wait for the start; undefined once they were emitted. */
  #untold: PluginFailed[] | undefined = [];

  constructor(services: Pick<Services, 'log' | 'logs' | 'events'>) {
    this.#services = services;
  }

  /** Gives it as a sentence. */
  add(id: string, fault: unknown): string {
    if (isFailure(fault)) this.#last.set(id, fault);
    const message = isFailure(fault) ? fault.message : `Extension '${id}' failed: ${String(fault)}`;
    const { log, logs } = this.#services;
    logs.remembering(id, log.child({ extension: id })).error(message, isFailure(fault) && !fault.cause ? {} : { err: fault });
    const failed = { name: id, message };
    if (this.#untold) this.#untold.push(failed);
    else this.#tell(failed);
    return message;
  }

  /** The last one of an extension that is wanted. */
  find(wanted: (id: string, fault: Failure) => boolean): Failure | undefined {
    return [...this.#last].find(([id, fault]) => wanted(id, fault))?.[1];
  }

  forget(id: string): void {
    this.#last.delete(id);
  }

  /** Tells what waited. Not earlier: a start that is refused leaves the database as it found it. */
  tell(): void {
    for (const failed of this.#untold ?? []) this.#tell(failed);
    this.#untold = undefined;
  }

  #tell(failed: PluginFailed): void {
    const { log, events } = this.#services;
    events.emit('plugins.failed', failed).catch((err: unknown) => log.warn('Nobody could be told of an extension that failed', { err }));
  }
}
