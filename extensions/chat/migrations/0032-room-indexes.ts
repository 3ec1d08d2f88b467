import type { Migration } from '../../../kernel/contract/index.js';

/** Finds the AI employees of a room without reading all its members, which each message would do, and a member's rooms from an index alone. */
export const migration: Migration = {
  name: '0032-room-indexes',
  async up({ run }) {
    await run("CREATE INDEX chat_participants_employees ON chat_participants (session_id, member_id) WHERE kind = 'ai'");
    await run('DROP INDEX chat_participants_rooms');
    await run("CREATE INDEX chat_participants_rooms ON chat_participants (member_id, session_id) WHERE target_type = 'room'");
  },
};
