import type { PluginFailed } from '../../contract/extension.js';
import { type Failure, isFailure } from '../../contract/failure.js';
import type { Services } from './context.js';

/** Failures of extensions: logged at once, and emitted as `plugins.failed` after the platform has started. */
export class Faults {
  readonly #services: Pick<Services, 'log' | 'logs' | 'events'>;
  readonly #last = new Map<string, Failure>();
  /** Failures to emit after the start; undefined from then on. */
  #pending: PluginFailed[] | undefined = [];

  constructor(services: Pick<Services, 'log' | 'logs' | 'events'>) {
    this.#services = services;
  }

  /** Records a failure and returns its message. */
  add(id: string, fault: unknown): string {
    if (isFailure(fault)) this.#last.set(id, fault);
    const message = isFailure(fault) ? fault.message : `Extension '${id}' failed: ${String(fault)}`;
    const { log, logs } = this.#services;
    logs.remembering(id, log.child({ extension: id })).error(message, isFailure(fault) && !fault.cause ? {} : { err: fault });
    const failed = { name: id, message };
    if (this.#pending) this.#pending.push(failed);
    else this.#emit(failed);
    return message;
  }

  /** Returns the last failure of the first extension that matches. */
  find(wanted: (id: string, fault: Failure) => boolean): Failure | undefined {
    return [...this.#last].find(([id, fault]) => wanted(id, fault))?.[1];
  }

  forget(id: string): void {
    this.#last.delete(id);
  }

  /** Emits pending failures. Called after the start only, because a refused start must not change the database. */
  emitPending(): void {
    for (const failed of this.#pending ?? []) this.#emit(failed);
    this.#pending = undefined;
  }

  #emit(failed: PluginFailed): void {
    const { log, events } = this.#services;
    events.emit('plugins.failed', failed).catch((err: unknown) => log.warn("Could not emit 'plugins.failed'", { err }));
  }
}
