import type { Disposable } from '../../../kernel/contract/index.js';
import type { Approval } from '../contract.js';
import { settled_channel } from './announcer.js';
import type { Parts } from './parts.js';

type Own = Pick<Parts, 'store' | 'bus' | 'log' | 'sweep'>;

/** Holds the lease of what is waited for, and finds what the bus did not tell. */
const beat_ms = 2_000;

interface Wait {
  approval: Approval;
  /** Before that it is not there yet; after that, where it is not there, it was deleted. */
  stored: boolean;
  settle: (settled: Approval) => void;
}

/**
 * The runs of this process that wait for a person. It lives until the last of them has ended, also when
 * another version has taken over, which is why its beat is its own.
 */
export class Waiting implements Disposable {
  readonly #parts: Own;
  readonly #waits = new Map<string, Wait>();
  #listening: Promise<() => Promise<void>> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #beating = false;

  constructor(parts: Own) {
    this.#parts = parts;
  }

  /** Begins to wait, before the approval is stored: so no decision comes too early. */
  begin(approval: Approval): { settled: Promise<Approval>; stored: () => void; end: () => void } {
    this.#listening ??= this.#listen();
    this.#timer ??= setInterval(() => void this.#beat(), beat_ms).unref();
    const { id } = approval;
    const settled = new Promise<Approval>((settle) => this.#waits.set(id, { approval, stored: false, settle }));
    return { settled, stored: () => this.#stored(id), end: () => this.#end(id) };
  }

  async dispose(): Promise<void> {
    clearInterval(this.#timer);
    const stop = await this.#listening?.catch(() => undefined);
    await stop?.();
  }

  #stored(id: string): void {
    const wait = this.#waits.get(id);
    if (wait) wait.stored = true;
  }

  #end(id: string): void {
    this.#waits.delete(id);
    if (this.#waits.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Without the bus, decisions are found by the beat. */
  #listen(): Promise<() => Promise<void>> {
    const listening = this.#parts.bus.subscribe(settled_channel, ({ id }: { id: string }) => {
      if (this.#waits.has(id)) this.#look(id).catch((fault: unknown) => this.#warn(fault));
    });
    listening.catch((fault: unknown) => {
      this.#warn(fault);
      this.#listening = undefined;
    });
    return listening;
  }

  async #beat(): Promise<void> {
    if (this.#beating || this.#waits.size === 0) return;
    this.#beating = true;
    try {
      const ids = [...this.#waits.keys()];
      const open = new Set(await this.#parts.store.hold(ids));
      for (const id of ids) if (!open.has(id)) await this.#look(id);
      // After its own are held: while the database was away their leases may have lapsed.
      await this.#parts.sweep();
    } catch (fault) {
      this.#warn(fault);
    } finally {
      this.#beating = false;
    }
  }

  async #look(id: string): Promise<void> {
    const wait = this.#waits.get(id);
    if (!wait) return;
    const gone: Approval | undefined = wait.stored ? { ...wait.approval, status: 'cancelled' } : undefined;
    const approval = (await this.#parts.store.get(id)) ?? gone;
    if (approval && approval.status !== 'pending') wait.settle(approval);
  }

  #warn(fault: unknown): void {
    this.#parts.log.warn('Approvals could not be looked after; tried again', { err: fault });
  }
}
