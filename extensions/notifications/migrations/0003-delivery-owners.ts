import type { Migration } from '../../../kernel/contract/index.js';

/** Adds the process that has claimed a delivery until `due_at`. */
export const migration: Migration = {
  name: '0003-delivery-owners',
  async up({ run }) {
    await run('ALTER TABLE notifications_deliveries ADD COLUMN owner VARCHAR(64)');
  },
};
