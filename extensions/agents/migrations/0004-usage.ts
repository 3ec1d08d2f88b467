import type { Migration } from '../../../kernel/contract/index.js';

/**
 * Creates the tables for the model usage of AI employees: by reply, the sums by day, and the alerts about the daily budget that were sent.
 * `models.ts` describes their columns.
 */
export const usage: Migration = {
  name: '0004-usage',
  async up({ run }) {
    await run(`CREATE TABLE agents_usage (
      message_id VARCHAR(64) NOT NULL,
      model VARCHAR(200) NOT NULL,
      day VARCHAR(10) NOT NULL,
      member_id INTEGER NOT NULL,
      at VARCHAR(24) NOT NULL,
      input_tokens BIGINT NOT NULL,
      output_tokens BIGINT NOT NULL,
      calls INTEGER NOT NULL,
      estimated BOOLEAN NOT NULL,
      PRIMARY KEY (message_id, model, day)
    )`);
    await run('CREATE INDEX agents_usage_member ON agents_usage (member_id, at)');
    await run('CREATE INDEX agents_usage_day ON agents_usage (day)');
    await run(`CREATE TABLE agents_days (
      member_id INTEGER NOT NULL,
      day VARCHAR(10) NOT NULL,
      model VARCHAR(200) NOT NULL,
      input_tokens BIGINT NOT NULL,
      output_tokens BIGINT NOT NULL,
      calls INTEGER NOT NULL,
      replies INTEGER NOT NULL,
      PRIMARY KEY (member_id, day, model)
    )`);
    await run('CREATE INDEX agents_days_day ON agents_days (day)');
    await run(`CREATE TABLE agents_alerts (
      member_id INTEGER NOT NULL,
      day VARCHAR(10) NOT NULL,
      percent INTEGER NOT NULL,
      PRIMARY KEY (member_id, day, percent)
    )`);
    await run('CREATE INDEX agents_alerts_day ON agents_alerts (day)');
  },
};
