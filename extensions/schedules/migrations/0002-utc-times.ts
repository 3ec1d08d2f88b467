import type { Migration } from '../../../kernel/contract/index.js';

/**
 * Times without an offset used to be UTC in every zone and are now in the schedule's zone. The schedules that were made
 * before say UTC from here on, so that they stay due when they were.
 */
export const migration: Migration = {
  name: '0002-utc-times',
  async up({ run }) {
    await run(`UPDATE schedules_schedules SET trigger_value = trigger_value || 'Z'
      WHERE trigger_type = 'once' AND upper(timezone) <> 'UTC'
        AND trigger_value NOT LIKE '%Z' AND substr(trigger_value, 11) NOT LIKE '%+%' AND substr(trigger_value, 11) NOT LIKE '%-%'`);
  },
};
