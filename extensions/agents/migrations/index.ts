import { migration } from './0001-agents.js';
import { settings } from './0002-settings.js';
import { approvals } from './0003-approvals.js';
import { usage } from './0004-usage.js';
import { approvalScopes } from './0005-approval-scopes.js';
import { modelHabits } from './0006-model-habits.js';
import { approvalRooms } from './0007-approval-rooms.js';
import { usageSources } from './0008-usage-sources.js';

/** All migrations, in order. */
export const migrations = [migration, settings, approvals, usage, approvalScopes, modelHabits, approvalRooms, usageSources];
