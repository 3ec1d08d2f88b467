import type { Bus, Log } from '../../../kernel/contract/index.js';
import type { Approval } from '../contract.js';

/** Bus channel: an approval is open no more. */
export const settled_channel = 'agents.approval';

export interface AnnouncerOptions {
  bus: Bus;
  log: Log;
  /** Brings a frame to the sockets of members. */
  push: (members: readonly number[], frame: { type: string; data: object }) => void;
  participants: (session_id: string) => Promise<readonly number[]>;
  track: (work: Promise<unknown>) => void;
}

/** Tells people's devices, and the run that waits wherever it is, how it stands with an approval. */
export class Announcer {
  readonly #options: AnnouncerOptions;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  required(approval: Approval, members: readonly number[]): void {
    this.#push('approval.required', approval, members);
  }

  /** Whoever isn't reached by the bus finds it in the table a little later. */
  settled(approvals: readonly Approval[]): void {
    for (const approval of approvals) {
      this.#options.track(
        this.#settled(approval).catch((fault: unknown) => this.#options.log.warn('An approval could not be told of', { err: fault })),
      );
    }
  }

  async #settled(approval: Approval): Promise<void> {
    const { bus, participants } = this.#options;
    await bus.publish(settled_channel, { id: approval.id });
    this.#push('approval.resolved', approval, await participants(approval.session_id));
  }

  #push(type: string, approval: Approval, members: readonly number[]): void {
    if (members.length > 0) this.#options.push(members, { type, data: { session_id: approval.session_id, approval } });
  }
}
