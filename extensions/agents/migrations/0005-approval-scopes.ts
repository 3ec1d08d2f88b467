import type { Migration } from '../../../kernel/contract/index.js';

/** What whoever decides an approval must be allowed: as much as the run that asks. */
export const approvalScopes: Migration = {
  name: '0005-approval-scopes',
  async up({ run }) {
    await run(`ALTER TABLE agents_approvals ADD COLUMN scopes TEXT NOT NULL DEFAULT '"all"'`);
  },
};
