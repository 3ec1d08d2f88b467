import type { Migration } from '../../../kernel/contract/index.js';

/** Stores the titles and topics of rooms for their search, which finds them in any case and in any script. */
export const migration: Migration = {
  name: '0033-room-search',
  async up({ run }) {
    await run("ALTER TABLE chat_sessions ADD COLUMN search VARCHAR(1500) NOT NULL DEFAULT ''");
    await run("UPDATE chat_sessions SET search = lower(title) || '\n' || lower(topic) WHERE target_type = 'room'");
  },
};
