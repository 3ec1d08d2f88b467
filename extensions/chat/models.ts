import { type Database, Op, type RowOf } from '../../kernel/contract/index.js';
import type {
  Answers,
  Fault,
  Image,
  Mention,
  MessageFile,
  MessageRole,
  MessageStatus,
  NotificationLevel,
  ParticipantKind,
  ReactionCount,
  RoomRole,
  TargetType,
  TaskStatus,
  ToolCall,
  Visibility,
} from './contract.js';
import { fileModels } from './file-models.js';
import { importModels } from './import-models.js';

const running = { status: ['running', 'waiting_approval'] };
const open = { status: ['queued', 'running', 'waiting_approval'] };

/** Conversations. */
function sessions(db: Database) {
  const { string, integer, bigint, time } = db.columns;
  return db.define(
    'sessions',
    {
      id: string(36, { primaryKey: true }),
      title: string(200),
      /** Type of the partner, for the member who created the session. */
      target_type: string<TargetType>(16),
      created_by: integer(),
      created_at: time(),
      updated_at: time(),
      last_message_at: time({ allowNull: true }),
      last_message_preview: string(400),
      /** The first of its open tasks. */
      active_task_id: string(36, { allowNull: true }),
      /** The time of the last message, in ms since the epoch. The next message gets a later one. */
      last_ms: bigint(),
      visibility: string<Visibility>(16, { defaultValue: 'private' }),
      topic: string<string>(500, { defaultValue: '' }),
      /** Rooms only: title and topic in lower case, because SQLite's own function changes ASCII letters only. */
      search: string<string>(1_500, { defaultValue: '' }),
      member_count: integer<number>({ defaultValue: 0 }),
      /** Random, another one after each change of the members, so that a cached list of them can be checked. */
      members_version: string<string>(36, { defaultValue: '' }),
      /** Rooms only: number of complete messages outside of threads, from which unread counts are computed. */
      message_count: integer<number>({ defaultValue: 0 }),
      /** Rooms only: number under which the search index has the room's messages. */
      room_no: bigint({ allowNull: true }),
      /** Rooms only: since when no person is a member. */
      emptied_at: time({ allowNull: true }),
    },
    {
      indexes: [
        { name: 'chat_sessions_open', fields: ['created_at', 'id'], where: { visibility: 'open' } },
        { name: 'chat_sessions_emptied', fields: ['emptied_at'], where: { emptied_at: { [Op.ne]: null } } },
        { name: 'chat_sessions_room', fields: ['room_no'], unique: true },
      ],
    },
  );
}

/** The members of each session, with what each of them sees of it. */
function participants(db: Database) {
  const { string, integer, time } = db.columns;
  const newest = [
    { name: 'activity_at', order: 'DESC' as const },
    { name: 'session_id', order: 'DESC' as const },
  ];
  return db.define(
    'participants',
    {
      session_id: string(36, { primaryKey: true }),
      member_id: integer({ primaryKey: true }),
      /** Type of the partner, for this member. */
      target_type: string<TargetType>(16),
      target_id: string(64),
      unread_count: integer(),
      hidden: integer<0 | 1>(),
      activity_at: time(),
      /** A plugin's own member, which was added. */
      is_guest: integer<0 | 1>({ defaultValue: 0 }),
      kind: string<ParticipantKind>(16, { defaultValue: 'person' }),
      role: string<RoomRole>(16, { defaultValue: 'member' }),
      /** AI employees in rooms only. */
      answers: string<Answers>(16, { defaultValue: 'mentioned' }),
      level: string<NotificationLevel>(16, { defaultValue: 'mentions' }),
      muted_until: time({ allowNull: true }),
      joined_at: string<string>(24, { defaultValue: '' }),
      /** Rooms only: time of the last message that the member has read. */
      read_at: string<string>(24, { defaultValue: '' }),
      /** Rooms only: the session's `message_count` as of that message. */
      read_count: integer<number>({ defaultValue: 0 }),
    },
    {
      indexes: [
        // Holds every column that a page of the list reads from this table, in the list's order.
        { name: 'chat_participants_list', fields: ['member_id', 'hidden', ...newest, 'target_type', 'target_id', 'unread_count'] },
        { name: 'chat_participants_target', fields: ['target_type', 'target_id'] },
        { name: 'chat_participants_people', fields: ['member_id', 'target_id'], where: { target_type: 'member' } },
        { name: 'chat_participants_rooms', fields: ['member_id', 'session_id'], where: { target_type: 'room' } },
        { name: 'chat_participants_all', fields: ['session_id'], where: { target_type: 'room', level: 'all' } },
        { name: 'chat_participants_employees', fields: ['session_id', 'member_id'], where: { kind: 'ai' } },
      ],
    },
  );
}

