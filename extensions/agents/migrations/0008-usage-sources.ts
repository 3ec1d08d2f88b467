import type { Migration } from '../../../kernel/contract/index.js';

/** Adds to the usage of replies who asked for them and in which room; null for earlier replies. */
export const usageSources: Migration = {
  name: '0008-usage-sources',
  async up({ run }) {
    await run('ALTER TABLE agents_usage ADD COLUMN requested_by INTEGER');
    await run('ALTER TABLE agents_usage ADD COLUMN room_id VARCHAR(36)');
  },
};
