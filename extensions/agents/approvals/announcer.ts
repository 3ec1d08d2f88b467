import type { Approval } from '../contract.js';
import type { Parts } from './parts.js';

/** Bus channel: an approval is open no more. */
export const settled_channel = 'agents.approval';

type Own = Pick<Parts, 'bus' | 'log' | 'push' | 'participants' | 'track'>;

/** Tells people's devices, and the run that waits wherever it is, how it stands with an approval. */
export class Announcer {
  readonly #parts: Own;

  constructor(parts: Own) {
    this.#parts = parts;
  }

  required(approval: Approval, members: readonly number[]): void {
    this.#push('approval.required', approval, members);
  }

  /** Whoever isn't reached by the bus finds it in the table a little later. */
  settled(approvals: readonly Approval[]): void {
    for (const approval of approvals) {
      this.#parts.track(
        this.#settled(approval).catch((fault: unknown) => this.#parts.log.warn('An approval could not be told of', { err: fault })),
      );
    }
  }

  async #settled(approval: Approval): Promise<void> {
    const { bus, participants } = this.#parts;
    await bus.publish(settled_channel, { id: approval.id });
    this.#push('approval.resolved', approval, await participants(approval.session_id));
  }

  #push(type: string, approval: Approval, members: readonly number[]): void {
    if (members.length > 0) this.#parts.push(members, { type, data: { session_id: approval.session_id, approval } });
  }
}