/** Messages, among them replies in progress. */
function messages(db: Database) {
  const { string, text, integer, bigint, json, time } = db.columns;
  return db.define(
    'messages',
    {
      id: string(36, { primaryKey: true }),
      session_id: string(36),
      role: string<MessageRole>(16),
      sender_id: integer({ allowNull: true }),
      sender_name: string(64),
      content: text(),
      images: json<Image[]>(),
      /** The bytes of all its images. */
      image_bytes: bigint({ defaultValue: 0 }),
      files: json<MessageFile[]>({ defaultValue: [] }),
      reply_to: string(36, { allowNull: true }),
      task_id: string(36, { allowNull: true }),
      status: string<MessageStatus>(16),
      error: json<Fault>({ allowNull: true }),
      notices: json<Fault[]>({ defaultValue: [] }),
      input_tokens: integer({ allowNull: true }),
      output_tokens: integer({ allowNull: true }),
      tool_calls: json<ToolCall[]>(),
      /** Last event of the reply that is included in this row. */
      seq: integer(),
      /** Number in the search index. Never null, although SQLite could not add a NOT NULL column. */
      no: bigint({ allowNull: db.dialect === 'sqlite' }),
      /** Members of a room whom the text mentions. */
      mentions: json<Mention[]>({ defaultValue: [] }),
      /** Rooms only: the session's `message_count` as of this message. */
      ordinal: integer<number>({ defaultValue: 0 }),
      created_at: time(),
      updated_at: time(),
      edited_at: time({ allowNull: true }),
      deleted_at: time({ allowNull: true }),
      /** The last edit or the deletion. Unique within a session. */
      changed_at: time({ allowNull: true }),
      last_reply_at: time({ allowNull: true }),
      thread_id: string(36, { allowNull: true }),
      reply_count: integer<number>({ defaultValue: 0 }),
      /** Counts of the rows in `chat_reactions`. */
      reactions: json<ReactionCount[]>({ defaultValue: [] }),
    },
    {
      indexes: [
        { name: 'chat_messages_page', fields: ['session_id', 'created_at'], unique: true },
        { name: 'chat_messages_no', fields: ['no'], unique: true },
        { name: 'chat_messages_thread', fields: ['thread_id', 'created_at'], where: { thread_id: { [Op.ne]: null } } },
        { name: 'chat_messages_changed', fields: ['session_id', 'changed_at'], where: { changed_at: { [Op.ne]: null } } },
      ],
    },
  );
}

/** Tasks, each of which answers a message: a queue of jobs, and the history. */
function tasks(db: Database) {
  const { string, text, integer, bigint, json, time } = db.columns;
  return db.define(
    'tasks',
    {
      id: string(36, { primaryKey: true }),
      session_id: string(36),
      message_id: string(36),
      reply_id: string(36),
      target_type: string<TargetType>(16),
      /** The AI employee that works on it. */
      member_id: integer(),
      member_name: string(64),
      requested_by: integer(),
      /** JSON. */
      scopes: string(64),
      node_id: integer({ allowNull: true }),
      title: string(400),
      status: string<TaskStatus>(16),
      reason: string(64, { allowNull: true }),
      progress: text({ allowNull: true }),
      error: json<Fault>({ allowNull: true }),
      /** The process that runs it. */
      owner: string(64, { allowNull: true }),
      /** The end of that process's lease, in ms of the database's clock. */
      lease_until: bigint({ allowNull: true }),
      /** How many texts joined it after its message. */
      joins: integer({ defaultValue: 0 }),
      /** Tasks of a session with equal lanes run one after the other. In a room the AI employee's id, otherwise 0. */
      lane: integer<number>({ defaultValue: 0 }),
      /** Whether it has read data that only the present members of its room may see. */
      reads_private: integer<0 | 1>({ defaultValue: 0 }),
      created_at: time(),
      started_at: time({ allowNull: true }),
      finished_at: time({ allowNull: true }),
    },
    {
      indexes: [
        { name: 'chat_tasks_session', fields: ['session_id'] },
        { name: 'chat_tasks_message', fields: ['message_id'] },
        // Finds the next task without reading finished ones, of which a session may have thousands.
        { name: 'chat_tasks_turn', fields: ['session_id', 'lane', 'created_at'], where: open },
        { name: 'chat_tasks_asker', fields: ['requested_by'], where: open },
        { name: 'chat_tasks_failed', fields: ['requested_by', 'finished_at'], where: { status: 'failed' } },
        { name: 'chat_tasks_queue', fields: ['created_at'], where: { status: 'queued', node_id: null } },
        {
          name: 'chat_tasks_placed',
          fields: ['member_id', 'requested_by', 'created_at'],
          where: { status: 'queued', node_id: { [Op.ne]: null } },
        },
        { name: 'chat_tasks_node', fields: ['node_id'], where: { node_id: { [Op.ne]: null }, ...open } },
        { name: 'chat_tasks_lease', fields: ['lease_until'], where: running },
        { name: 'chat_tasks_lanes', fields: ['session_id', 'lane'], unique: true, where: running },
      ],
    },
  );
}

