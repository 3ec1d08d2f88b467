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

  constructor(parts: ApprovalsParts) {
    this.#parts = parts;
  }

  readonly required: Run['approvals']['required'] = async (approval) => {
    const first = this.#open.size === 0;
    this.#open.add(approval.id);
    if (first) await this.#parts.wait(true);
    await this.#parts.show('approval.required', { approval });
  };

  readonly resolved: Run['approvals']['resolved'] = async (approval) => {
    const last = this.#open.delete(approval.id) && this.#open.size === 0;
    await this.#parts.show('approval.resolved', { approval });
    if (last) await this.#parts.wait(false);
  };
}
