import type { Migration } from '../../../kernel/contract/index.js';

/** Whether a member may log in and takes a seat. */
export const active: Migration = {
  name: '0009-active',
  async up({ run }) {
    await run('ALTER TABLE members_members ADD COLUMN active BOOLEAN NOT NULL DEFAULT TRUE');
  },
};
