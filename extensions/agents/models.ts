import type { Caller, Database, RowOf, ToolEffect } from '../../kernel/contract/index.js';
import type { ApprovalStatus, Limits } from './contract.js';
import type { Feature } from './model/features.js';
import type { KeptSettings } from './profiles/profile.js';

/** The AI employee that answers if nobody is named. Its one row also marks that the platform has started once. */
function defaultEmployee(db: Database) {
  const { integer } = db.columns;
  return db.define('default', { id: integer({ primaryKey: true }), member_id: integer({ allowNull: true }) });
}

/** How AI employees are set up; one without a row has the settings that all have at first. */
function settings(db: Database) {
  const { string, integer, json } = db.columns;
  return db.define('settings', {
    member_id: integer({ primaryKey: true }),
    /** Without the limits that are the usual ones: they follow the platform's settings. */
    settings: json<Omit<KeptSettings, 'limits'> & { limits: Partial<Limits> }>(),
    /** `limits.tokens_per_day`; 0 for no limit. */
    tokens_per_day: integer(),
    /** Empty while a lock has made the row and nothing was changed yet. */
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
      /** The instance whose run waits. */
      owner: string(64),
      /** How long it is held open without a sign of that run, in ms of the database's clock. */
      lease_until: bigint(),
      created_at: time(),
      expires_at: time(),
      decided_at: time({ allowNull: true }),
      /** Scopes of the run: whoever decides needs as many. */
      scopes: json<Caller['scopes']>({ defaultValue: 'all' }),
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

/** Notes of what long conversations were about, up to a message. */
function summaries(db: Database) {
  const { string, text, time } = db.columns;
  return db.define('summaries', { session_id: string(36, { primaryKey: true }), message_id: string(36), text: text(), updated_at: time() });
}

/** Tokens that one reply took of one model on one day. */
function usage(db: Database) {
  const { string, integer, bigint, boolean, time } = db.columns;
  return db.define(
    'usage',
    {
      message_id: string(64, { primaryKey: true }),
      model: string(200, { primaryKey: true }),
      /** The day in UTC, `YYYY-MM-DD`. */
      day: string(10, { primaryKey: true }),
      member_id: integer(),
      /** When the model was last asked. */
      at: time(),
      input_tokens: bigint(),
      output_tokens: bigint(),
      calls: integer(),
      /** Whether some of it was counted by the platform, because the model's server told nothing. */
      estimated: boolean(),
    },
    {
      indexes: [
        { name: 'agents_usage_member', fields: ['member_id', 'at'] },
        { name: 'agents_usage_day', fields: ['day'] },
      ],
    },
  );
}

/** Tokens that one AI employee took of one model on one day. */
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

/** Parts of a day's tokens whose use was announced. */
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
    /** A hash of address and model. */
    endpoint: string(64, { primaryKey: true }),
    feature: string<Feature>(32, { primaryKey: true }),
    base_url: text(),
    model: text(),
    message: text(),
    learnt_at: time(),
    expires_at: time(),
  });
}

/** The tables of this extension. */
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
export type DayRow = Omit<RowOf<Models['days']>, 'member_id'>;