/** Reactions of members to messages. */
function reactions(db: Database) {
  const { string, integer, time } = db.columns;
  return db.define(
    'reactions',
    {
      message_id: string(36, { primaryKey: true }),
      emoji: string(64, { primaryKey: true }),
      member_id: integer({ primaryKey: true }),
      session_id: string(36),
      created_at: time(),
    },
    {
      indexes: [
        { name: 'chat_reactions_member', fields: ['member_id'] },
        { name: 'chat_reactions_session', fields: ['session_id'] },
      ],
    },
  );
}

/** Reports of messages by members. */
function reports(db: Database) {
  const { string, integer, time } = db.columns;
  return db.define(
    'reports',
    {
      message_id: string(36, { primaryKey: true }),
      member_id: integer({ primaryKey: true }),
      session_id: string(36),
      reason: string(1_000),
      created_at: time(),
    },
    {
      indexes: [
        { name: 'chat_reports_member', fields: ['member_id', 'created_at'] },
        { name: 'chat_reports_session', fields: ['session_id'] },
      ],
    },
  );
}

/** Mentions in rooms, to count the unread ones. */
function mentions(db: Database) {
  const { string, integer, time } = db.columns;
  return db.define(
    'mentions',
    {
      message_id: string(36, { primaryKey: true }),
      /** 0: everybody in the room. */
      member_id: integer({ primaryKey: true }),
      session_id: string(36),
      sender_id: integer(),
      created_at: time(),
    },
    { indexes: [{ name: 'chat_mentions_member', fields: ['session_id', 'member_id', 'created_at'] }] },
  );
}

/** Members who follow a thread of a room, and how many of its messages they have read. */
function followers(db: Database) {
  const { string, integer } = db.columns;
  return db.define(
    'thread_followers',
    {
      root_id: string(36, { primaryKey: true }),
      member_id: integer({ primaryKey: true }),
      session_id: string(36),
      read_count: integer(),
    },
    { indexes: [{ name: 'chat_thread_followers_member', fields: ['session_id', 'member_id'] }] },
  );
}

/** Former members of rooms, in which messages of them may be. */
function former(db: Database) {
  const { string, integer } = db.columns;
  return db.define('former_members', { member_id: integer({ primaryKey: true }), session_id: string(36, { primaryKey: true }) });
}

/** The session of two members that their contact lists show. */
function pairs(db: Database) {
  const { string, integer } = db.columns;
  return db.define(
    'pairs',
    {
      low_id: integer({ primaryKey: true }),
      high_id: integer({ primaryKey: true }),
      session_id: string(36, { allowNull: true }),
    },
    {
      indexes: [
        { name: 'chat_pairs_high', fields: ['high_id'] },
        { name: 'chat_pairs_session', fields: ['session_id'] },
      ],
    },
  );
}

/** One row while messages older than the search index still have to be indexed, down from `next_no`. */
function backlog(db: Database) {
  const model = db.define('search_backlog', { next_no: db.columns.bigint() });
  // Sequelize adds a key to a table that has none.
  model.removeAttribute('id');
  return model;
}

/** Numbers of messages of deleted sessions that are still in the search index. */
function searchRemovals(db: Database) {
  return db.define('search_removals', { no: db.columns.bigint({ primaryKey: true }) });
}

/**
 * The tables of this extension, except `chat_search`, the index of words: a virtual table on SQLite and a column of a type of its
 * own on PostgreSQL, which no model describes.
 */
export const defineModels = (db: Database) => ({
  sessions: sessions(db),
  participants: participants(db),
  messages: messages(db),
  tasks: tasks(db),
  reactions: reactions(db),
  reports: reports(db),
  mentions: mentions(db),
  former: former(db),
  followers: followers(db),
  pairs: pairs(db),
  backlog: backlog(db),
  search_removals: searchRemovals(db),
  ...fileModels(db),
  ...importModels(db),
});

export type Models = ReturnType<typeof defineModels>;
export type SessionRow = RowOf<Models['sessions']>;
export type ParticipantRow = RowOf<Models['participants']>;
export type MessageRow = RowOf<Models['messages']>;
export type TaskRow = RowOf<Models['tasks']>;
export type ReportRow = RowOf<Models['reports']>;
export type PairRow = RowOf<Models['pairs']>;
export type ImageRow = RowOf<Models['images']>;
export type FileRow = RowOf<Models['files']>;
export type FileTextRow = RowOf<Models['file_texts']>;
export type UsageRow = RowOf<Models['usage']>;
export type UploadRow = RowOf<Models['uploads']>;
