import type { Approval, Run } from '../contract.js';

interface ApprovalsParts {
  /** Shows an event of the reply to its readers, stored text first. */
  show: (type: string, data: object) => Promise<void>;
  /** The task waits for a person, or runs again. */
  wait: (waiting: boolean) => Promise<void>;
}

/** What a reply waits for. Its task waits as long as one approval is open. */
export class RunApprovals {
  readonly #parts: ApprovalsParts;
  readonly #open = new Set<Approval['id']>();
  /** Whether the task is stored as one that waits. */
  #waiting = false;
  #stored: Promise<void> = Promise.resolve();

  constructor(parts: ApprovalsParts) {
    this.#parts = parts;
  }

  readonly required: Run['approvals']['required'] = async (approval) => {
    this.#open.add(approval.id);
    await this.#store();
    await this.#parts.show('approval.required', { approval });
  };

  readonly resolved: Run['approvals']['resolved'] = async (approval) => {
    this.#open.delete(approval.id);
    await this.#parts.show('approval.resolved', { approval });
    await this.#store();
  };

  /** One after the other, each with what is so when its turn comes: what is stored last is how it is. */
  #store(): Promise<void> {
    this.#stored = this.#stored
      .catch(() => undefined)
      .then(async () => {
        const waiting = this.#open.size > 0;
        if (waiting === this.#waiting) return;
        await this.#parts.wait(waiting);
        this.#waiting = waiting;
      });
    return this.#stored;
  }
}
