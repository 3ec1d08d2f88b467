import type { Migration } from '../../../kernel/contract/index.js';

/**
 * Times without an offset used to be UTC and are now in the schedule's zone. Existing schedules get the zone UTC, so
 * that their times stay the same.
 */
export const migration: Migration = {
  name: '0002-utc-times',
  async up({ run }) {
    await run(`UPDATE schedules_schedules SET trigger_value = trigger_value || 'Z'
      WHERE trigger_type = 'once' AND upper(timezone) <> 'UTC'
        AND trigger_value NOT LIKE '%Z' AND substr(trigger_value, 11) NOT LIKE '%+%' AND substr(trigger_value, 11) NOT LIKE '%-%'`);
  },
};
