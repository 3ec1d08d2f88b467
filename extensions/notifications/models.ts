import { type Database, Op, type RowOf } from '../../kernel/contract/index.js';
import type { About, Kind, NotificationStatus, Source } from './contract.js';
import type { StoredPreference } from './preferences/preference.js';

/** Members' preferences. Changes of a member's rows lock the member's row here first. */
function members(db: Database) {
  const { integer, bigint, json } = db.columns;
  return db.define('members', {
    member_id: integer({ primaryKey: true }),
    channels: json<Record<string, StoredPreference>>(),
    /** Number of channel tests since `tests_since` (ms). */
    tests: integer(),
    tests_since: bigint(),
  });
}

/** Notifications, one row per receiver. */
function items(db: Database) {
  const { string, text, integer, bigint, json, time } = db.columns;
  return db.define(
    'items',
    {
      id: bigint({ primaryKey: true, autoIncrement: true }),
      member_id: integer(),
      source: string<Source>(16),
      title: string(200),
      summary: text(),
      link: text({ allowNull: true }),
      /** Equal for notifications that are counted as one. */
      sameness: string(32),
      count: integer(),
      /** Rows up to the member's watermark are read, whatever this column says. */
      state: string<NotificationStatus>(8),
      /** The first channel that accepted it; empty while none has. */
      im_channel: string(64),
      error: text({ allowNull: true }),
      created_at: time(),
      read_at: time({ allowNull: true }),
      kind: string<Kind>(32, { defaultValue: 'notice' }),
      /** Subject ids without nulls. */
      about: json<Partial<About>>({ defaultValue: {} }),
      session_id: string(36, { allowNull: true }),
    },
    {
      indexes: [
        { name: 'notifications_items_list', fields: ['member_id', 'id'] },
        { name: 'notifications_items_state', fields: ['member_id', 'state', 'id'] },
        { name: 'notifications_items_source', fields: ['member_id', 'source', 'id'] },
        { name: 'notifications_items_both', fields: ['member_id', 'source', 'state', 'id'] },
        { name: 'notifications_items_same', fields: ['member_id', 'sameness', 'created_at'] },
        { name: 'notifications_items_read', fields: ['read_at'], where: { state: 'read' } },
        { name: 'notifications_items_unread', fields: ['created_at'], where: { state: { [Op.ne]: 'read' } } },
        { name: 'notifications_items_session', fields: ['member_id', 'session_id'], where: { session_id: { [Op.ne]: null } } },
      ],
    },
  );
}

/** Ids up to which members have read everything, and when; kept until written to the notifications' rows. */
function watermarks(db: Database) {
  const { integer, bigint, time } = db.columns;
  return db.define('watermarks', {
    member_id: integer({ primaryKey: true }),
    up_to: bigint({ primaryKey: true }),
    at: time(),
  });
}

/** Deliveries of notifications through outside channels: a job queue. */
function deliveries(db: Database) {
  const { string, text, integer, bigint } = db.columns;
  return db.define(
    'deliveries',
    {
      id: bigint({ primaryKey: true, autoIncrement: true }),
      notification_id: bigint(),
      member_id: integer(),
      channel: string(64),
      status: string<'waiting' | 'accepted' | 'failed'>(8),
      /** Increases with each claim; distinguishes a claim from a later one. */
      attempts: integer(),
      error: text({ allowNull: true }),
      /** When it is due, or until when it is claimed, in ms of the database's clock. */
      due_at: bigint(),
      /** The process that has claimed it. */
      owner: string(64, { allowNull: true }),
    },
    {
      indexes: [
        { name: 'notifications_deliveries_one', fields: ['notification_id', 'channel'], unique: true },
        { name: 'notifications_deliveries_member', fields: ['member_id'] },
        { name: 'notifications_deliveries_due', fields: ['due_at'], where: { status: 'waiting' } },
      ],
    },
  );
}

/** The event of each topic that was handled last. */
function handledEvents(db: Database) {
  const { string } = db.columns;
  return db.define('heard', { topic: string(64, { primaryKey: true }), cursor: string(64) });
}

export const defineModels = (db: Database) => ({
  members: members(db),
  items: items(db),
  watermarks: watermarks(db),
  deliveries: deliveries(db),
  heard: handledEvents(db),
});

export type Models = ReturnType<typeof defineModels>;
export type DeliveryRow = RowOf<Models['deliveries']>;
export type ItemRow = RowOf<Models['items']>;
