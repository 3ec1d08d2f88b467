import type { Migration } from '../../../kernel/contract/index.js';

/** Scopes that a decider needs: those of the run that asks. */
export const approvalScopes: Migration = {
  name: '0005-approval-scopes',
  async up({ run }) {
    await run(`ALTER TABLE agents_approvals ADD COLUMN scopes TEXT NOT NULL DEFAULT '"all"'`);
  },
};
