import { operations } from '@platform/kit';
import type { SystemApi } from '../../../kernel/contract/system.js';
import type { SchedulesApi } from '../contract.js';

export const api = operations<SchedulesApi & Pick<SystemApi, 'catalog.get'>>();

/** Frames after which schedules are read again. */
export const on = ['schedule.*'];
