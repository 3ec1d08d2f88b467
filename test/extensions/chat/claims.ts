import type { TaskRow } from '../../../extensions/chat/models.js';
import { jobTable } from '../../../extensions/chat/store/tasks-sql.js';
import type { Database } from '../../../kernel/contract/index.js';
import { JobSql } from '../../../kernel/platform/work/job-sql.js';
import { systemClock } from '../../helpers/databases.js';

/** Claims and renewals of tasks by `owner`, as the worker that writes replies makes them. */
export function claimsOf(db: Database, owner: string): JobSql<TaskRow> {
  return new JobSql(db, { table: jobTable(systemClock), retries: false, lease_ms: 15_000, owner, instance: owner });
}
