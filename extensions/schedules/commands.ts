import type { CommandHint } from '../../kernel/contract/index.js';

const columns = ['id', 'name', 'trigger_type', 'trigger_value', 'action', 'enabled', 'next_run_at', 'last_status'];
const runColumns = ['id', 'status', 'trigger', 'scheduled_for', 'started_at', 'duration_ms', 'error_code', 'result'];
const settings = [
  'timezone',
  'params',
  'overlap_policy',
  'catch_up',
  'timeout_s',
  'retries',
  'retry_delay_s',
  'notify',
  'disabled_reason',
  'failures',
];

/** The commands of the operations. */
export const commands: readonly CommandHint[] = [
  { operation: 'schedules.list', command: 'schedule list', columns },
  {
    operation: 'schedules.get',
    refers: { id: 'schedule' },
    command: 'schedule show',
    arguments: ['id'],
    columns: [...columns, ...settings],
  },
  {
    operation: 'schedules.create',
    command: 'schedule create',
    arguments: ['name', 'trigger_type', 'trigger_value', 'action'],
    columns,
    example: `platform schedule create Cleaning cron '0 3 * * *' maintenance.cleanup --timezone Europe/Berlin`,
  },
  {
    operation: 'schedules.update',
    refers: { id: 'schedule' },
    command: 'schedule change',
    arguments: ['id'],
    columns,
    example: "platform schedule change 7 --trigger-value '30 4 * * 1-5' --no-enabled",
  },
  {
    operation: 'schedules.toggle',
    refers: { id: 'schedule' },
    command: 'schedule toggle',
    arguments: ['id'],
    columns: ['id', 'name', 'enabled', 'next_run_at'],
  },
  { operation: 'schedules.run', refers: { id: 'schedule' }, command: 'schedule run', arguments: ['id'] },
  { operation: 'schedules.history', refers: { id: 'schedule' }, command: 'schedule history', arguments: ['id'], columns: runColumns },
  {
    operation: 'schedules.run_record',
    refers: { id: 'schedule' },
    command: 'schedule run-show',
    arguments: ['id', 'run_id'],
    columns: runColumns,
  },
  { operation: 'schedules.cancel', refers: { id: 'schedule' }, command: 'schedule stop', arguments: ['id', 'run_id'], columns: runColumns },
  {
    operation: 'schedules.preview',
    refers: { id: 'schedule' },
    command: 'schedule preview',
    arguments: ['id'],
    columns: ['times', 'timezone'],
  },
  {
    operation: 'schedules.delete',
    refers: { id: 'schedule' },
    command: 'schedule rm',
    arguments: ['id'],
    confirm: 'Delete {id} with its history? This cannot be undone.',
  },
];
