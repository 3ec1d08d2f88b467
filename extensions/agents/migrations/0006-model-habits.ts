import type { Migration } from '../../../kernel/contract/index.js';

/** Features that model servers lack, learnt from their answers; `endpoint` is a hash of address and model. */
export const modelHabits: Migration = {
  name: '0006-model-habits',
  async up({ run }) {
    await run(`CREATE TABLE agents_model_habits (
      endpoint VARCHAR(64) NOT NULL,
      feature VARCHAR(32) NOT NULL,
      base_url TEXT NOT NULL,
      model TEXT NOT NULL,
      message TEXT NOT NULL,
      learnt_at VARCHAR(24) NOT NULL,
      expires_at VARCHAR(24) NOT NULL,
      PRIMARY KEY (endpoint, feature)
    )`);
  },
};
