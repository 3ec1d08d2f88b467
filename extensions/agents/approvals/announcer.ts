import type { Approval } from '../contract.js';
import type { Parts } from './parts.js';

/** Bus channel that announces that an approval is no longer open. */
export const settlements_channel = 'agents.approval';

type Dependencies = Pick<Parts, 'bus' | 'log' | 'push' | 'deciders' | 'track'>;

/** Announces changes of approvals to people's devices and to the waiting run, in whichever process it is. */
export class Announcer {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  required(approval: Approval, members: readonly number[]): void {
    this.#push('approval.required', approval, members);
  }

  /** Announces settled approvals. A process that the bus doesn't reach finds them in the table a little later. */
  settled(approvals: readonly Approval[]): void {
    for (const approval of approvals) {
      this.#parts.track(
        this.#settled(approval).catch((fault: unknown) => this.#parts.log.warn('Could not announce an approval', { err: fault })),
      );
    }
  }

  async #settled(approval: Approval): Promise<void> {
    const { bus, deciders } = this.#parts;
    await bus.publish(settlements_channel, { id: approval.id });
    this.#push('approval.resolved', approval, await deciders(approval));
  }

  #push(type: string, approval: Approval, members: readonly number[]): void {
    if (members.length > 0) this.#parts.push(members, { type, data: { session_id: approval.session_id, approval } });
  }
}
