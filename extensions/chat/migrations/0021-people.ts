import type { Migration } from '../../../kernel/contract/index.js';

/** Adds an index that finds a member's conversations with another person. */
export const migration: Migration = {
  name: '0021-people',
  async up({ run }) {
    await run(`CREATE INDEX chat_participants_people ON chat_participants (member_id, target_id) WHERE target_type = 'member'`);
  },
};
