import type { Migration } from '../../../kernel/contract/index.js';

const running = "status IN ('running', 'waiting_approval')";
const open = "status IN ('queued', 'running', 'waiting_approval')";

const sessionColumns = [
  "visibility VARCHAR(16) NOT NULL DEFAULT 'private'",
  "topic VARCHAR(500) NOT NULL DEFAULT ''",
  'member_count INTEGER NOT NULL DEFAULT 0',
  "members_version VARCHAR(36) NOT NULL DEFAULT ''",
  'message_count INTEGER NOT NULL DEFAULT 0',
  'room_no BIGINT',
  'emptied_at VARCHAR(24)',
];

const participantColumns = [
  "kind VARCHAR(16) NOT NULL DEFAULT 'person'",
  "role VARCHAR(16) NOT NULL DEFAULT 'member'",
  "answers VARCHAR(16) NOT NULL DEFAULT 'mentioned'",
  "level VARCHAR(16) NOT NULL DEFAULT 'mentions'",
  'muted_until VARCHAR(24)',
  "joined_at VARCHAR(24) NOT NULL DEFAULT ''",
  "read_at VARCHAR(24) NOT NULL DEFAULT ''",
  'read_count INTEGER NOT NULL DEFAULT 0',
];

/** Adds rooms: sessions of several people and AI employees, and lets the AI employees of a room work side by side. */
export const migration: Migration = {
  name: '0031-rooms',
  async up({ dialect, run }) {
    for (const column of sessionColumns) await run(`ALTER TABLE chat_sessions ADD COLUMN ${column}`);
    for (const column of participantColumns) await run(`ALTER TABLE chat_participants ADD COLUMN ${column}`);
    await run("ALTER TABLE chat_messages ADD COLUMN mentions TEXT NOT NULL DEFAULT '[]'");
    await run('ALTER TABLE chat_messages ADD COLUMN ordinal INTEGER NOT NULL DEFAULT 0');
    await run('ALTER TABLE chat_tasks ADD COLUMN lane INTEGER NOT NULL DEFAULT 0');
    await run('ALTER TABLE chat_tasks ADD COLUMN reads_private INTEGER NOT NULL DEFAULT 0');
    await run("UPDATE chat_participants SET kind = 'plugin' WHERE is_guest = 1");
    // An AI employee takes part in its conversations without a row.
    await run(`UPDATE chat_sessions SET member_count = (SELECT count(*) FROM chat_participants p WHERE p.session_id = chat_sessions.id)
      + CASE WHEN target_type = 'ai' THEN 1 ELSE 0 END`);
    await run("CREATE INDEX chat_sessions_open ON chat_sessions (created_at, id) WHERE visibility = 'open'");
    await run('CREATE INDEX chat_sessions_emptied ON chat_sessions (emptied_at) WHERE emptied_at IS NOT NULL');
    await run('CREATE UNIQUE INDEX chat_sessions_room ON chat_sessions (room_no)');
    await run("CREATE INDEX chat_participants_rooms ON chat_participants (member_id) WHERE target_type = 'room'");
    await run("CREATE INDEX chat_participants_all ON chat_participants (session_id) WHERE target_type = 'room' AND level = 'all'");
    await run('DROP INDEX chat_tasks_turn');
    await run(`CREATE INDEX chat_tasks_turn ON chat_tasks (session_id, lane, created_at) WHERE ${open}`);
    await run('DROP INDEX chat_tasks_one_at_a_time');
    await run(`CREATE UNIQUE INDEX chat_tasks_lanes ON chat_tasks (session_id, lane) WHERE ${running}`);
    await run('CREATE INDEX chat_tasks_message ON chat_tasks (message_id)');
    await run(`CREATE TABLE chat_mentions (
      message_id VARCHAR(36) NOT NULL,
      member_id INTEGER NOT NULL,
      session_id VARCHAR(36) NOT NULL,
      sender_id INTEGER NOT NULL,
      created_at VARCHAR(24) NOT NULL,
      PRIMARY KEY (message_id, member_id)
    )`);
    await run('CREATE INDEX chat_mentions_member ON chat_mentions (session_id, member_id, created_at)');
    await run(`CREATE TABLE chat_thread_followers (
      root_id VARCHAR(36) NOT NULL,
      member_id INTEGER NOT NULL,
      session_id VARCHAR(36) NOT NULL,
      read_count INTEGER NOT NULL,
      PRIMARY KEY (root_id, member_id)
    )`);
    await run('CREATE INDEX chat_thread_followers_member ON chat_thread_followers (session_id, member_id)');
    await run(`CREATE TABLE chat_former_members (
      member_id INTEGER NOT NULL,
      session_id VARCHAR(36) NOT NULL,
      PRIMARY KEY (member_id, session_id)
    )`);
    if (dialect === 'postgres') await run('CREATE SEQUENCE chat_sessions_numbers OWNED BY chat_sessions.room_no');
  },
};
