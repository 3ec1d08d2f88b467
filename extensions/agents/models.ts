import type { Caller, Database, RowOf, ToolEffect } from '../../kernel/contract/index.js';
import type { ApprovalStatus, Limits } from './contract.js';
import type { Feature } from './model/features.js';
import type { StoredSettings } from './profiles/profile.js';

/** Default AI employee. Its single row also marks that the first start has happened. */
function defaultEmployee(db: Database) {
  const { integer } = db.columns;
  return db.define('default', { id: integer({ primaryKey: true }), member_id: integer({ allowNull: true }) });
}

/** Settings of AI employees; one without a row has the defaults. */
function settings(db: Database) {
  const { string, integer, json } = db.columns;
  return db.define('settings', {
    member_id: integer({ primaryKey: true }),
    /** Omits default limits, which follow the platform's settings. */
    settings: json<Omit<StoredSettings, 'limits'> & { limits: Partial<Limits> }>(),
    /** `limits.tokens_per_day`; 0 for no limit. */
    tokens_per_day: integer(),
    /** Empty if a lock created the row and nothing has been changed yet. */
    updated_at: string(24),
  });
}

/** Tool calls that wait, or have waited, for a person's decision. */
function approvals(db: Database) {
  const { string, text, integer, bigint, json, time } = db.columns;
  return db.define(
    'approvals',
    {
      id: string(36, { primaryKey: true }),
      session_id: string(36),
      task_id: string(36),
      message_id: string(36),
      tool_call_id: string(36),
      member_id: integer(),
      requested_by: integer(),
      name: string(128),
      input: json(),
      effect: string<ToolEffect>(16),
      status: string<ApprovalStatus>(16),
      reason: text(),
      decided_by: integer({ allowNull: true }),
      decided_by_name: string(64, { allowNull: true }),
      /** Instance whose run waits. */
      owner: string(64),
      /** Lease end in ms of the database's clock; the run renews it. */
      lease_until: bigint(),
      created_at: time(),
      expires_at: time(),
      decided_at: time({ allowNull: true }),
      /** Scopes of the run; the decider needs at least these. */
      scopes: json<Caller['scopes']>({ defaultValue: 'all' }),
      room_title: string(200, { allowNull: true }),
    },
    {
      indexes: [
        { name: 'agents_approvals_pending', fields: ['member_id'], where: { status: 'pending' } },
        { name: 'agents_approvals_session', fields: ['session_id'] },
        { name: 'agents_approvals_age', fields: ['created_at'] },
      ],
    },
  );
}

/** Members who may decide an approval. */
function deciders(db: Database) {
  const { string, integer, time } = db.columns;
  return db.define(
    'approval_deciders',
    {
      member_id: integer({ primaryKey: true }),
      approval_id: string(36, { primaryKey: true }),
      created_at: time({ primaryKey: true }),
    },
    { indexes: [{ name: 'agents_approval_deciders_approval', fields: ['approval_id'] }] },
  );
}

/** Summaries of long conversations up to a message. */
function summaries(db: Database) {
  const { string, text, time } = db.columns;
  return db.define('summaries', { session_id: string(36, { primaryKey: true }), message_id: string(36), text: text(), updated_at: time() });
}

/** Tokens used by one reply, model and day. */
function usage(db: Database) {
  const { string, integer, bigint, boolean, time } = db.columns;
  return db.define(
    'usage',
    {
      message_id: string(64, { primaryKey: true }),
      model: string(200, { primaryKey: true }),
      /** Day in UTC, `YYYY-MM-DD`. */
      day: string(10, { primaryKey: true }),
      member_id: integer(),
      /** Time of the latest model request. */
      at: time(),
      input_tokens: bigint(),
      output_tokens: bigint(),
      calls: integer(),
      /** Whether part of it is estimated because the model server reported no usage. */
      estimated: boolean(),
      /** The member who asked; null if that is unknown or the member was deleted. */
      requested_by: integer({ allowNull: true }),
      /** Session of the room; null outside of rooms. */
      room_id: string(36, { allowNull: true }),
    },
    {
      indexes: [
        { name: 'agents_usage_member', fields: ['member_id', 'at'] },
        { name: 'agents_usage_day', fields: ['day'] },
      ],
    },
  );
}

/** Tokens used by one AI employee, model and day. */
function days(db: Database) {
  const { string, integer, bigint } = db.columns;
  return db.define(
    'days',
    {
      member_id: integer({ primaryKey: true }),
      day: string(10, { primaryKey: true }),
      model: string(200, { primaryKey: true }),
      input_tokens: bigint(),
      output_tokens: bigint(),
      calls: integer(),
      replies: integer(),
    },
    { indexes: [{ name: 'agents_days_day', fields: ['day'] }] },
  );
}

/** Thresholds of the daily budget that were announced. */
function alerts(db: Database) {
  const { string, integer } = db.columns;
  return db.define(
    'alerts',
    { member_id: integer({ primaryKey: true }), day: string(10, { primaryKey: true }), percent: integer({ primaryKey: true }) },
    { indexes: [{ name: 'agents_alerts_day', fields: ['day'] }] },
  );
}

/** Features that model servers lack, learnt from their answers. */
function habits(db: Database) {
  const { string, text, time } = db.columns;
  return db.define('model_habits', {
    /** Hash of address and model. */
    endpoint: string(64, { primaryKey: true }),
    feature: string<Feature>(32, { primaryKey: true }),
    base_url: text(),
    model: text(),
    message: text(),
    learnt_at: time(),
    expires_at: time(),
  });
}

/** Tables of this extension. */
export const defineModels = (db: Database) => ({
  default: defaultEmployee(db),
  settings: settings(db),
  approvals: approvals(db),
  deciders: deciders(db),
  summaries: summaries(db),
  usage: usage(db),
  days: days(db),
  alerts: alerts(db),
  habits: habits(db),
});

export type Models = ReturnType<typeof defineModels>;

export type SettingsRow = RowOf<Models['settings']>;
export type ApprovalRow = RowOf<Models['approvals']>;
export type UsageRow = RowOf<Models['usage']>;
export type DayRow = RowOf<Models['days']>;
