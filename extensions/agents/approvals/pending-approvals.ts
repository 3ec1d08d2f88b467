import type { Disposable } from '../../../kernel/contract/index.js';
import type { Approval } from '../contract.js';
import { settlements_channel } from './announcer.js';
import type { Parts } from './parts.js';

type Dependencies = Pick<Parts, 'store' | 'bus' | 'log' | 'sweep'>;

/** Interval at which leases are renewed and missed bus messages are noticed. */
const renew_interval_ms = 2_000;

interface Wait {
  approval: Approval;
  /** Whether the row was written. Before that a missing row is not stored yet; after that it was deleted. */
  stored: boolean;
  settle: (settled: Approval) => void;
}

/**
 * Tracks the runs of this process that wait for a person. It lives until the last of them has ended, even after another
 * version has replaced this one, so it has its own timer.
 */
export class PendingApprovals implements Disposable {
  readonly #parts: Dependencies;
  readonly #waits = new Map<string, Wait>();
  #listening: Promise<() => Promise<void>> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #renewing = false;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** Starts waiting before the approval is stored, so that no decision is missed. */
  begin(approval: Approval): { settled: Promise<Approval>; stored: () => void; end: () => void } {
    this.#listening ??= this.#listen();
    this.#timer ??= setInterval(() => void this.#renew(), renew_interval_ms).unref();
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

  /** Subscribes to decisions. Without the bus, the timer finds them. */
  #listen(): Promise<() => Promise<void>> {
    const listening = this.#parts.bus.subscribe(settlements_channel, ({ id }: { id: string }) => {
      if (this.#waits.has(id)) this.#check(id).catch((fault: unknown) => this.#warn(fault));
    });
    listening.catch((fault: unknown) => {
      this.#warn(fault);
      this.#listening = undefined;
    });
    return listening;
  }

  async #renew(): Promise<void> {
    if (this.#renewing || this.#waits.size === 0) return;
    this.#renewing = true;
    try {
      const ids = [...this.#waits.keys()];
      const open = new Set(await this.#parts.store.renewLeases(ids));
      for (const id of ids) if (!open.has(id)) await this.#check(id);
      // Sweep after renewing our own leases: they may have lapsed while the database was unavailable.
      await this.#parts.sweep();
    } catch (fault) {
      this.#warn(fault);
    } finally {
      this.#renewing = false;
    }
  }

  async #check(id: string): Promise<void> {
    const wait = this.#waits.get(id);
    if (!wait) return;
    const deleted: Approval | undefined = wait.stored ? { ...wait.approval, status: 'cancelled' } : undefined;
    const approval = (await this.#parts.store.get(id)) ?? deleted;
    if (approval && approval.status !== 'pending') wait.settle(approval);
  }

  #warn(fault: unknown): void {
    this.#parts.log.warn('Could not renew approvals; retrying', { err: fault });
  }
}
